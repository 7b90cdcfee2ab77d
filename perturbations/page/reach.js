// What can be hit on a page. A hit test takes long on a large page, so that only places are tested which something may
// cover by where it lies; and they are tested all at once, on a page that is drawn as small as the window.
/**
 * @typedef {object} Reach
 * @property {(points: Point[], blocks: any[], ground: Ground) => (Element | null)[]} coverers - For each point: null
 *   where it can be hit when it is scrolled into view, otherwise what is hit instead.
 */
/**
 * @param {Runtime} runtime
 * @param {Boxes} boxes
 * @param {Suspects} places
 * @returns {Reach}
 */
(runtime, boxes, places) => {
  "use strict";
  // Each look into a list that scrolls draws it anew. What is beyond counts as covered, so that nothing is moved there.
  const LOOKS = 200;

  const { method, getter } = runtime.natives;
  const { tagOf } = runtime.view;
  const { boxOf, middleOf, page, above, holds, hostOf, labelsOf } = boxes;
  const { min, max, hypot } = Math;
  const { near: NEAR, aside, suspects, lie } = places;
  const { scrollTo } = window;
  const shadowOf = getter(Element, "shadowRoot");
  const rootOf = method(Node, "getRootNode");
  const atPoint = method(Document, "elementFromPoint");
  const atPointIn = method(ShadowRoot, "elementFromPoint");
  const bringIntoView = method(Element, "scrollIntoView");
  const scrollElement = method(Element, "scrollTo");

  const deepest = (across, down) => {
    let at = atPoint(document, across, down);
    for (let root = at && shadowOf(at); root; root = shadowOf(at)) {
      const inner = atPointIn(root, across, down);
      if (!inner || rootOf(inner) !== root) break;
      at = inner;
    }
    return at;
  };

  // What a press on a label or in a part of a control comes to is the control.
  const isOwn = (at, element, target) => {
    if (holds(element, at) || holds(target, at) || (tagOf(at) === "label" && holds(at, element))) return true;
    // Of what a shadow root shows in a slot, the browser names the host.
    for (let host = hostOf(element); host; host = hostOf(host)) if (host === at) return true;
    if (element !== target) return false;
    const labels = labelsOf(element);
    for (let one = 0; one < labels.length; one += 1) if (holds(labels[one], at)) return true;
    return false;
  };

  // Where a point is tested, in the window.
  const spotsOf = ({ point, towards }, size) => {
    const { across, down, least } = middleOf(point.element);
    const from = aside(point);
    if (point.corner) return [{ across: across + from.across * size, down: down + from.down * size }];
    // What may lie on it must leave a pixel free: the places that are tested lie a little towards it.
    const near = min(NEAR * size, least / 4);
    const spots = [];
    for (let one = 0; one < max(towards.length, 1); one += 1) {
      const way = towards.length ? towards[one] : { across: 0, down: 0 };
      const far = hypot(way.across, way.down);
      const part = near / max(far, near);
      spots[one] = { across: across + way.across * part, down: down + way.down * part };
    }
    return spots;
  };

  const coverer = ({ point, spots }) => {
    const { element, target, corner } = point;
    for (let one = 0; one < spots.length; one += 1) {
      const at = deepest(spots[one].across, spots[one].down);
      // Words may run past their box, over what stands around it; what covers them is something else.
      if (corner) return !at || holds(element, at) || holds(at, element) ? null : at;
      if (!at) return element;
      if (!isOwn(at, element, target)) return at;
    }
    return null;
  };
  const covererNow = (suspect) => coverer({ ...suspect, spots: spotsOf(suspect, 1) });

  // Draws the whole page within the window: everything can be hit without scrolling, of which a page would hear.
  const shrink = () => {
    const { root, width, height, seenWidth, seenHeight, left, top } = page();
    const size = min(1, seenWidth / max(width, 1), seenHeight / max(height, 1));
    const before = boxOf(root).width;
    const draw = (across, down) =>
      runtime.wear(root, {
        scale: `${size}`,
        translate: `${across}px ${down}px`,
        rotate: "none",
        transformOrigin: "0 0",
      });
    let off = draw(left, top);
    const there = page();
    if (there.left !== left || there.top !== top) {
      // What is small may not stay scrolled.
      off();
      off = draw(there.left, there.top);
    }
    const back = () => {
      off();
      const here = page();
      if (here.left !== left || here.top !== top) scrollTo({ left, top, behavior: "instant" });
    };
    return { size: boxOf(root).width / max(before, 1), whole: size, back };
  };

  // Looks at points in lists that scroll. Where nothing has to be scrolled for the next point, nothing is.
  const looking = (ground) => {
    const places = [];
    const known = new Set();
    let looks = 0;
    const put = ({ one, left, top }) => scrollElement(one, { left, top, behavior: "instant" });
    const bring = (element) => {
      const hiding = [];
      for (let one = above(element); one; one = above(one)) {
        const { left, top } = boxes.scrolled(one);
        const place = { one, left, top };
        if (ground.hides(one)) hiding[hiding.length] = place;
        else if (!known.has(one)) places[places.length] = place;
        known.add(one);
      }
      bringIntoView(element, { block: "center", inline: "nearest", behavior: "instant" });
      // Only a script can scroll an element that hides its overflow; a user cannot.
      for (let at = 0; at < hiding.length; at += 1) put(hiding[at]);
    };
    return {
      look: (suspect) => {
        const found = covererNow(suspect);
        if (!found || (looks += 1) > LOOKS) return found;
        bring(suspect.point.element);
        return covererNow(suspect);
      },
      back: () => {
        for (let at = 0; at < places.length; at += 1) put(places[at]);
      },
    };
  };

  // What was found at a point, and how everything around it lay.
  const known = new WeakMap();

  const scrolls = (element, ground) => {
    for (let frame = ground.frameOf(element); frame; frame = frame.outer) if (frame.kind === "scrolls") return true;
    return false;
  };

  const coverers = (points, blocks, ground) => {
    const found = [];
    for (let at = 0; at < points.length; at += 1) found[at] = null;
    const suspected = [];
    const all = suspects(points, blocks, ground);
    for (let one = 0; one < all.length; one += 1) {
      const { at, point, isOut } = all[one];
      const lies = isOut ? "" : lie(all[one]);
      const before = known.get(point);
      if (lies && before && before.lies === lies) found[at] = before.over;
      else suspected[suspected.length] = { ...all[one], lies };
    }
    if (!suspected.length) return found;
    const { size, whole, back } = shrink();
    // A page whose own style sheet is stronger stays as large as it is.
    const isSmall = size < whole * 1.01;
    try {
      for (let one = 0; one < suspected.length; one += 1) {
        const suspect = suspected[one];
        found[suspect.at] = coverer({ ...suspect, spots: spotsOf(suspect, size) });
      }
    } finally {
      back();
    }
    const { look, back: lookBack } = looking(ground);
    for (let one = 0; one < suspected.length; one += 1) {
      const { at, point } = suspected[one];
      if (found[at] && (!isSmall || scrolls(point.element, ground))) found[at] = look(suspected[one]);
    }
    lookBack();
    for (let one = 0; one < suspected.length; one += 1) {
      const { at, point, lies } = suspected[one];
      known.set(point, { lies, over: found[at] });
    }
    return found;
  };

  return { coverers };
}
