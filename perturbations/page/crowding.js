// What has to give way by the looks of the boxes, which are quickly compared.
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
(runtime, boxes, looks) => {
  "use strict";
  const { method } = runtime.natives;
  const { min, max } = Math;
  const { boxOf, holds, scrolled } = boxes;
  const sort = method(Array, "sort");

  const shared = (one, two) =>
    max(0, min(one.right, two.right) - max(one.left, two.left)) *
    max(0, min(one.bottom, two.bottom) - max(one.top, two.top));
  const area = (box) => box.width * box.height;

  const cutOf = (element) => {
    const { width, height, seenWidth, seenHeight } = scrolled(element);
    return max(height - seenHeight, width - seenWidth);
  };

  // Blocks that lie on one another more than they did.
  const addPiled = (blocks, add) => {
    const order = [];
    for (let at = 0; at < blocks.length; at += 1) order[at] = { block: blocks[at], top: blocks[at].now.top, at };
    sort(order, (one, two) => one.top - two.top || one.at - two.at);
    for (let place = 0; place < order.length; place += 1) {
      const one = order[place].block;
      for (let next = place + 1; next < order.length && order[next].top < one.now.bottom; next += 1) {
        const two = order[next].block;
        const common = shared(one.now, two.now);
        if (!common || common <= shared(one.ink, two.ink) + 0.2 * min(area(one.now), area(two.now))) continue;
        if (holds(one.element, two.element) || holds(two.element, one.element)) continue;
        add(one);
        add(two);
      }
    }
  };

  const escapes = ({ box, ink, drawn, now }, edge) =>
    drawn.right > max(box.right, edge) + 1 || now.left < min(ink.left, 0) - 1 || now.top < -1;

  const isDwarfed = ({ targets }) => {
    for (let at = 0; at < targets.length; at += 1) {
      const { element, box } = targets[at];
      const now = boxOf(element);
      if (min(now.width, now.height) + 0.5 < min(box.width, box.height, looks.floorOf(element))) return true;
    }
    return false;
  };

  const isCropped = ({ cuts }) => {
    for (let at = 0; at < cuts.length; at += 1) if (cutOf(cuts[at].element) > cuts[at].cut + 2) return true;
    return false;
  };

  const crowding = (blocks, edge) => {
    const found = [];
    const add = (block) => (found[found.length] = block);
    for (let at = 0; at < blocks.length; at += 1) {
      const block = blocks[at];
      if (escapes(block, edge) || isDwarfed(block) || isCropped(block)) add(block);
    }
    addPiled(blocks, add);
    return found;
  };

  return { cutOf, crowding };
}
