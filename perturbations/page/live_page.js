// The live page: its roots, the site's controls in them, and later additions.

/** @import { Control } from "./keys.js" */
/** @import { Mask } from "./masks.js" */
/** @import { Natives } from "./natives.js" */
/** @import { KindOf, SiteView } from "./site_view.js" */

/**
 * @typedef {object} LivePage
 * @property {() => (Document | ShadowRoot)[]} roots - The document and the shadow roots in it, closed ones last.
 * @property {() => Control[]} controls - The site's controls in all roots.
 * @property {(node: Node) => Map<Element, Control>} around - The same by their elements, also where `node` stands in a
 *   shadow root that was not known before.
 * @property {(key: string) => Control | undefined} called - The control that was first seen with a key.
 * @property {() => void} forget - Has controls looked for anew: a node of ours has become the site's.
 * @property {(event: Event) => void} meet - Takes note of the root that an event began in.
 * @property {(act: (element: Element) => void) => void} onDrawn - Calls `act` for each element that has been added to
 *   the document, by whomever; not for those that were in it already.
 * @property {(act: () => void) => void} onAnyDrawn - Calls `act` once where this has happened, to however many.
 */
/**
 * @param {Natives} natives
 * @param {SiteView} view
 * @param {(roots: (Document | ShadowRoot)[]) => Control[]} controlsIn
 * @param {<Given>(act: (given: Given) => void) => (given: Given) => void} guarded
 * @param {KindOf} kindOf
 * @param {() => void} onChange - Called when nodes have come, gone, or become something else.
 * @param {(root: ShadowRoot) => void} onRoot - Called for each shadow root, when it is first known.
 * @param {Mask} mask
 * @returns {LivePage}
 */
export const makeLivePage = (natives, view, controlsIn, guarded, kindOf, onChange, onRoot, mask) => {
  const { method, getter } = natives;
  const { isElement } = view;
  const shadowOf = getter(Element, "shadowRoot");
  const allIn = [method(Document, "querySelectorAll"), method(DocumentFragment, "querySelectorAll")];
  const observe = method(MutationObserver, "observe");
  const recordsOf = method(MutationObserver, "takeRecords");
  const addedBy = getter(MutationRecord, "addedNodes");
  const removedBy = getter(MutationRecord, "removedNodes");
  const kindOfRecord = getter(MutationRecord, "type");
  const rootOf = method(Node, "getRootNode");
  const pathOf = method(Event, "composedPath");
  const modeOf = getter(ShadowRoot, "mode");
  const shadowIn = getter(ElementInternals, "shadowRoot");

  // What elements that bear no shadow root are called, of which a page has many.
  const HOSTS =
    ":not(a, abbr, b, br, button, code, dd, dl, dt, em, form, i, img, input, label, li, link, meta, ol, option, path," +
    " script, select, small, strong, style, svg, table, tbody, td, th, thead, time, tr, ul)";

  /** @type {((element: Element) => void)[]} */
  const drawings = [];
  /** @type {(() => void)[]} */
  const anyDrawings = [];
  const named = new Map();
  const watched = new WeakSet();
  const closed = new WeakMap();
  /** @type {{list: Control[], byElement: Map<Element, Control>} | null} */
  let known = null;

  /** @param {Element} element */
  const drawn = (element) => {
    for (let i = 0; i < drawings.length; i += 1) drawings[i](element);
  };
  const anyDrawn = () => {
    for (let i = 0; i < anyDrawings.length; i += 1) anyDrawings[i]();
  };

  /** @param {ArrayLike<Node>} nodes @param {(element: Element) => boolean} counts */
  const anyElement = (nodes, counts) => {
    for (let i = 0; i < nodes.length; i += 1)
      if (isElement(nodes[i]) && counts(/** @type {Element} */ (nodes[i]))) return true;
    return false;
  };
  /** @param {Element} element */
  const isSites = (element) => !kindOf(element);
  // Whether the site may have other controls now than before.
  /** @param {MutationRecord} record */
  const moves = (record) =>
    kindOfRecord(record) !== "childList" ||
    anyElement(addedBy(record), isSites) ||
    anyElement(removedBy(record), isSites);
  /** @param {MutationRecord[]} records */
  const movesAny = (records) => {
    for (let i = 0; i < records.length; i += 1) if (moves(records[i])) return true;
    return false;
  };
  /** @param {MutationRecord[]} records */
  const drawsAny = (records) => {
    for (let i = 0; i < records.length; i += 1) if (anyElement(addedBy(records[i]), () => true)) return true;
    return false;
  };

  // To open a document anew takes away every listener, also those on the window, and all nodes: that is seen here.
  const onRecords = guarded((records) => {
    // Finding controls takes long on a large page, and our own nodes are not among them.
    if (known && movesAny(records)) known = null;
    onChange();
    if (anyDrawings.length && drawsAny(records)) anyDrawn();
    if (!drawings.length) return;
    for (let i = 0; i < records.length; i += 1) {
      const added = addedBy(records[i]);
      for (let j = 0; j < added.length; j += 1) if (isElement(added[j])) drawn(added[j]);
    }
  });
  const watcher = new MutationObserver(onRecords);
  // Changes of these can make an element a control, or another kind of control. A change of its name does not count: a
  // control keeps the key that it had when it was first seen.
  const WATCHED = { childList: true, subtree: true, attributeFilter: ["role", "href", "type", "onclick"] };
  /** @param {Document | ShadowRoot} root */
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observe(watcher, root, WATCHED);
    if (root !== document) onRoot(/** @type {ShadowRoot} */ (root));
  };

  // Elements do not expose their closed roots, so calls that create or return one are observed.
  const take = guarded(({ host, root }) => {
    if (!root) return;
    if (modeOf(root) === "closed") closed.set(host, root);
    known = null;
    watch(root);
  });
  mask(Element.prototype, "attachShadow", (host, _args, root) => take({ host, root }));
  mask(HTMLElement.prototype, "attachInternals", (host, _args, inner) => take({ host, root: shadowIn(inner) }));

  const roots = () => {
    /** @type {(Document | ShadowRoot)[]} */
    const scopes = [document];
    const hidden = [];
    let taken = 0;
    // The list grows while it is gone through: a root may have further roots in it.
    for (let i = 0; i < scopes.length; i += 1) {
      const elements = allIn[i ? 1 : 0](scopes[i], HOSTS);
      for (let j = 0; j < elements.length; j += 1) {
        const root = shadowOf(elements[j]);
        if (root) {
          scopes[scopes.length] = root;
          watch(root);
        } else if (closed.has(elements[j])) hidden[hidden.length] = closed.get(elements[j]);
      }
      // Last, so that what the recorder does not see moves no key of what it sees.
      if (i === scopes.length - 1 && taken < hidden.length) {
        scopes[scopes.length] = hidden[taken];
        taken += 1;
      }
    }
    return scopes;
  };

  /** @type {LivePage["meet"]} */
  const meet = (event) => {
    const node = pathOf(event)[0];
    if (node !== window && !watched.has(rootOf(node))) roots();
  };

  // What was seen keeps its key. What a script has drawn since is looked for before the next decision.
  const lookUp = () => {
    const records = recordsOf(watcher);
    if (records.length) onRecords(records);
    if (known) return known;
    const list = controlsIn(roots());
    /** @type {Map<Element, Control>} */
    const byElement = new Map();
    for (let i = 0; i < list.length; i += 1) {
      byElement.set(list[i].element, list[i]);
      named.set(list[i].key, list[i]);
    }
    known = { list, byElement };
    return known;
  };

  /** @type {LivePage["around"]} */
  const around = (node) => {
    // Attaching a shadow root to an element changes no node, so no observer notices it.
    if (!watched.has(rootOf(node))) known = null;
    return lookUp().byElement;
  };

  watch(document);
  return {
    roots,
    controls: () => lookUp().list,
    around,
    meet,
    called: (key) => named.get(key),
    forget: () => (known = null),
    onDrawn: (act) => (drawings[drawings.length] = act),
    onAnyDrawn: (act) => (anyDrawings[anyDrawings.length] = act),
  };
};
