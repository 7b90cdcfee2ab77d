// Blocks of the page. A block is a control with everything that belongs to it alone, or a text without a control.
// No block contains another one, even across shadow roots.

/** @import { Runtime } from "../page/runtime.js" */

/**
 * @typedef {object} Block
 * @property {Element} element
 * @property {string} key - The key of its control; for a text, the page's place and the element's key.
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
  // These belong to a control only if they are small: a field and its label, not half a page.
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

  // The parent in the rendered tree: a slotted element's parent is the slot.
  /** @type {(element: Element) => Element | null} */
  const above = (element) => {
    let node = slotOf(element) ?? parent(element);
    while (node && kindOf(node) === "wrapper") node = parent(node);
    if (node && typeOf(node) === 11) node = hostOf(node);
    return node && isElement(node) ? node : null;
  };

  // Stops after `most` characters, because a block may contain the whole page.
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

  // Marks elements as taken, and tells whether an element is taken or inside a taken one. The answers are cached,
  // so take outer elements before you ask about inner ones.
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
    // Exclude forms, which are as large as all their fields, and options, which are drawn by their list.
    const targets = [];
    const all = runtime.controls();
    for (let i = 0; i < all.length; i += 1) {
      const tag = tagOf(all[i].element);
      if (tag !== "form" && tag !== "option") targets[targets.length] = all[i];
    }
    // Counted upwards from the targets; counting downwards from every element would walk the page many times.
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
      // A target that contains targets is not a block: its distortions would add to theirs and exceed the severity.
      if (counts.has(element)) continue;
      const block = blockOf(element, counts);
      if (isTaken(block)) continue;
      take(block);
      blocks[blocks.length] = { element: block, key };
    }
    // Ancestors of taken texts. They come later than the text only if a shadow root shows it in a slot.
    const holding = new Set();
    const nodes = runtime.nodes();
    for (let i = 0; i < nodes.length; i += 1) {
      const { element, key } = nodes[i];
      if (!TEXTS.has(tagOf(element)) || counts.has(element) || holding.has(element)) continue;
      if (isWithin(element) || !textIn(element, 0)) continue;
      take(element);
      // The key of a node does not include the place, unlike that of a control.
      blocks[blocks.length] = { element, key: `${runtime.place} ${key}` };
      for (let outer = above(element); outer && !holding.has(outer); outer = above(outer)) holding.add(outer);
    }
    return blocks;
  };
};
