// What can be hit on a page. A hit test takes long on a large page, so that only places are tested which something may
// cover by where it lies; and they are tested all at once, on a page that is drawn as small as the window.
/**
 * A place that a user must be able to hit.
 *
 * @typedef {object} Point
 * @property {Element} element - What is to be hit in its middle: a control, or a label that stands for it.
 * @property {Element | null} target - The control; null for a place where words are to be seen.
 * @property {any} block - The block that it stands in; null for none.
 * @property {number} corner - 1 or -1: the place lies towards that corner of what the block shows; 0: in the middle.
 */
/**
 * An element that cuts off, or scrolls, what it holds, or stays in its place while the page is scrolled.
 *
 * @typedef {object} Frame
 * @property {Element} element
 * @property {"clips" | "scrolls" | "stays"} kind
 * @property {Frame | null} outer - The next one around it.
 */
/**
 * What there is on a page as the site made it, apart from what the blocks show.
 *
 * @typedef {object} Ground
 * @property {(element: Element) => Frame | null} frameOf - The innermost frame around an element.
 * @property {(element: Element) => any} blockOf - The block that an element is or stands in; null for none.
 * @property {(element: Element) => Frame | null} frameIn - The innermost frame that an element is or stands in.
 * @property {(element: Element) => boolean} hides - Whether an element cuts off what does not fit into it.
 * @property {{element: Element, stays: boolean}[]} layers - Elements outside of blocks that may lie on others, and
 *   whether they stay in their place while the page is scrolled.
 */
/**
 * @typedef {object} Reach
 * @property {(points: Point[], blocks: any[], ground: Ground) => (Element | null)[]} coverers - For each point: null
 *   where it can be hit when it is scrolled into view, otherwise what is hit instead.
 */
/**
 * @param {Runtime} runtime
 * @param {Boxes} boxes
 * @returns {Reach}
 */
(runtime, boxes) => {
  "use strict";
  // Each look into a list that scrolls draws it anew. What is beyond counts as covered, so that nothing is moved there.
  const LOOKS = 200;
  const ROW = 200;
  const TALL = 50;
  // A pointer is as large as a pixel, and the browser says for whole pixels what is hit.
  const NEAR = 1.5;
  const ACROSS = 0.35;
  const DOWN = 0.25;

  const { method, getter } = runtime.natives;
  const { tagOf } = runtime.view;
  const { boxOf, middleOf, page, above, holds, hostOf, labelsOf } = boxes;
  const { min, max, floor, round: rounded, hypot, sin, cos, PI } = Math;
  const { scrollTo } = window;
  const shadowOf = getter(Element, "shadowRoot");
  const rootOf = method(Node, "getRootNode");
  const atPoint = method(Document, "elementFromPoint");
  const atPointIn = method(ShadowRoot, "elementFromPoint");
  const bringIntoView = method(Element, "scrollIntoView");
  const scrollElement = method(Element, "scrollTo");

  // Where a point lies, from the middle of its element.
  const aside = ({ block, corner }) => {
    if (!corner) return { across: 0, down: 0 };
    const { now, drawn, ink, angle, scale } = block;
    const turn = (angle * PI) / 180;
    const wide = ACROSS * corner * ink.width * scale;
    const high = DOWN * corner * ink.height * scale;
    return {
      across: (now.left + now.right - drawn.left - drawn.right) / 2 + wide * cos(turn) - high * sin(turn),
      down: (now.top + now.bottom - drawn.top - drawn.bottom) / 2 + wide * sin(turn) + high * cos(turn),
    };
  };

  // What lies where, found by its height on the page.
  const areas = () => {
    const rows = new Map();
    const tall = [];
    return {
      add: (box, element, block) => {
        const area = { box, element, block };
        const first = floor((box.top - NEAR) / ROW);
        const last = floor((box.bottom + NEAR) / ROW);
        if (last - first > TALL) tall[tall.length] = area;
        else {
          for (let row = first; row <= last; row += 1) {
            const found = rows.get(row);
            if (found) found[found.length] = area;
            else rows.set(row, [area]);
          }
        }
      },
      // Those areas around a place that count, and where their middles lie from there.
      around: (across, down, counts) => {
        const found = [];
        const look = (among) => {
          for (let at = 0; at < among.length; at += 1) {
            const { left, right, top, bottom } = among[at].box;
            const inside = across > left - NEAR && across < right + NEAR && down > top - NEAR && down < bottom + NEAR;
            if (!inside || !counts(among[at])) continue;
            const area = among[at];
            found[found.length] = { area, across: (left + right) / 2 - across, down: (top + bottom) / 2 - down };
          }
        };
        look(tall);
        look(rows.get(floor(down / ROW)) ?? []);
        return found;
      },
    };
  };

  const lying = (blocks, layers) => {
    const found = areas();
    for (let at = 0; at < blocks.length; at += 1) found.add(blocks[at].extent, blocks[at].element, blocks[at]);
    const { height, seenHeight, top } = page();
    for (let at = 0; at < layers.length; at += 1) {
      const { element, stays } = layers[at];
      const box = boxOf(element);
      found.add(box, element, null);
      if (!stays) continue;
      // A bar at an edge of the window covers what lies there when nobody can scroll any further.
      found.add({ ...box, top: box.top - top, bottom: box.bottom - top }, element, null);
      const end = height - seenHeight - top;
      found.add({ ...box, top: box.top + end, bottom: box.bottom + end }, element, null);
    }
    return found;
  };

  // Where the inside of a frame lies, whether or not it is scrolled there just now.
  const insideOf = ({ element, kind }) => {
    const box = boxOf(element);
    if (kind === "clips") return box;
    const { left, top, width, height } = boxes.scrolled(element);
    return {
      left: box.left - left,
      top: box.top - top,
      right: box.left - left + max(width, box.width),
      bottom: box.top - top + max(height, box.height),
    };
  };

  const isCut = (element, across, down, ground, known) => {
    for (let frame = ground.frameOf(element); frame; frame = frame.outer) {
      if (frame.kind === "stays") continue;
      if (!known.has(frame)) known.set(frame, insideOf(frame));
      const { left, right, top, bottom } = known.get(frame);
      if (across < left || across > right || down < top || down > bottom) return true;
      // What is in a list that scrolls can be brought to wherever the list is seen.
      if (frame.kind === "scrolls") return false;
    }
    return false;
  };

  // Points that something may cover or cut off by where it lies.
  const suspects = (points, blocks, ground) => {
    const found = [];
    boxes.look();
    const around = lying(blocks, ground.layers);
    const frames = new Map();
    const { width, height } = page();
    for (let at = 0; at < points.length; at += 1) {
      const { element, block, corner } = points[at];
      const box = boxOf(element);
      const from = aside(points[at]);
      const across = (box.left + box.right) / 2 + from.across;
      const down = (box.top + box.bottom) / 2 + from.down;
      const counts = (area) =>
        area.block === null ? !holds(area.element, element) && !holds(element, area.element) : area.block !== block;
      const towards = around.around(across, down, counts);
      const isBeyond = !corner && (across < 0 || down < 0 || across > width || down > height);
      const isOut = isBeyond || isCut(element, across, down, ground, frames);
      if (towards.length || isOut) found[found.length] = { at, point: points[at], towards, isOut };
    }
    return found;
  };

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

  const coverer = ({ point, towards }, size) => {
    const { element, target, corner } = point;
    const { across, down, least } = middleOf(element);
    const from = aside(point);
    // Words may run past their box, over what stands around it; what covers them is something else.
    if (corner) {
      const at = deepest(across + from.across * size, down + from.down * size);
      return !at || holds(element, at) || holds(at, element) ? null : at;
    }
    // What may lie on it must leave a pixel free: the places that are tested lie a little towards it.
    const near = min(NEAR * size, least / 4);
    for (let one = 0; one < max(towards.length, 1); one += 1) {
      const way = towards.length ? towards[one] : { across: 0, down: 0 };
      const far = hypot(way.across, way.down);
      const part = near / max(far, near);
      const at = deepest(across + way.across * part, down + way.down * part);
      if (!at) return element;
      if (!isOwn(at, element, target)) return at;
    }
    return null;
  };

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
        const found = coverer(suspect, 1);
        if (!found || (looks += 1) > LOOKS) return found;
        bring(suspect.point.element);
        return coverer(suspect, 1);
      },
      back: () => {
        for (let at = 0; at < places.length; at += 1) put(places[at]);
      },
    };
  };

  // What was found at a point, and how everything around it lay: where that is the same, so is what is hit.
  const known = new WeakMap();
  const numbers = new WeakMap();
  let count = 0;
  const lie = ({ point, towards }) => {
    const said = (block) => (block ? `${block.strength > 0} ${rounded(block.angle * 10)}` : "");
    const from = aside(point);
    let text = `${said(point.block)} ${rounded(from.across * 10)} ${rounded(from.down * 10)}`;
    for (let at = 0; at < towards.length; at += 1) {
      const { area, across, down } = towards[at];
      const { width, height } = area.box;
      if (!numbers.has(area.element)) numbers.set(area.element, (count += 1));
      text += `|${numbers.get(area.element)} ${said(area.block)} ${rounded(across * 10)} ${rounded(down * 10)}`;
      text += ` ${rounded(width * 10)} ${rounded(height * 10)}`;
    }
    return text;
  };

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
    try {
      for (let one = 0; one < suspected.length; one += 1) found[suspected[one].at] = coverer(suspected[one], size);
    } finally {
      back();
    }
    const { look, back: lookBack } = looking(ground);
    // A page whose own style sheet is stronger stays as large as it is.
    const isSmall = size < whole * 1.01;
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
