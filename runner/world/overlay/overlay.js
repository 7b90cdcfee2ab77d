// The overlay of `serve`: the site in a frame, and below it what the modes did to each gesture. The site's page itself
// has nothing of it.
const EVERY_MS = 400;
const site = document.getElementById("site");
const list = document.getElementById("lines");
const places = document.getElementById("places");

let last = 0;
let resets = null;
// Where the page in the frame was loaded: a page that goes from address to address is counted at its first.
let page = "/";

const write = (text, kind) => {
  const line = document.createElement("li");
  line.textContent = text;
  line.className = kind;
  list.prepend(line);
};

const begin = () => {
  list.replaceChildren();
  last = 0;
  write("Click or type in the page above: what happens to each gesture is shown here.", "none");
};

const show = (told) => {
  document.getElementById("title").textContent = told.title;
  if (resets !== told.resets) begin();
  resets = told.resets;
  for (const { number, kind, text } of told.lines) {
    list.querySelector(".none")?.remove();
    write(text, kind);
    last = number;
  }
  const counts = Object.entries(told.places).filter(([, count]) => count);
  const said = counts.map(([mode, count]) => `${mode} changed ${count} place${count === 1 ? "" : "s"}`);
  places.textContent = said.length ? `On this page: ${said.join(", ")}.` : "";
};

const look = async () => {
  try {
    const asked = await fetch(`events?${new URLSearchParams({ after: last, page })}`);
    show(await asked.json());
  } catch {
    places.textContent = "The server does not answer.";
  }
  setTimeout(look, EVERY_MS);
};

// The address after the hash is that of the page in the frame, so that a reload and a copied link lead there.
const wanted = () => {
  const address = new URL(location.hash.slice(1) || "/", location.origin);
  return address.origin === location.origin ? address.pathname + address.search : "/";
};

site.addEventListener("load", () => {
  try {
    const { pathname, search } = site.contentWindow.location;
    page = pathname;
    document.title = site.contentDocument.title || "stressweb";
    history.replaceState(null, "", `#${pathname}${search}`);
  } catch {
    page = "";
  }
});
document.getElementById("reset").addEventListener("click", async () => {
  await fetch("reset", { method: "POST", redirect: "manual" });
  site.src = "/";
});
document.getElementById("toggle").addEventListener("click", ({ target }) => {
  list.hidden = !list.hidden;
  target.textContent = list.hidden ? "Show" : "Hide";
  target.ariaExpanded = String(!list.hidden);
});
site.src = wanted();
look();
