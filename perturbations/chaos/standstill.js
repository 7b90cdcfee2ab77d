// Tells whether the layout of a page has changed since it was fitted. Scrolling does not count.

/** @import { Boxes } from "./boxes.js" */
/** @import { Frame, Ground } from "./suspects.js" */

/**
 * @typedef {object} Standstill
 * @property {(elements: Element[], ground: Ground) => void} note - Notes the positions of elements.
 * @property {() => boolean} hasMoved - Whether one of them has moved, or the page has another size.
 */
/**
 * @param {Boxes} boxes
 * @returns {Standstill}
 */
export const makeStandstill = (boxes) => {
  const { look, boxOf, scrolled, page } = boxes;
  const { round } = Math;
  /** @type {{element: Element, anchor: Frame | null}[]} */
  let places = [];
  /** @type {number[]} */
  let noted = [];

  // The frame with which an element scrolls or stays in its place.
  /** @param {Element} element @param {Ground} ground */
  const anchorOf = (element, ground) => {
    const own = ground.frameIn(element);
    if (own && own.element === element && own.kind === "stays") return own;
    let anchor = ground.frameOf(element);
    while (anchor && anchor.kind === "clips") anchor = anchor.outer;
    return anchor;
  };

  /** @param {Frame | null} anchor */
  const originOf = (anchor) => {
    if (!anchor) return { left: 0, top: 0 };
    const { left, top } = boxOf(anchor.element);
    if (anchor.kind !== "scrolls") return { left, top };
    const inside = scrolled(anchor.element);
    return { left: left - inside.left, top: top - inside.top };
  };

  const layout = () => {
    const { width, height, seenWidth, seenHeight } = page();
    const measures = [width, height, seenWidth, seenHeight];
    look();
    for (let i = 0; i < places.length; i += 1) {
      const { element, anchor } = places[i];
      const box = boxOf(element);
      const { left, top } = originOf(anchor);
      measures[measures.length] = round(box.left - left);
      measures[measures.length] = round(box.top - top);
      measures[measures.length] = round(box.width);
      measures[measures.length] = round(box.height);
    }
    return measures;
  };

  return {
    note: (elements, ground) => {
      places = [];
      for (let i = 0; i < elements.length; i += 1) {
        places[i] = { element: elements[i], anchor: anchorOf(elements[i], ground) };
      }
      noted = layout();
    },
    hasMoved: () => {
      const current = layout();
      for (let i = 0; i < current.length; i += 1) if (current[i] !== noted[i]) return true;
      return current.length !== noted.length;
    },
  };
};
