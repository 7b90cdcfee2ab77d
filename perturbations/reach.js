// What can be hit on a page, and where things are seen; in pixels of the document.
() => {
  "use strict";
  const BAND = 0.6;

  const boxOf = (place) => {
    const box = place.getBoundingClientRect();
    const [left, top] = [box.left + scrollX, box.top + scrollY];
    return { left, top, right: left + box.width, bottom: top + box.height, width: box.width, height: box.height };
  };

  // Where a block is seen: a text without ground or border only where its words are.
  const inkOf = ({ element, bare }) => {
    const words = document.createRange();
    words.selectNodeContents(element);
    const ink = boxOf(words);
    return bare && ink.width > 2 ? ink : boxOf(element);
  };

  // Labels for screen readers are one pixel large; no pointer aims at them.
  const isSeen = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 2 && box.height > 2;
  };

  const hides = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return [overflowX, overflowY].some((one) => one === "hidden" || one === "clip");
  };

  // Where a point lies in the window: the middle of its element, or towards a corner of what a block shows.
  const placeOf = ({ element, block, corner }) => {
    if (!corner) {
      const box = element.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    }
    const ink = block.now;
    const turn = (block.angle * Math.PI) / 180;
    const [across, down] = [corner[0] * block.ink.width * block.scale, corner[1] * block.ink.height * block.scale];
    return [
      (ink.left + ink.right) / 2 - scrollX + across * Math.cos(turn) - down * Math.sin(turn),
      (ink.top + ink.bottom) / 2 - scrollY + across * Math.sin(turn) + down * Math.cos(turn),
    ];
  };

  const coverer = (point) => {
    const { element, target, corner } = point;
    const at = document.elementFromPoint(...placeOf(point));
    // Words may run past their box, over what stands around it; what covers them is something else.
    if (corner) return !at || element.contains(at) || at.contains(element) ? null : at;
    if (!at) return element;
    const own = element.contains(at) || target.contains(at) || (at.contains(element) && at.matches("label"));
    return own || (element === target && Array.from(element.labels ?? []).some((one) => one.contains(at))) ? null : at;
  };

  const covererInView = (point) => {
    const above = [];
    for (let one = point.element.parentElement; one; one = one.parentElement) {
      above.push([one, { left: one.scrollLeft, top: one.scrollTop, behavior: "instant" }]);
    }
    point.element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    // Only a script can scroll an element that hides its overflow; a user cannot.
    for (const [one, place] of above) if (hides(one)) one.scrollTo(place);
    const found = coverer(point);
    for (const [one, place] of above) one.scrollTo(place);
    return found;
  };

  // For each point: null where its middle can be hit when scrolled into view, otherwise what is hit instead.
  const coverers = ({ blocks, blockOf, points }) => {
    for (const block of blocks) block.now = inkOf(block);
    const here = [scrollX, scrollY];
    const found = new Array(points.length);
    const middles = points.map(({ element }) => {
      const box = boxOf(element);
      return (box.top + box.bottom) / 2;
    });
    const order = points.map((_, at) => at).sort((one, two) => middles[one] - middles[two] || one - two);
    let start = -Infinity;
    for (const at of order) {
      if (middles[at] > start + BAND * innerHeight) {
        start = middles[at];
        window.scrollTo({ left: 0, top: start - (innerHeight * (1 - BAND)) / 2, behavior: "instant" });
      }
      found[at] = coverer(points[at]);
      // Another block covers it wherever the page is scrolled to; a bar at the edge of the window does not.
      if (found[at] && !points[at].corner && (found[at] === points[at].element || !blockOf(found[at]))) {
        found[at] = covererInView(points[at]);
      }
    }
    window.scrollTo({ left: here[0], top: here[1], behavior: "instant" });
    return found;
  };

  return { boxOf, inkOf, isSeen, hides, coverers };
}
