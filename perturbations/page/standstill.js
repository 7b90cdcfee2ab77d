// Whether a page stands as it stood: what has not moved since it was fitted fits. Scrolling moves nothing.
/**
 * @typedef {object} Standstill
 * @property {(elements: Element[], ground: Ground) => void} note - Notes where these elements lie.
 * @property {() => boolean} hasMoved - Whether one of them lies elsewhere now, or the page has another size.
 */
/**
 * @param {Boxes} boxes
 * @returns {Standstill}
 */
(boxes) => {
  "use strict";
  const { look, boxOf, scrolled, page } = boxes;
  const { round } = Math;
  let places = [];
  let noted = [];

  // What an element is scrolled with, or stays in its place with.
  const anchorOf = (element, ground) => {
    const own = ground.frameIn(element);
    if (own && own.element === element && own.kind === "stays") return own;
    let anchor = ground.frameOf(element);
    while (anchor && anchor.kind === "clips") anchor = anchor.outer;
    return anchor;
  };

  const originOf = (anchor) => {
    if (!anchor) return { left: 0, top: 0 };
    const { left, top } = boxOf(anchor.element);
    if (anchor.kind !== "scrolls") return { left, top };
    const inside = scrolled(anchor.element);
    return { left: left - inside.left, top: top - inside.top };
  };

  const layout = () => {
    const { width, height, seenWidth, seenHeight } = page();
    const found = [width, height, seenWidth, seenHeight];
    look();
    for (let at = 0; at < places.length; at += 1) {
      const { element, anchor } = places[at];
      const box = boxOf(element);
      const { left, top } = originOf(anchor);
      found[found.length] = round(box.left - left);
      found[found.length] = round(box.top - top);
      found[found.length] = round(box.width);
      found[found.length] = round(box.height);
    }
    return found;
  };

  return {
    note: (elements, ground) => {
      places = [];
      for (let at = 0; at < elements.length; at += 1) {
        places[at] = { element: elements[at], anchor: anchorOf(elements[at], ground) };
      }
      noted = layout();
    },
    hasMoved: () => {
      const now = layout();
      for (let at = 0; at < now.length; at += 1) if (now[at] !== noted[at]) return true;
      return now.length !== noted.length;
    },
  };
}
