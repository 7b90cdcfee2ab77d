// What the recorder notes on the nodes of a page: what is not the site's, what a person sees and no markup says, and
// the keys of controls. stressweb/html/annotated.py reads it back.
/**
 * What the page's runtime tells of a node that is not as the site made it.
 *
 * @typedef {object} Told
 * @property {"added" | "wrapper" | "rewritten"} kind - A node of ours with all it holds, an element of ours around
 *   nodes of the site, or a node of the site that we changed.
 * @property {Record<string, string | null>} [was] - Attributes that we changed, and what the site wrote; null: nothing.
 * @property {string} [text] - What the site wrote, for a text that we changed.
 */
/**
 * Nodes by their numbers in a root: document order, from 0, as a TreeWalker finds them. The document is called "", and
 * what hangs on an element is called by the way there: "17 4" is the root of node 4 of that of node 17. Each document
 * answers for itself, also one in a frame.
 *
 * @typedef {Record<string, Record<number, Told>>} ToldNodes
 */
/**
 * @typedef {Map<Node, [string, string][]>} Notes - Names and values by node.
 */
/**
 * @typedef {(node: Node, name: string, value?: string) => void} Note
 */
/**
 * What the page's runtime answers to a read.
 *
 * @typedef {object} Answer
 * @property {ToldNodes} nodes - What is not the site's.
 * @property {string} [from] - The path to which the document reports: it tells documents apart.
 * @property {unknown[]} [reports] - Reports that have not been in an answer yet.
 * @property {Record<string, number>} [changed] - How many places of each mode the page has had at a read so far.
 */
/** @typedef {{page: Document, host: Element | null, answer: Answer | null}} Page */
/**
 * What is known of the nodes that are read.
 *
 * @typedef {object} PageNotes
 * @property {Page[]} pages - The document and those in its frames, each with the frame that it is in, and what its
 *   runtime answers, null where none does.
 * @property {Map<Element, Document | ShadowRoot>} inner - What `findInner` finds once the page is ready.
 * @property {(node: Node) => "added" | "wrapper" | undefined} kindOf - For keys.js (perturbations/page).
 * @property {(controls?: {element: Element, key: string}[]) => Notes} of - Notes what there is to say of all nodes that
 *   are read.
 */
/**
 * To be evaluated in a world that no script of the page shares.
 *
 * @param {Document} live
 * @param {() => Map<Element, Document | ShadowRoot>} findInner - Finds what hangs on elements of the document and is to
 *   be read too (stressweb/html/inner.js).
 * @param {string} [event] - Name of the event that announces a read; only the page's runtime knows it. It makes the
 *   page ready to be read, and answers with an event, called by the `answer` of what it was sent, whose `detail` is its
 *   `Answer` as JSON. Where no runtime answers, all nodes are the site's.
 * @param {Record<string, Record<string, number>>} [attempts] - Attempts of the episode so far, by mode and key.
 * @param {boolean} [acting] - Whether the page is read because somebody acts on it: then the runtime changes nothing.
 * @returns {PageNotes}
 */
(live, findInner, event, attempts, acting) => {
  "use strict";
  /** @type {import("./inner.js").Bound} */
  const bound = (method) => Function.prototype.call.bind(method);
  /** @type {import("./inner.js").Getter} */
  const getter = (type, name) =>
    bound(/** @type {Required<PropertyDescriptor>} */ (Object.getOwnPropertyDescriptor(type.prototype, name)).get);
  const localName = getter(Element, "localName");
  const parentNode = getter(Node, "parentNode");
  const childNodes = getter(Node, "childNodes");
  const nodeType = getter(Node, "nodeType");
  const windowOf = getter(Document, "defaultView");
  const valueOf = bound(Element.prototype.getAttribute);
  const isVisible = bound(Element.prototype.checkVisibility);
  const walkerOf = bound(Document.prototype.createTreeWalker);
  const allIn = [bound(Document.prototype.querySelectorAll), bound(DocumentFragment.prototype.querySelectorAll)];
  /** @param {Node} root @returns {root is Document} */
  const isPage = (root) => nodeType(root) === Node.DOCUMENT_NODE;
  /** @type {(root: Node, selector: string) => NodeListOf<Element>} */
  const all = (root, selector) => allIn[isPage(root) ? 0 : 1](root, selector);

  // Nothing says so, and nobody sees them: what is there without a note is hidden (annotated.py has the same list).
  const UNDRAWN = new Set(
    (
      "area base datalist head link meta noembed noframes noscript optgroup option param rp script source style " +
      "template title track"
    ).split(" "),
  );
  // Parsers read what these hold as one text, in which there are no comments.
  const TEXTS = new Set("iframe noembed noframes noscript plaintext script style title xmp".split(" "));
  const SEEN = { visibilityProperty: true };

  /** @type {(page: Document) => Answer | null} */
  const asked = (page) => {
    /** @type {string | null} */
    let found = null;
    const asking = windowOf(page);
    // A document that is in no window is shown to nobody.
    if (!event || !asking) return null;
    const name = `${event}-told`;
    /** @type {(reply: Event) => void} */
    const hear = (reply) => {
      reply.stopImmediatePropagation();
      found = /** @type {CustomEvent<string>} */ (reply).detail;
    };
    const detail = JSON.stringify({ answer: name, attempts: attempts ?? {}, acting });
    asking.addEventListener(name, hear, true);
    asking.dispatchEvent(new CustomEvent(event, { detail, cancelable: true }));
    asking.removeEventListener(name, hear, true);
    return found === null ? null : JSON.parse(found);
  };

  /** @type {Page[]} */
  const pages = [{ page: live, host: null, answer: asked(live) }];
  let inner = findInner();
  for (const [host, page] of inner) if (isPage(page)) pages.push({ page, host, answer: asked(page) });
  // To make a page ready may draw something in it.
  if (pages.length > 1) inner = findInner();

  /** @type {Map<Node, Told>} */
  const told = new Map();
  /** @type {Map<Node, {walker: TreeWalker, found: Node[]}>} */
  const numbered = new Map();

  // Counted no further than is asked for: a large page is often changed at its beginning alone.
  /** @type {(root: Node, number: number) => Node} */
  const nodeAt = (root, number) => {
    if (!numbered.has(root)) numbered.set(root, { walker: walkerOf(live, root), found: [] });
    const { walker, found } = /** @type {{walker: TreeWalker, found: Node[]}} */ (numbered.get(root));
    while (found.length <= number && walker.nextNode()) found.push(walker.currentNode);
    return found[number];
  };

  /** @type {(page: Document, way: string) => Node | null} */
  const rootAt = (page, way) => {
    /** @type {Node | null} */
    let root = page;
    for (const number of way.split(" ").filter(Boolean)) {
      // What a page closed is not copied either.
      root = root ? (inner.get(/** @type {Element} */ (nodeAt(root, Number(number)))) ?? null) : null;
    }
    return root;
  };

  for (const { page, answer } of pages) {
    for (const [way, nodes] of Object.entries(answer?.nodes ?? {})) {
      const root = rootAt(page, way);
      for (const [number, one] of root ? Object.entries(nodes) : [])
        told.set(nodeAt(/** @type {Node} */ (root), Number(number)), one);
    }
  }

  /** @type {(node: Node) => "added" | "wrapper" | undefined} */
  const kindOf = (node) => {
    const kind = told.get(node)?.kind;
    return kind === "rewritten" ? undefined : kind;
  };

  // Whether a person sees an element is noted where nothing else says so: not what is hidden in something hidden.
  /** @type {(root: Node, note: Note) => void} */
  const noteSight = (root, note) => {
    const hidden = new Map();
    const elements = all(root, "*");
    for (let at = 0; at < elements.length; at += 1) {
      const element = elements[at];
      const name = localName(element);
      const secret = name === "input" && /** @type {HTMLInputElement} */ (element).type === "hidden";
      const expected = (hidden.get(parentNode(element)) ?? false) || secret || UNDRAWN.has(name);
      const found = !isVisible(element, SEEN);
      hidden.set(element, found);
      if (found !== expected) note(element, found ? "hidden" : "shown");
    }
  };

  /** @type {(root: Node, note: Note) => void} */
  const noteStates = (root, note) => {
    for (const field of all(root, ":disabled")) {
      // Of an element of the page's own making, only the browser knows whether its attribute disables it.
      if (valueOf(field, "disabled") === null || localName(field).includes("-")) note(field, "disabled");
    }
    for (const dialog of all(root, "dialog:modal")) note(dialog, "modal");
    for (const box of all(root, "input[type=checkbox i]:indeterminate")) note(box, "mixed");
  };

  /** @type {(node: Node) => boolean} */
  const isOneText = (node) =>
    nodeType(node) === Node.ELEMENT_NODE && TEXTS.has(localName(/** @type {Element} */ (node)));

  /** @type {(note: Note) => void} */
  const noteKinds = (note) => {
    const holders = new Set();
    for (const [node, { kind, was = {}, text = "" }] of told) {
      if (nodeType(node) === Node.ELEMENT_NODE) {
        note(node, "kind", kind);
        for (const [name, value] of Object.entries(was)) {
          if (value === null) note(node, `new-${name}`);
          else note(node, `was-${name}`, value);
        }
      } else if (isOneText(/** @type {Node} */ (parentNode(node)))) holders.add(parentNode(node));
      else note(node, kind, text);
    }
    /** @type {(node: Node) => string} */
    const siteText = (node) =>
      (told.has(node) ? (/** @type {Told} */ (told.get(node)).text ?? "") : /** @type {Text} */ (node).data);
    for (const holder of holders) note(holder, "text", Array.from(childNodes(holder), siteText).join(""));
  };

  /** @type {(controls?: {element: Element, key: string}[]) => Notes} */
  const of = (controls = []) => {
    /** @type {Notes} */
    const notes = new Map();
    /** @type {Note} */
    const note = (node, name, value = "") => {
      if (notes.has(node)) /** @type {[string, string][]} */ (notes.get(node)).push([name, value]);
      else notes.set(node, [[name, value]]);
    };
    noteKinds(note);
    for (const root of [live, ...inner.values()]) {
      // A page may hold a template that looks like one of a root's.
      if (root !== live) note(root, "root", isPage(root) ? "frame" : "shadow");
      noteSight(root, note);
      noteStates(root, note);
    }
    for (const { element, key } of controls) note(element, "key", key);
    return notes;
  };

  return { pages, inner, kindOf, of };
}
