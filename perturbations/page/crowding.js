// What has to give way by the looks of the boxes, which are quickly compared.

/** @import { Box, Boxes } from "./boxes.js" */
/** @import { Lain, Looks } from "./looks.js" */
/** @import { Runtime } from "./runtime.js" */

/**
 * @typedef {object} Crowding
 * @property {(element: Element) => number} cutOf - How much an element cuts off of what it holds, in pixels.
 * @property {(blocks: Lain[], edge: number) => Lain[]} crowding - Blocks that leave the document, lie on one another,
 *   hold a control that has become too small, or are cut off more than they were; some of them twice.
 */
/**
 * @param {Runtime} runtime
 * @param {Boxes} boxes
 * @param {Looks} looks
 * @returns {Crowding}
 */
export const makeCrowding = (runtime, boxes, looks) => {
  const { method } = runtime.natives;
  const { min, max } = Math;
  const { boxOf, holds, scrolled } = boxes;
  const sort = method(Array, "sort");

  /** @param {Box} first @param {Box} second */
  const shared = (first, second) =>
    max(0, min(first.right, second.right) - max(first.left, second.left)) *
    max(0, min(first.bottom, second.bottom) - max(first.top, second.top));
  /** @param {Box} box */
  const area = (box) => box.width * box.height;

  /** @type {Crowding["cutOf"]} */
  const cutOf = (element) => {
    const { width, height, seenWidth, seenHeight } = scrolled(element);
    return max(height - seenHeight, width - seenWidth);
  };

  // Blocks that lie on one another more than they did.
  /** @param {Lain[]} blocks @param {(block: Lain) => void} add */
  const addPiled = (blocks, add) => {
    const order = [];
    for (let i = 0; i < blocks.length; i += 1) order[i] = { block: blocks[i], top: blocks[i].now.top, index: i };
    sort(
      order,
      (/** @type {{top: number, index: number}} */ first, /** @type {{top: number, index: number}} */ second) =>
        first.top - second.top || first.index - second.index,
    );
    for (let place = 0; place < order.length; place += 1) {
      const first = order[place].block;
      for (let next = place + 1; next < order.length && order[next].top < first.now.bottom; next += 1) {
        const second = order[next].block;
        const common = shared(first.now, second.now);
        if (!common || common <= shared(first.ink, second.ink) + 0.2 * min(area(first.now), area(second.now))) continue;
        if (holds(first.element, second.element) || holds(second.element, first.element)) continue;
        add(first);
        add(second);
      }
    }
  };

  /** @type {(block: Lain, edge: number) => boolean} */
  const escapes = ({ box, ink, drawn, now }, edge) =>
    drawn.right > max(box.right, edge) + 1 || now.left < min(ink.left, 0) - 1 || now.top < -1;

  /** @type {(block: Lain) => boolean} */
  const isDwarfed = ({ targets }) => {
    for (let i = 0; i < targets.length; i += 1) {
      const { element, box } = targets[i];
      const now = boxOf(element);
      if (min(now.width, now.height) + 0.5 < min(box.width, box.height, looks.floorOf(element))) return true;
    }
    return false;
  };

  /** @type {(block: Lain) => boolean} */
  const isCropped = ({ cuts }) => {
    for (let i = 0; i < cuts.length; i += 1) if (cutOf(cuts[i].element) > cuts[i].cut + 2) return true;
    return false;
  };

  /** @type {Crowding["crowding"]} */
  const crowding = (blocks, edge) => {
    /** @type {Lain[]} */
    const blocking = [];
    /** @param {Lain} block */
    const add = (block) => (blocking[blocking.length] = block);
    for (let i = 0; i < blocks.length; i += 1) {
      const block = blocks[i];
      if (escapes(block, edge) || isDwarfed(block) || isCropped(block)) add(block);
    }
    addPiled(blocks, add);
    return blocking;
  };

  return { cutOf, crowding };
};
