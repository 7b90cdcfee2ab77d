// Finds the points of a page that are covered. Hit tests are slow on a large page, so only points near other elements
// are tested, all at once, on the page scaled down to the window.

/** @import { Boxes } from "./boxes.js" */
/** @import { FittedBlock } from "./looks.js" */
/** @import { Runtime } from "../page/runtime.js" */
/** @import { Ground, Point, Suspect, Suspects } from "./suspects.js" */

/** @typedef {{across: number, down: number}} Spot */

/**
 * @typedef {object} Reach
 * @property {(points: Point[], blocks: FittedBlock[], ground: Ground) => (Element | null)[]} coverers - For each point:
 *   null if it can be hit when it is scrolled into view, otherwise the element that is hit instead.
 */
/**
 * @param {Runtime} runtime
 * @param {Boxes} boxes
 * @param {Suspects} places
 * @returns {Reach}
 */
export const makeReach = (runtime, boxes, places) => {
  // Limit of scrolls in scrolling lists, which are slow. Points beyond it count as covered, so their blocks are not
  // distorted.
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

  /** @param {number} across @param {number} down */
  const deepest = (across, down) => {
    let topmost = atPoint(document, across, down);
    for (let root = topmost && shadowOf(topmost); root; root = shadowOf(topmost)) {
      const inner = atPointIn(root, across, down);
      if (!inner || rootOf(inner) !== root) break;
      topmost = inner;
    }
    return topmost;
  };

  // A press on a label, or on a part of a control, goes to the control.
  /** @param {Element} hit @param {Element} element @param {Element | null} target */
  const isOwn = (hit, element, target) => {
    if (holds(element, hit) || holds(target, hit) || (tagOf(hit) === "label" && holds(hit, element))) return true;
    // For slotted elements, the browser returns the host.
    for (let host = hostOf(element); host; host = hostOf(host)) if (host === hit) return true;
    if (element !== target) return false;
    const labels = labelsOf(element);
    for (let i = 0; i < labels.length; i += 1) if (holds(labels[i], hit)) return true;
    return false;
  };

  // The positions in the window at which a point is tested.
  /** @type {(suspect: Suspect, size: number) => Spot[]} */
  const spotsOf = ({ point, towards }, size) => {
    const { across, down, least } = middleOf(point.element);
    const from = aside(point);
    if (point.corner) return [{ across: across + from.across * size, down: down + from.down * size }];
    // Test positions a little towards each nearby element, which may touch the point.
    const near = min(NEAR * size, least / 4);
    const spots = [];
    for (let i = 0; i < max(towards.length, 1); i += 1) {
      const way = towards.length ? towards[i] : { across: 0, down: 0 };
      const far = hypot(way.across, way.down);
      const part = near / max(far, near);
      spots[i] = { across: across + way.across * part, down: down + way.down * part };
    }
    return spots;
  };

  /** @type {(suspect: {point: Point, spots: Spot[]}) => Element | null} */
  const coverer = ({ point, spots }) => {
    const { element, target, corner } = point;
    for (let i = 0; i < spots.length; i += 1) {
      const hit = deepest(spots[i].across, spots[i].down);
      // Text may overflow onto its neighbours, so they do not count as covering it.
      if (corner) return !hit || holds(element, hit) || holds(hit, element) ? null : hit;
      if (!hit) return element;
      if (!isOwn(hit, element, target)) return hit;
    }
    return null;
  };
  /** @param {Suspect} suspect */
  const covererNow = (suspect) => coverer({ ...suspect, spots: spotsOf(suspect, 1) });

  // Scales the whole page down into the window, so that every point can be tested without scrolling.
  const shrink = () => {
    const { root, width, height, seenWidth, seenHeight, left, top } = page();
    const size = min(1, seenWidth / max(width, 1), seenHeight / max(height, 1));
    const before = boxOf(root).width;
    /** @param {number} across @param {number} down */
    const draw = (across, down) =>
      runtime.wear(root, {
        scale: `${size}`,
        translate: `${across}px ${down}px`,
        rotate: "none",
        transformOrigin: "0 0",
      });
    let off = draw(left, top);
    const shrunk = page();
    if (shrunk.left !== left || shrunk.top !== top) {
      // A small page may lose its scroll position.
      off();
      off = draw(shrunk.left, shrunk.top);
    }
    const back = () => {
      off();
      const restored = page();
      if (restored.left !== left || restored.top !== top) scrollTo({ left, top, behavior: "instant" });
    };
    return { size: boxOf(root).width / max(before, 1), whole: size, back };
  };

  // Tests points in scrolling lists, and scrolls only if a point needs it.
  /** @param {Ground} ground */
  const looking = (ground) => {
    /** @type {{scroller: Element, left: number, top: number}[]} */
    const places = [];
    const known = new Set();
    let looks = 0;
    /** @type {(place: {scroller: Element, left: number, top: number}) => void} */
    const scrollBack = ({ scroller, left, top }) => scrollElement(scroller, { left, top, behavior: "instant" });
    /** @param {Element} element */
    const bring = (element) => {
      const hiding = [];
      for (let scroller = above(element); scroller; scroller = above(scroller)) {
        const { left, top } = boxes.scrolled(scroller);
        const place = { scroller, left, top };
        if (ground.hides(scroller)) hiding[hiding.length] = place;
        else if (!known.has(scroller)) places[places.length] = place;
        known.add(scroller);
      }
      bringIntoView(element, { block: "center", inline: "nearest", behavior: "instant" });
      // A user cannot scroll an element that hides its overflow.
      for (let i = 0; i < hiding.length; i += 1) scrollBack(hiding[i]);
    };
    return {
      /** @param {Suspect} suspect */
      look: (suspect) => {
        const covering = covererNow(suspect);
        if (!covering || (looks += 1) > LOOKS) return covering;
        bring(suspect.point.element);
        return covererNow(suspect);
      },
      back: () => {
        for (let i = 0; i < places.length; i += 1) scrollBack(places[i]);
      },
    };
  };

  // The last cover of each point, with the layout around it.
  const known = new WeakMap();

  /** @param {Element} element @param {Ground} ground */
  const scrolls = (element, ground) => {
    for (let frame = ground.frameOf(element); frame; frame = frame.outer) if (frame.kind === "scrolls") return true;
    return false;
  };

  /** @type {Reach["coverers"]} */
  const coverers = (points, blocks, ground) => {
    const over = [];
    for (let i = 0; i < points.length; i += 1) over[i] = null;
    const suspected = [];
    const all = suspects(points, blocks, ground);
    for (let i = 0; i < all.length; i += 1) {
      const { index, point, isOut } = all[i];
      const lies = isOut ? "" : lie(all[i]);
      const before = known.get(point);
      if (lies && before && before.lies === lies) over[index] = before.over;
      else suspected[suspected.length] = { ...all[i], lies };
    }
    if (!suspected.length) return over;
    const { size, whole, back } = shrink();
    // If the page's own style sheet wins over ours, the page keeps its size.
    const isSmall = size < whole * 1.01;
    try {
      for (let i = 0; i < suspected.length; i += 1) {
        const suspect = suspected[i];
        over[suspect.index] = coverer({ ...suspect, spots: spotsOf(suspect, size) });
      }
    } finally {
      back();
    }
    const { look, back: lookBack } = looking(ground);
    for (let i = 0; i < suspected.length; i += 1) {
      const { index, point } = suspected[i];
      if (over[index] && (!isSmall || scrolls(point.element, ground))) over[index] = look(suspected[i]);
    }
    lookBack();
    for (let i = 0; i < suspected.length; i += 1) {
      const { index, point, lies } = suspected[i];
      known.set(point, { lies, over: over[index] });
    }
    return over;
  };

  return { coverers };
};
