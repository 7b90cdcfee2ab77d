// The overlay of `serve`: the site in a frame, and below it a log of what the modes did to each gesture. The site's
// pages are not modified for it.
const EVERY_MS = 400;
// Turns of the event loop in which the next page is awaited: the first without delay, the rest after at least 4 ms.
const MOST_TURNS = 2500;
const QUICK_TURNS = 200;
/**
 * A line of the log, as in runner/world/gestures.py.
 *
 * @typedef {{number: number, kind: string, text: string}} Line
 */
/**
 * What happened since the last look, as runner/world/served_pages.py writes it.
 *
 * @typedef {object} State
 * @property {string} title
 * @property {string} first - First line of the log.
 * @property {number} resets - Number of resets so far.
 * @property {Line[]} lines - New lines of the log.
 * @property {Record<string, number>} places - Number of places that each mode changed on the page.
 */
/**
 * The frame with the site. A page of another origin has no document here, which is caught.
 *
 * @typedef {HTMLIFrameElement & {contentDocument: Document, contentWindow: Window}} Frame
 */

const site = /** @type {Frame} */ (document.getElementById("site"));
const list = /** @type {HTMLElement} */ (document.getElementById("lines"));
const places = /** @type {HTMLElement} */ (document.getElementById("places"));

let last = 0;
/** @type {number | null} */
let resets = null;
// Path from which the page in the frame was loaded. Changes are counted under it even if a script changes the URL.
let page = "/";

/** @type {(text: string, kind: string) => void} */
const write = (text, kind) => {
  const line = document.createElement("li");
  line.textContent = text;
  line.className = kind;
  list.prepend(line);
};

/** @type {(words: string) => void} */
const begin = (words) => {
  list.replaceChildren();
  last = 0;
  write(words, "none");
};

/** @type {(state: State) => void} */
const show = (state) => {
  /** @type {HTMLElement} */
  (document.getElementById("title")).textContent = state.title;
  if (resets !== state.resets) begin(state.first);
  resets = state.resets;
  for (const { number, kind, text } of state.lines) {
    list.querySelector(".none")?.remove();
    write(text, kind);
    last = number;
  }
  const counts = Object.entries(state.places).filter(([, count]) => count);
  const phrases = counts.map(([mode, count]) => `${mode} changed ${count} place${count === 1 ? "" : "s"}`);
  places.textContent = phrases.length ? `On this page: ${phrases.join(", ")}.` : "";
};

const look = async () => {
  try {
    // The query writes the number as text.
    const response = await fetch(
      `events?${new URLSearchParams({ after: /** @type {string} */ (/** @type {unknown} */ (last)), page })}`,
    );
    show(await response.json());
  } catch {
    places.textContent = "The server does not answer.";
  }
  setTimeout(look, EVERY_MS);
};

// The hash holds the path of the page in the frame, so that reloads and copied links lead to it.
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

/** @type {(path: string) => void} */
const go = (path) => site.contentWindow.location.replace(new URL(path, location.origin));
const reset = async () => {
  await fetch("reset", { method: "POST", redirect: "manual" });
  go("/");
};
const toggle = () => {
  list.hidden = !list.hidden;
  const button = /** @type {HTMLElement} */ (document.getElementById("toggle"));
  button.textContent = list.hidden ? "Show" : "Hide";
  button.ariaExpanded = String(!list.hidden);
};
/** @type {HTMLElement} */
(document.getElementById("reset")).addEventListener("click", reset);
/** @type {HTMLElement} */
(document.getElementById("toggle")).addEventListener("click", toggle);

// By the place of a key and not by its letter: with Alt, some keyboards write another one.
/** @type {Record<string, () => void>} */
const KEYS = { KeyO: toggle, KeyR: reset };
/** @type {(event: KeyboardEvent) => void} */
const onKey = (event) => {
  const act = KEYS[event.code];
  if (!act || !event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
  // Stop the event, so that neither the page in the frame nor a mode's script handles the key.
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!event.repeat) act();
};
addEventListener("keydown", onKey, true);

// The page in the frame usually has the focus, so its window needs the key listener, too. The listener must be added
// before the page's own scripts run: after a page is left, each turn checks for the next one.
/** @type {WeakSet<Document>} */
const heard = new WeakSet();
let turns = 0;
const hear = () => {
  try {
    const current = site.contentDocument;
    if (!current || heard.has(current)) return false;
    heard.add(current);
    // Use this window's own function, because the page may have replaced its own.
    addEventListener.call(site.contentWindow, "keydown", /** @type {EventListener} */ (onKey), true);
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

// The frame starts with an empty document, so that leaving it starts the wait for the first page.
site.addEventListener("load", () => go(wanted()), { once: true });
site.srcdoc = "<!doctype html>";
look();
