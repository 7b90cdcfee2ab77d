// Finds the blocks to weaken by comparing boxes, which is fast.

/** @import { Box, Boxes } from "./boxes.js" */
/** @import { FittedBlock, Looks } from "./looks.js" */
/** @import { Runtime } from "../page/runtime.js" */

/**
 * @typedef {object} Crowding
 * @property {(element: Element) => number} cutOf - How many pixels of its contents an element clips.
 * @property {(blocks: FittedBlock[], edge: number) => FittedBlock[]} crowding - Blocks that leave the document,
 *   overlap, contain a control that has become too small, or are clipped more than before; may contain duplicates.
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

  // Adds blocks that overlap more than before.
  /** @param {FittedBlock[]} blocks @param {(block: FittedBlock) => void} add */
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

  /** @type {(block: FittedBlock, edge: number) => boolean} */
  const escapes = ({ box, ink, drawn, now }, edge) =>
    drawn.right > max(box.right, edge) + 1 || now.left < min(ink.left, 0) - 1 || now.top < -1;

  /** @type {(block: FittedBlock) => boolean} */
  const isDwarfed = ({ targets }) => {
    for (let i = 0; i < targets.length; i += 1) {
      const { element, box } = targets[i];
      const now = boxOf(element);
      if (min(now.width, now.height) + 0.5 < min(box.width, box.height, looks.floorOf(element))) return true;
    }
    return false;
  };

  /** @type {(block: FittedBlock) => boolean} */
  const isCropped = ({ cuts }) => {
    for (let i = 0; i < cuts.length; i += 1) if (cutOf(cuts[i].element) > cuts[i].cut + 2) return true;
    return false;
  };

  /** @type {Crowding["crowding"]} */
  const crowding = (blocks, edge) => {
    /** @type {FittedBlock[]} */
    const blocking = [];
    /** @param {FittedBlock} block */
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
