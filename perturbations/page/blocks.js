// Blocks of the page: a control with everything that belongs to it and to no other one, or a text without a control.
// They lie beside one another and never in one another, also where parts of the page are in shadow roots.

/** @import { Runtime } from "./runtime.js" */

/**
 * @typedef {object} Block
 * @property {Element} element
 * @property {string} key - The key of its control; of a text, the page's place and the element's key.
 */
/**
 * @param {Runtime} runtime
 * @returns {() => Block[]} Finds the blocks of the current page.
 */
export const makeBlockFinder = (runtime) => {
  /** @param {string} text */
  const words = (text) => new Set(text.split(" "));
  const HOLDERS = words("article dd div dt figure form h1 h2 h3 h4 h5 h6 label li p span strong");
  const TEXTS = words("blockquote dd dt figcaption h1 h2 h3 h4 h5 h6 legend li p");
  // Of these, only a small one belongs to its control: a field and its label, not half a page.
  const WIDE = words("div form article");
  const SILENT = words("script style template noscript");
  const LEVELS = 3;
  const WORDS = 160;

  const { getter } = runtime.natives;
  const { kindOf, isElement, tagOf, textOf, walk } = runtime.view;
  const parent = getter(Node, "parentNode");
  const slotOf = getter(Element, "assignedSlot");
  const hostOf = getter(ShadowRoot, "host");
  const typeOf = getter(Node, "nodeType");

  // The element around another one as they are drawn: of what a shadow root shows in a slot, the slot.
  /** @type {(element: Element) => Element | null} */
  const above = (element) => {
    let node = slotOf(element) ?? parent(element);
    while (node && kindOf(node) === "wrapper") node = parent(node);
    if (node && typeOf(node) === 11) node = hostOf(node);
    return node && isElement(node) ? node : null;
  };

  // Stops at the limit, because a block may contain the whole page.
  /** @param {Element} element @param {number} most */
  const textIn = (element, most) => {
    let text = "";
    walk(element, (node) => {
      const piece = textOf(node);
      if (piece === null) return isElement(node) && !SILENT.has(tagOf(node));
      text += piece;
      return text.length > most && runtime.clean(text).length > most ? null : false;
    });
    return runtime.clean(text);
  };

  /** @param {Element} target @param {Map<Element, number>} counts */
  const blockOf = (target, counts) => {
    let block = target;
    for (let level = 0; level < LEVELS; level += 1) {
      const next = above(block);
      if (!next || !HOLDERS.has(tagOf(next)) || counts.get(next) !== 1) break;
      if (WIDE.has(tagOf(next)) && textIn(next, WORDS).length > WORDS) break;
      block = next;
    }
    return block;
  };

  // Marks elements as taken, and returns whether an element is taken or inside one. It caches its answers, so
  // take outer elements before you ask about inner ones.
  const taking = () => {
    const known = new Map();
    /** @param {Element} element */
    const isWithin = (element) => {
      const path = [];
      let node = /** @type {Element | null} */ (element);
      for (; node && !known.has(node); node = above(node)) path[path.length] = node;
      const isTaken = node !== null && known.get(node);
      for (let i = 0; i < path.length; i += 1) known.set(path[i], isTaken);
      return isTaken;
    };
    return {
      isTaken: (/** @type {Element} */ element) => known.get(element) === true,
      isWithin,
      take: (/** @type {Element} */ element) => known.set(element, true),
    };
  };

  return () => {
    // Without forms, which are as large as all their fields, and without options, which their list shows.
    const targets = [];
    const all = runtime.controls();
    for (let i = 0; i < all.length; i += 1) {
      const tag = tagOf(all[i].element);
      if (tag !== "form" && tag !== "option") targets[targets.length] = all[i];
    }
    // Counted upwards from the targets: looking down from every element would walk the page again and again.
    const counts = new Map();
    for (let i = 0; i < targets.length; i += 1) {
      for (let outer = above(targets[i].element); outer; outer = above(outer)) {
        counts.set(outer, (counts.get(outer) ?? 0) + 1);
      }
    }
    const blocks = [];
    const { isTaken, isWithin, take } = taking();
    for (let i = 0; i < targets.length; i += 1) {
      const { element, key } = targets[i];
      // A target with targets inside is not a block: the distortions would add up beyond the severity.
      if (counts.has(element)) continue;
      const block = blockOf(element, counts);
      if (isTaken(block)) continue;
      take(block);
      blocks[blocks.length] = { element: block, key };
    }
    // Ancestors of taken texts: they come later only in a shadow root that shows the text in a slot.
    const holding = new Set();
    const nodes = runtime.nodes();
    for (let i = 0; i < nodes.length; i += 1) {
      const { element, key } = nodes[i];
      if (!TEXTS.has(tagOf(element)) || counts.has(element) || holding.has(element)) continue;
      if (isWithin(element) || !textIn(element, 0)) continue;
      take(element);
      // Unlike that of a control, the key of a node does not include the place.
      blocks[blocks.length] = { element, key: `${runtime.place} ${key}` };
      for (let outer = above(element); outer && !holding.has(outer); outer = above(outer)) holding.add(outer);
    }
    return blocks;
  };
};
