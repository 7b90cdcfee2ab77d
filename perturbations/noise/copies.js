// Recognises copies of our nodes that the page makes by cloning, or by reading markup and writing it back.
// A clone is matched node by node. A copy written as markup is recognised by its own markup and its neighbours' texts;
// if the page has changed the neighbours in between, the copy counts as the page's own.

/** @import { Runtime } from "../page/runtime.js" */

/**
 * A registered element of ours, with its markup and its text.
 *
 * @typedef {Made & {markup: string, says: string}} Known
 */

/**
 * @typedef {object} Made
 * @property {"added" | "wrapper"} kind
 * @property {"between" | "behind" | "before"} stands - Which neighbours identify its place: both, the previous one
 *   ("behind"), or the next one ("before").
 * @property {Keyframe | null} look - Its look.
 * @property {(copy: Element) => void} [copied] - Called for each copy.
 * @property {(element: Element) => void} [released] - Called when the page has taken it over.
 */
/**
 * @typedef {object} Copies
 * @property {(element: Element, made: Made, worn?: () => void) => void} register - Registers an element of ours once it
 *   has its place and final form, and applies its look; `worn` removes a look that it already has.
 * @property {(node: Text, site: string) => void} rewrote - Registers a changed text, with the site's text.
 * @property {(element: Element, name: string, site: string | null) => void} dressed - Registers a changed attribute
 *   whose new value is unique in the page, with the site's value.
 * @property {(drawn: Element) => void} follow - Searches an element that the page has added for copies.
 * @property {() => void} check - Releases elements that the page has taken over: a virtual DOM update may reuse an
 *   element of ours.
 * @property {(listener: (copied: Map<Node, Node>) => void) => void} onCloned - Calls `listener` for each clone of a
 *   node of ours, with the cloned nodes by their originals.
 */

/**
 * @param {Runtime} runtime
 * @param {WeakSet<Element>} done - Elements that noise has processed; copies of them are added.
 * @returns {Copies}
 */
export const makeCopies = (runtime, done) => {
  const { method, getter } = runtime.natives;
  const { kindOf, attribute, isElement, tagOf, textOf } = runtime.view;
  const [firstOf, nextOf, previousOf, parentOf] = ["firstChild", "nextSibling", "previousSibling", "parentNode"].map(
    (name) => getter(Node, name),
  );
  const isConnected = getter(Node, "isConnected");
  const contentOf = getter(Node, "textContent");
  const typeOf = getter(Node, "nodeType");
  const documentOf = getter(Node, "ownerDocument");
  const markupOf = getter(Element, "outerHTML");
  const namesOf = method(Element, "getAttributeNames");
  const LONGEST = 200;
  // Tag names of our elements; the markup of others, which may be long, is not read.
  const TAGS = new Set(["span", "a", "button"]);

  const infos = new WeakMap();
  const looks = new WeakMap();
  const [markups, places, texts, values] = [new Set(), new Map(), new Map(), new Map()];
  /** @type {((copied: Map<Node, Node>) => void)[]} */
  const cloneListeners = [];
  /** @type {Element[]} */
  let live = [];
  let hasAny = false;

  // Comments are not part of an element's text.
  /** @param {Node} node */
  const isWritten = (node) => typeOf(node) === 3 || typeOf(node) === 4;
  // The first characters of a node's text, trimmed. Reads no further, because a neighbour may be half the page.
  /** @param {Node} root */
  const beginning = (root) => {
    if (!firstOf(root)) return contentOf(root).trim().slice(0, LONGEST);
    let text = "";
    for (let node = firstOf(root); node; ) {
      const piece = isWritten(node) ? contentOf(node) : "";
      text = text ? text + piece : piece.trimStart();
      // A blank at the end would be trimmed, so it does not count.
      if (text.length > LONGEST && text.trimEnd().length >= LONGEST) break;
      let next = firstOf(node);
      while (!next && node && node !== root) {
        next = nextOf(node);
        if (!next) node = parentOf(node);
      }
      node = node === root ? null : next;
    }
    return text.trim().slice(0, LONGEST);
  };
  // A node's neighbour on a side, empty texts excluded: they are lost in markup.
  /** @param {Node} node @param {(node: Node) => Node | null} side */
  const neighbour = (node, side) => {
    let beside = side(node);
    while (beside && textOf(beside)?.trim() === "") beside = side(beside);
    if (!beside) return "";
    return `${isElement(beside) ? tagOf(beside) : ""}:${beginning(beside)}`;
  };
  // Names of a node's place, by its neighbours.
  /** @param {Node} node @param {string} markup */
  const placesOf = (node, markup) => {
    const holder = parentOf(node);
    const around = holder && isElement(holder) ? tagOf(holder) : "";
    const [before, behind] = [neighbour(node, previousOf), neighbour(node, nextOf)];
    return {
      between: `${around}|${before}|${behind}|${markup}`,
      behind: `${around}|<|${before}|${markup}`,
      before: `${around}|>|${behind}|${markup}`,
    };
  };

  /** @param {Element} element @param {Known} info */
  const know = (element, info) => {
    infos.set(element, info);
    live[live.length] = element;
    hasAny = true;
  };

  /** @type {Copies["register"]} */
  const register = (element, info, worn) => {
    const whole = { ...info, markup: markupOf(element), says: contentOf(element) };
    if (info.look) looks.set(element, worn ?? runtime.wear(element, info.look));
    know(element, whole);
    markups.add(whole.markup);
    places.set(placesOf(element, whole.markup)[whole.stands], whole);
  };

  /** @param {Element} copy @param {Known} info */
  const take = (copy, info) => {
    runtime.own(copy, info.kind);
    if (info.look && !looks.has(copy)) looks.set(copy, runtime.wear(copy, info.look));
    info.copied?.(copy);
    know(copy, info);
    const holder = parentOf(copy);
    if (holder && isElement(holder)) done.add(holder);
  };

  /** @param {Element} element */
  const findElement = (element) => {
    if (values.size) {
      const names = namesOf(element);
      for (let i = 0; i < names.length; i += 1) {
        const known = values.get(`${names[i]} ${attribute(element, names[i])}`);
        if (known === undefined) continue;
        runtime.changed(element, { was: { [names[i]]: known } });
        done.add(element);
      }
    }
    const markup = TAGS.has(tagOf(element)) ? markupOf(element) : "";
    if (!markups.has(markup)) return;
    const { between, behind, before } = placesOf(element, markup);
    const info = places.get(between) ?? places.get(behind) ?? places.get(before);
    if (info) take(element, info);
  };

  /** @param {Node} node */
  const find = (node) => {
    const data = textOf(node);
    if (data === null) {
      if (isElement(node)) findElement(node);
    } else if (texts.has(data)) runtime.changed(node, { text: texts.get(data) });
  };

  // Walks all nodes, ours and the site's, without recursion.
  /** @param {Node} root @param {(node: Node) => void} see */
  const walk = (root, see) => {
    for (let node = root; node; ) {
      see(node);
      let next = firstOf(node);
      while (!next && node !== root) {
        next = nextOf(node);
        if (!next) node = parentOf(node);
      }
      node = next;
    }
  };

  /** @type {Copies["follow"]} */
  const follow = (drawn) => {
    if (!hasAny) return;
    walk(drawn, (/** @type {Node} */ node) => kindOf(node) || runtime.toldOf(node) || find(node));
  };

  /** @param {Node} source @param {Node} copy */
  const cloned = (source, copy) => {
    const copied = new Map();
    /** @type {Node[]} */
    const originals = [];
    walk(source, (/** @type {Node} */ node) => (originals[originals.length] = node));
    let i = 0;
    walk(copy, (/** @type {Node} */ node) => {
      copied.set(originals[i], node);
      i += 1;
    });
    copied.forEach((node, original) => {
      const difference = runtime.toldOf(original);
      if (infos.has(original)) take(node, infos.get(original));
      else if (difference?.kind === "rewritten") runtime.changed(node, difference);
      else if (difference) runtime.own(node, difference.kind);
      if (done.has(original)) done.add(node);
    });
    for (let j = 0; j < cloneListeners.length; j += 1) cloneListeners[j](copied);
  };

  const tell = runtime.guarded(({ source, copy, deep }) => {
    // The contents of a template belong to another document, in which nothing is ours.
    if (hasAny && deep && documentOf(source) === document) cloned(source, copy);
  });
  runtime.mask(Node.prototype, "cloneNode", (self, args, copy) => tell({ source: self, copy, deep: args[0] }));
  runtime.mask(Document.prototype, "importNode", (_self, args, copy) => {
    tell({ source: args[0], copy, deep: args[1] });
  });

  // An element is still ours if only attributes changed, because scripts change attributes of all links or spans at
  // once; a script that reuses it changes its text. The text in a wrapper is the site's, so it may change.
  /** @param {Element} element @param {Known} info */
  const isOurs = (element, info) =>
    contentOf(element) === info.says || (info.kind === "wrapper" && !namesOf(element).length);

  const check = () => {
    const alive = [];
    for (let i = 0; i < live.length; i += 1) {
      const element = live[i];
      if (!isConnected(element)) continue;
      if (isOurs(element, infos.get(element))) alive[alive.length] = element;
      else release(element);
    }
    live = alive;
  };
  /** @param {Element} element */
  const release = (element) => {
    const info = infos.get(element);
    infos.delete(element);
    runtime.disown(element);
    info.released?.(element);
    looks.get(element)?.();
  };

  return {
    register,
    rewrote: (node, site) => {
      texts.set(textOf(node), site);
      hasAny = true;
    },
    dressed: (element, name, site) => {
      values.set(`${name} ${attribute(element, name)}`, site);
      hasAny = true;
    },
    follow,
    check,
    onCloned: (listener) => (cloneListeners[cloneListeners.length] = listener),
  };
};
