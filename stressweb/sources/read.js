// One read of the live page, the same for the recorder and for the agent. Takes the functions that find roots and
// frames (stressweb/html/inner.js), that copy a document (stressweb/html/copy.js), that note what the recorder knows of
// its nodes (stressweb/html/notes.js), that make keys (perturbations/page/keys.js), and that writes accessibility trees
// (stressweb/sources/aria.js), and returns the function that reads. Given back as one string of JSON, null without a
// document.
/**
 * For keys: where the episode began, and the site of each host.
 *
 * @typedef {{site: string, hosts: string[], sites: Record<string, string>}} Keyed
 */
/**
 * @typedef {object} ReadOptions
 * @property {string} event - Name of the event that announces a read; empty for none.
 * @property {boolean} boxes - Whether to measure elements.
 * @property {boolean} tree - Whether to write the accessibility tree.
 * @property {Keyed | null} keyed - Null: the page is read as it stands, without the recorder's own copy.
 * @property {Record<string, Record<string, number>>} attempts - Attempts of the episode so far, by mode and key.
 * @property {boolean} [acting] - Whether the page is read because somebody acts on it at this moment.
 */
/** @import { Notes, PageNotes, Answer } from "../html/notes.js" */
/** @import { Control, Keys, KeySettings } from "../../perturbations/page/keys.js" */
/** @import { KindOf } from "../../perturbations/page/site_view.js" */
/** @import { TreeOf } from "./aria.js" */
/** @typedef {{notes: PageNotes, keys: Keys}} World - What lives as long as the document. */
/** @typedef {Document | ShadowRoot} Root */
/** @typedef {Map<Element, Root>} Inner */
/**
 * Where the frame that holds elements has its corner, and how it is scaled.
 *
 * @typedef {object} Place
 * @property {number} left
 * @property {number} top
 * @property {number} across
 * @property {number} down
 * @property {((element: Element) => boolean) | null} [standing] - Whether an element is the frame's own.
 */
/**
 * A document of the page, with key, role and name of its controls.
 *
 * @typedef {{url: string, answer: Answer | null, controls: [key: string, role: string, name: string][]}} ReadDocument
 */
/**
 * What is returned; what is not wanted is missing.
 *
 * @typedef {object} Read
 * @property {string} html - The page; with keys there is `copy` instead.
 * @property {string} copy - The page with the recorder's notes.
 * @property {ReadDocument[]} documents
 * @property {string[]} tags
 * @property {(number[] | null)[]} boxes - Left, top, width and height of each element; null if it is not drawn.
 * @property {ReturnType<TreeOf>} tree
 */
/**
 * @callback NotesOf
 * @param {Document} live
 * @param {() => Inner} findInner
 * @param {string} event
 * @param {ReadOptions["attempts"]} attempts
 * @param {boolean} [acting]
 * @returns {PageNotes}
 */
/**
 * @param {(live: Document) => Inner} innerOf
 * @param {(live: Document, options: {inner: Inner, notes?: Notes}) => {html: string, annotated?: string}} copy
 * @param {NotesOf} notesOf
 * @param {(kindOf: KindOf, settings: KeySettings) => Keys} keysOf
 * @param {TreeOf} treeOf
 * @returns {(options: ReadOptions) => string | null}
 */
(innerOf, copy, notesOf, keysOf, treeOf) => (options) => {
  "use strict";
  // A document answers to the names of its forms and pictures before its own.
  /** @type {import("../html/inner.js").Bound} */
  const bound = (method) => Function.prototype.call.bind(method);
  /** @type {import("../html/inner.js").Getter} */
  const of = (type, name) =>
    bound(/** @type {Required<PropertyDescriptor>} */ (Object.getOwnPropertyDescriptor(type.prototype, name)).get);
  if (!of(Document, "documentElement")(document)) return null;
  // The page's runtime makes the page ready to be read, and ends an entry that is still running. Sent in every arm;
  // nothing else in the page knows its name.
  const notes = notesOf(document, () => innerOf(document), options.event, options.attempts, options.acting);
  const { inner } = notes;

  // A symbol, because elements are found on the global object by their ids, whatever those are.
  const KEPT = Symbol.for("read");
  const nameOf = of(Element, "localName");
  const boxIn = bound(Element.prototype.getBoundingClientRect);
  const isVisible = bound(Element.prototype.checkVisibility);
  const nodeType = of(Node, "nodeType");
  const parentNode = of(Node, "parentNode");
  const textOf = of(Node, "textContent");
  const ownerDocument = of(Node, "ownerDocument");
  const addressOf = of(Document, "URL");
  const allIn = [bound(Document.prototype.querySelectorAll), bound(DocumentFragment.prototype.querySelectorAll)];
  /** @param {Node} root @returns {root is Document} */
  const isPage = (root) => nodeType(root) === Node.DOCUMENT_NODE;
  /** @type {(page: Document) => (root: Node) => boolean} */
  const isIn = (page) => (root) => !isPage(root) && ownerDocument(root) === page;
  const focused = of(Document, "activeElement");
  // Of what has the focus, only these have no cursor for certain: it may be in a shadow root that is closed.
  const PRESSED = new Set(["html", "body", "a", "area", "button", "select", "summary", "dialog"]);
  const TICKED = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);
  const title = of(Document, "title")(document).trim().toWellFormed();
  const url = addressOf(document);
  const read = /** @type {Read} */ (options.keyed ? annotated() : { html: copy(document, { inner }).html });
  Object.assign(read, { url, title, caret: hasCaret() });
  if (options.boxes) {
    read.tags = [];
    read.boxes = [];
    measure(allIn[0](document, "*"), { left: 0, top: 0, across: 1, down: 1 });
  }
  if (options.tree) read.tree = treeOf([document, ...[...inner.values()].filter(isIn(document))]);
  return JSON.stringify(read);

  // Whether a cursor may blink in a field, or in what can be written in.
  /** @returns {boolean} */
  function hasCaret() {
    const element = focused(document);
    if (!element) return false;
    if (nameOf(element) === "input") return !TICKED.has(/** @type {HTMLInputElement} */ (element).type);
    return inner.has(element) || !PRESSED.has(nameOf(element)) ||
      /** @type {HTMLElement} */ (element).isContentEditable;
  }

  /**
   * Returns the site whose page this is: an episode of a chain visits several.
   *
   * @param {Keyed} keyed
   * @returns {KeySettings}
   */
  function siteHere({ site, hosts, sites }) {
    const found = sites[new URL(url).host] ?? site;
    if (found === site) return { site, hosts };
    return { site: found, hosts: Object.keys(sites).filter((one) => sites[one] === found) };
  }

  /** @returns {{copy: string | undefined, documents: ReadDocument[]}} */
  function annotated() {
    // What was seen keeps its key: this world, and what stands in it, live as long as the document. What is ours is
    // another thing at each read.
    /** @type {KindOf} */
    const kindOf = (node) => /** @type {Record<symbol, World>} */ (globalThis)[KEPT].notes.kindOf(node);
    const world = (/** @type {Record<symbol, World>} */ (globalThis)[KEPT] ??= {
      notes,
      keys: keysOf(kindOf, siteHere(/** @type {Keyed} */ (options.keyed))),
    });
    world.notes = notes;
    /** @type {Control[]} */
    const controls = [];
    /** @type {Map<Document | null, string>} */
    const paths = new Map();
    const documents = notes.pages.map(({ page, host, answer }) => {
      const roots = [page, ...[...inner.values()].filter(isIn(page))];
      const outer = host && paths.get(ownerDocument(host));
      const path = host ? world.keys.inner(host, addressOf(page), /** @type {string} */ (outer))
        : new URL(url).pathname;
      paths.set(page, path);
      const found = world.keys.controls(roots, path);
      controls.push(...found);
      const address = host && URL.canParse(path, url) ? new URL(path, url).href : url;
      return { url: address, answer, controls: found.map(told) };
    });
    const made = copy(document, { inner, notes: notes.of(controls) });
    return { copy: made.annotated, documents };
  }

  /** @param {Control} control @returns {[key: string, role: string, name: string]} */
  function told({ key, role, name }) {
    return [key, role, name];
  }

  // In the order of the copy. `place` is where the frame that holds the elements has its corner, and how it is scaled;
  // null: they are drawn nowhere.
  /**
   * @param {Iterable<Element>} elements
   * @param {Place | null} place
   */
  function measure(elements, place) {
    for (const element of elements) {
      const name = nameOf(element);
      const root = inner.size ? inner.get(element) : null;
      read.tags.push(place?.standing?.(element) ? `frame-${name}` : name);
      read.boxes.push(place && boxOf(element, place));
      if (name === "template" && /** @type {HTMLTemplateElement} */ (element).content)
        measure(/** @type {HTMLTemplateElement} */ (element).content.querySelectorAll("*"), null);
      if (!root) continue;
      read.tags.push("template");
      read.boxes.push(null);
      if (isPage(root))
        measure(allIn[0](root, "*"), placeIn(/** @type {HTMLElement} */ (element), root, /** @type {Place} */ (place)));
      else measure(allIn[1](root, "*"), /** @type {Place} */ ({ ...place, standing: null }));
    }
  }

  /**
   * @param {HTMLElement} frame
   * @param {Document} page
   * @param {Place} place
   * @returns {Place}
   */
  function placeIn(frame, page, { left, top, across, down }) {
    const box = boxIn(frame);
    const { paddingLeft, paddingTop } = getComputedStyle(frame);
    const wide = box.width / (frame.offsetWidth || 1);
    const high = box.height / (frame.offsetHeight || 1);
    return {
      left: left + across * (box.x + wide * (frame.clientLeft + parseFloat(paddingLeft))),
      top: top + down * (box.y + high * (frame.clientTop + parseFloat(paddingTop))),
      across: across * wide,
      down: down * high,
      // As copy.js writes them.
      standing: (one) => {
        const around = parentNode(one);
        const outer = around === page || parentNode(/** @type {Node} */ (around)) === page;
        return outer && ["html", "head", "body"].includes(nameOf(one));
      },
    };
  }

  // Where a font draws "fi" as one sign, the sign belongs to the element of the f: that of the i is seen and has no
  // width.
  /** @param {Element} element */
  function isJoined(element) {
    return /[\p{L}\p{N}]/u.test(/** @type {string} */ (textOf(element))) &&
      getComputedStyle(element).display === "inline";
  }

  /**
   * @param {Element} element
   * @param {Place} place
   */
  function boxOf(element, { left, top, across, down }) {
    const box = boxIn(element);
    if (box.height <= 0 || (box.width <= 0 && !isJoined(element))) return null;
    if (!isVisible(element, { visibilityProperty: true })) return null;
    const [x, y] = [left + across * box.x, top + down * box.y];
    return [x, y, across * box.width, down * box.height].map((pixels) => Math.round(pixels * 100) / 100);
  }
}
