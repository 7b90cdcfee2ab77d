// Documents in frames that are not requested from the site, such as about:blank or a srcdoc. The proxy cannot give them
// the script, so the page around them does. They report as a part of that page.

/** @import { Attempts } from "./attempts.js" */
/** @import { Effects } from "./effects.js" */
/** @import { Natives } from "./natives.js" */
/** @import { Reports } from "./reports.js" */

/**
 * The state that a document in a frame shares with the page around it.
 *
 * @typedef {object} Shared
 * @property {string} path - The path with which its keys begin.
 * @property {Reports} reports
 * @property {Attempts} attempts
 * @property {Pick<Effects, "changed" | "counted" | "claimPage">} effects - Counts of changes in all these documents.
 */
/**
 * @typedef {object} Frames
 * @property {Shared | null} shared - The state shared with the page that gave this document the script; null for a page
 *   that got it from the proxy.
 * @property {() => void} look - Gives the script to frames of the document that need it.
 * @property {(roots: (Document | ShadowRoot)[]) => void} lookIn - The same for frames in these roots.
 * @property {() => void} install - Adds removed listeners again.
 */
/**
 * @param {Natives} natives
 * @param {string} name - Prefix of our events' names, secret from the page's scripts.
 * @param {HTMLScriptElement | null} own - Our script's element.
 * @param {(frame: Element, address: string) => Shared} share
 * @param {() => void} retire - Removes this script's listeners from the window, which has a new document and script.
 * @returns {Frames}
 */
export const makeFrames = (natives, name, own, share, retire) => {
  const { method, getter, setter, told } = natives;
  const TRIES = 50;
  const PAUSE_MS = 4;

  const wait = setTimeout;
  const Call = CustomEvent;
  const dispatch = method(EventTarget, "dispatchEvent");
  const addListener = method(EventTarget, "addEventListener");
  const removeListener = method(EventTarget, "removeEventListener");
  const prevent = method(Event, "preventDefault");
  const stop = method(Event, "stopImmediatePropagation");
  const detailOf = told(CustomEvent, "detail");
  const attribute = method(Element, "getAttribute");
  const tagOf = getter(Element, "localName");
  const spaceOf = getter(Element, "namespaceURI");
  const typeOf = getter(Node, "nodeType");
  const append = method(Node, "appendChild");
  const remove = method(Element, "remove");
  const setText = setter(Node, "textContent");
  const setNonce = setter(HTMLElement, "nonce");
  const addressOf = getter(Document, "URL");
  const windowOf = getter(Document, "defaultView");
  const rootOf = getter(Document, "documentElement");
  const create = method(Document, "createElementNS");
  const allIn = [method(Document, "querySelectorAll"), method(DocumentFragment, "querySelectorAll")];
  const pageIn = [getter(HTMLIFrameElement, "contentDocument"), getter(HTMLFrameElement, "contentDocument")];
  const frames = method(Document, "getElementsByTagName")(document, "iframe");
  const countOf = getter(HTMLCollection, "length");
  const HTML = "http://www.w3.org/1999/xhtml";

  const source = own?.textContent ?? "";
  const nonce = own?.nonce ?? "";
  const started = new WeakSet();
  const waiting = new WeakSet();

  // Announces that the script runs. The page around this document answers with the shared state, and the script of the
  // empty document that was in this window before retires.
  const hand = { shared: null };
  dispatch(window, new Call(`${name}-born`, { detail: hand }));

  /** @param {Event} event */
  const hear = (event) => {
    prevent(event);
    stop(event);
  };
  const install = () => {
    addListener(window, `${name}-there`, hear, true);
    addListener(window, `${name}-born`, onBorn, true);
    // A frame's own `load` event does not reach the window.
    addListener(document, "load", look, true);
  };
  const onBorn = () => {
    removeListener(window, `${name}-there`, hear, true);
    removeListener(window, `${name}-born`, onBorn, true);
    retire();
  };

  /** @param {Element} frame */
  const pageOf = (frame) => (spaceOf(frame) === HTML ? pageIn[tagOf(frame) === "iframe" ? 0 : 1](frame) : null);

  // Every frame begins with an empty document, and its real document may still be loading.
  /** @param {Element} frame */
  const isComing = (frame) => {
    const from = attribute(frame, "src") ?? "";
    return attribute(frame, "srcdoc") !== null || (from !== "" && !/^\s*(?:about|javascript):/i.test(from));
  };

  /** @param {Element} frame */
  const expect = (frame) => {
    if (waiting.has(frame)) return;
    waiting.add(frame);
    let tries = 0;
    const again = () => {
      if (begin(frame) || (tries += 1) > TRIES) waiting.delete(frame);
      else wait(again, PAUSE_MS);
    };
    wait(again, 0);
  };

  // Gives a frame the script; returns false if it must be tried again.
  /** @param {Element} frame */
  const begin = (frame) => {
    const page = pageOf(frame);
    if (!page || started.has(page)) return true;
    const address = addressOf(page);
    const root = rootOf(page);
    if (!root || (address === "about:blank" && isComing(frame))) return false;
    started.add(page);
    const view = windowOf(page);
    // A document from the site has got the script from the proxy.
    if (!view || !dispatch(view, new Call(`${name}-there`, { cancelable: true }))) return true;
    /** @param {Event} event */
    const give = (event) => {
      stop(event);
      detailOf(event).shared = share(frame, address);
    };
    const script = create(page, HTML, "script");
    addListener(view, `${name}-born`, give, true);
    try {
      setNonce(script, nonce);
      setText(script, source);
      append(root, script);
    } catch {
      // The page's policy may forbid inline scripts. Then the frame does not answer reads, and the ledger notes it.
    }
    removeListener(view, `${name}-born`, give, true);
    remove(script);
    return true;
  };

  /** @param {Element} frame */
  const see = (frame) => {
    if (!begin(frame)) expect(frame);
  };
  const look = () => {
    if (source) for (let i = 0; i < countOf(frames); i += 1) see(frames[i]);
  };
  /** @type {Frames["lookIn"]} */
  const lookIn = (roots) => {
    for (let i = 0; source && i < roots.length; i += 1) {
      const elements = allIn[typeOf(roots[i]) === 9 ? 0 : 1](roots[i], "iframe, frame");
      for (let j = 0; j < elements.length; j += 1) see(elements[j]);
    }
  };

  install();
  return { shared: hand.shared, look, lookIn, install };
};
