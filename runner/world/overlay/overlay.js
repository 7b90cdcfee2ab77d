// The overlay of `serve`: the site in a frame, and below it what the modes did to each gesture. The site's page itself
// has nothing of it.
const EVERY_MS = 400;
// Turns of the browser in which the next page is waited for: first at once, then each after 4 ms or more.
const MOST_TURNS = 2500;
const QUICK_TURNS = 200;
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

const begin = (words) => {
  list.replaceChildren();
  last = 0;
  write(words, "none");
};

const show = (told) => {
  document.getElementById("title").textContent = told.title;
  if (resets !== told.resets) begin(told.first);
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
  hear();
  try {
    if (site.contentDocument.URL === "about:srcdoc") return;
    const { pathname, search } = site.contentWindow.location;
    page = pathname;
    document.title = site.contentDocument.title || "stressweb";
    history.replaceState(null, "", `#${pathname}${search}`);
  } catch {
    page = "";
  }
});

const go = (path) => site.contentWindow.location.replace(new URL(path, location.origin));
const reset = async () => {
  await fetch("reset", { method: "POST", redirect: "manual" });
  go("/");
};
const toggle = () => {
  list.hidden = !list.hidden;
  const button = document.getElementById("toggle");
  button.textContent = list.hidden ? "Show" : "Hide";
  button.ariaExpanded = String(!list.hidden);
};
document.getElementById("reset").addEventListener("click", reset);
document.getElementById("toggle").addEventListener("click", toggle);

// By the place of a key and not by its letter: with Alt, some keyboards write another one.
const KEYS = { KeyO: toggle, KeyR: reset };
const onKey = (event) => {
  const act = KEYS[event.code];
  if (!act || !event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
  // Ends here: neither the page in the frame nor what a mode does in it hears of the key.
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!event.repeat) act();
};
addEventListener("keydown", onKey, true);

// The page in the frame has the focus most of the time, so its window must hear the keys, too. Only what listens there
// before its scripts run hears a key before them: from when a page is left, each turn looks for the next one.
const heard = new WeakSet();
let turns = 0;
const hear = () => {
  try {
    const shown = site.contentDocument;
    if (!shown || heard.has(shown)) return false;
    heard.add(shown);
    // This window's own function: the page may have put another in the place of its own.
    addEventListener.call(site.contentWindow, "keydown", onKey, true);
    addEventListener.call(site.contentWindow, "pagehide", awaitPage);
    return true;
  } catch {
    // A page of another origin.
    return true;
  }
};
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => {
  turns += 1;
  if (hear() || turns > MOST_TURNS) return;
  if (turns < QUICK_TURNS) port2.postMessage(null);
  else setTimeout(() => port2.postMessage(null), 0);
};
function awaitPage() {
  turns = 0;
  port2.postMessage(null);
}

// The frame begins with an empty document, which is heard like any other: so the first page is awaited from its start.
site.addEventListener("load", () => go(wanted()), { once: true });
site.srcdoc = "<!doctype html>";
look();
