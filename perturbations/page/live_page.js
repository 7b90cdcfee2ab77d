// The live page: its roots, the site's controls in them, and elements that are added later.

/** @import { Control } from "./keys.js" */
/** @import { Mask } from "./masks.js" */
/** @import { Natives } from "./natives.js" */
/** @import { KindOf, SiteView } from "./site_view.js" */

/**
 * @typedef {object} LivePage
 * @property {() => (Document | ShadowRoot)[]} roots - The document and the shadow roots in it, closed ones last.
 * @property {() => Control[]} controls - The site's controls in all roots.
 * @property {(node: Node) => Map<Element, Control>} around - The same by their elements, including those in the shadow
 *   root of `node` if it was not known before.
 * @property {(key: string) => Control | undefined} called - The control with a key.
 * @property {() => void} forget - Discards the list of controls, because a node of ours has become the site's.
 * @property {(event: Event) => void} meet - Registers the root in which an event began.
 * @property {(act: (element: Element) => void) => void} onDrawn - Calls `act` for each element that is added to the
 *   document, by the page or by us; not for the elements that it already has.
 * @property {(act: () => void) => void} onAnyDrawn - Calls `act` once for each batch of added elements.
 */
/**
 * @param {Natives} natives
 * @param {SiteView} view
 * @param {(roots: (Document | ShadowRoot)[]) => Control[]} controlsIn
 * @param {<Given>(act: (given: Given) => void) => (given: Given) => void} guarded
 * @param {KindOf} kindOf
 * @param {() => void} onChange - Called when nodes were added, removed or changed.
 * @param {(root: ShadowRoot) => void} onRoot - Called for each shadow root when it is first seen.
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

  // Excludes frequent elements that cannot have a shadow root.
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
  // Whether the site's controls may have changed.
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

  // `document.open` removes all nodes and all listeners, those on the window included; this callback notices it.
  const onRecords = guarded((records) => {
    // Search for controls again only if needed, because it takes long on a large page; our own nodes are none.
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
  // Changes that can make an element a control or change its role. A change of its name does not matter, because a
  // control keeps its first key.
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
    // The list grows during the loop, because a root may contain further roots.
    for (let i = 0; i < scopes.length; i += 1) {
      const elements = allIn[i ? 1 : 0](scopes[i], HOSTS);
      for (let j = 0; j < elements.length; j += 1) {
        const root = shadowOf(elements[j]);
        if (root) {
          scopes[scopes.length] = root;
          watch(root);
        } else if (closed.has(elements[j])) hidden[hidden.length] = closed.get(elements[j]);
      }
      // Closed roots come last, because the recorder does not see them: they must change no key of an open root.
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

  // Processes pending mutations first, so that a decision includes elements that a script has just added.
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
