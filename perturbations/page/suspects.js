// Which places of a page something may cover or cut off, by where everything lies.

/** @import { Box, Boxes } from "./boxes.js" */
/** @import { Lain } from "./looks.js" */

/** @typedef {Pick<Box, "left" | "top" | "right" | "bottom">} Edges */
/**
 * Where something lies that may cover a point, with its block; null for none.
 *
 * @typedef {{box: Edges & {width: number, height: number}, element: Element, block: Lain | null}} Area
 */

/**
 * A place that a user must be able to hit.
 *
 * @typedef {object} Point
 * @property {Element} element - The element to hit at its centre: a control, or its label.
 * @property {Element | null} target - The control; null for a place where words are to be seen.
 * @property {any} block - The block that contains it; null for none.
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
 * The elements of the undisturbed page outside of blocks.
 *
 * @typedef {object} Ground
 * @property {(element: Element) => Frame | null} frameOf - The innermost frame around an element.
 * @property {(element: Element) => any} blockOf - The block of an element, or around it; null for none.
 * @property {(element: Element) => Frame | null} frameIn - The innermost frame that an element is or stands in.
 * @property {(element: Element) => boolean} hides - Whether an element cuts off what does not fit into it.
 * @property {{element: Element, stays: boolean}[]} layers - Elements outside of blocks that may lie on others, and
 *   whether they stay in their place while the page is scrolled.
 */
/**
 * @typedef {object} Suspect
 * @property {number} index - Index of the point.
 * @property {Point} point
 * @property {{area: any, across: number, down: number}[]} towards - What may lie on it, and where its middle lies from
 *   there.
 * @property {boolean} isOut - Whether the point lies outside of the document, or of what shows its element.
 */
/**
 * @typedef {object} Suspects
 * @property {number} near - How far off something still counts as lying on a point, in pixels.
 * @property {(point: Point) => {across: number, down: number}} aside - Where a point lies, from the middle of its
 *   element.
 * @property {(points: Point[], blocks: Lain[], ground: Ground) => Suspect[]} suspects - The points that are to be
 *   tested. Where blocks lie now must have been noted.
 * @property {(suspect: Suspect) => string} lie - How everything around a point lies: where that is the same, so is what
 *   is hit.
 */
/**
 * @param {Boxes} boxes
 * @returns {Suspects}
 */
export const makeSuspects = (boxes) => {
  // A pointer is as large as a pixel, and the browser says for whole pixels what is hit.
  const NEAR = 1.5;
  const ACROSS = 0.35;
  const DOWN = 0.25;
  const ROW = 200;
  const TALL = 50;
  // In pixels: the browser places boxes in fractions of one.
  const SLACK = 0.5;
  // A box that is turned by nearly 45 degrees, or shrunk to half, has a smaller determinant. Its size is not computed.
  const SMALLEST_SPAN = 0.3;

  const { boxOf, page, holds } = boxes;
  const { abs, max, floor, round: rounded, sin, cos, sqrt, PI } = Math;

  /** @type {Suspects["aside"]} */
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

  // Whether a place, given from the middle of a block, lies on its box as it is turned: the box around a wide one that
  // is turned by little is much larger.
  /** @type {(block: Lain, across: number, down: number) => boolean} */
  const liesOn = ({ turn, drawn, extent }, across, down) => {
    const { width, height } = drawn;
    // What the block holds may run past its box, where no turned box is known.
    if (!turn || extent.width > width + SLACK || extent.height > height + SLACK) return true;
    const [acrossX, acrossY, downX, downY] = turn;
    // How wide and high the box is before it is turned, from how wide and high it is drawn.
    const [spanXX, spanXY, spanYX, spanYY] = [abs(acrossX), abs(acrossY), abs(downX), abs(downY)];
    const span = spanXX * spanYY - spanXY * spanYX;
    if (span < SMALLEST_SPAN) return true;
    const wide = (width * spanYY - height * spanXY) / span;
    const high = (height * spanXX - width * spanYX) / span;
    const size = acrossX * downY - acrossY * downX;
    const inX = abs(across * downY - down * acrossY) / size;
    const inY = abs(down * acrossX - across * downX) / size;
    const near = (2 * NEAR) / sqrt(size) + SLACK;
    return inX < wide / 2 + near && inY < high / 2 + near;
  };

  // Areas on the page, indexed by their vertical position.
  const areas = () => {
    const rows = new Map();
    /** @type {Area[]} */
    const tall = [];
    return {
      /** @param {Box} box @param {Element} element @param {Lain | null} block */
      add: (box, element, block) => {
        const area = { box, element, block };
        const first = floor((box.top - NEAR) / ROW);
        const last = floor((box.bottom + NEAR) / ROW);
        if (last - first > TALL) tall[tall.length] = area;
        else {
          for (let row = first; row <= last; row += 1) {
            const areasOfRow = rows.get(row);
            if (areasOfRow) areasOfRow[areasOfRow.length] = area;
            else rows.set(row, [area]);
          }
        }
      },
      // The areas around a point that count, with the directions of their centres from it.
      /** @param {number} across @param {number} down @param {(area: Area) => boolean} counts */
      around: (across, down, counts) => {
        /** @type {Suspect["towards"]} */
        const nearby = [];
        /** @param {Area[]} among */
        const look = (among) => {
          for (let i = 0; i < among.length; i += 1) {
            const { left, right, top, bottom } = among[i].box;
            const inside = across > left - NEAR && across < right + NEAR && down > top - NEAR && down < bottom + NEAR;
            if (!inside || !counts(among[i])) continue;
            const area = among[i];
            const towards = { area, across: (left + right) / 2 - across, down: (top + bottom) / 2 - down };
            if (area.block && !liesOn(area.block, -towards.across, -towards.down)) continue;
            nearby[nearby.length] = towards;
          }
        };
        look(tall);
        look(rows.get(floor(down / ROW)) ?? []);
        return nearby;
      },
    };
  };

  /** @param {Lain[]} blocks @param {Ground["layers"]} layers */
  const lying = (blocks, layers) => {
    const lyingAreas = areas();
    for (let i = 0; i < blocks.length; i += 1) lyingAreas.add(blocks[i].extent, blocks[i].element, blocks[i]);
    const { height, seenHeight, top } = page();
    for (let i = 0; i < layers.length; i += 1) {
      const { element, stays } = layers[i];
      const box = boxOf(element);
      lyingAreas.add(box, element, null);
      if (!stays) continue;
      // A bar at an edge of the window covers the end of the page, where no further scrolling is possible.
      lyingAreas.add({ ...box, top: box.top - top, bottom: box.bottom - top }, element, null);
      const end = height - seenHeight - top;
      lyingAreas.add({ ...box, top: box.top + end, bottom: box.bottom + end }, element, null);
    }
    return lyingAreas;
  };

  // Where the inside of a frame lies, whether or not it is scrolled there just now.
  /** @type {(frame: Frame) => Edges} */
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

  /**
   * @param {Element} element
   * @param {number} across
   * @param {number} down
   * @param {Ground} ground
   * @param {Map<Frame, Edges>} known
   */
  const isCut = (element, across, down, ground, known) => {
    for (let frame = ground.frameOf(element); frame; frame = frame.outer) {
      if (frame.kind === "stays") continue;
      if (!known.has(frame)) known.set(frame, insideOf(frame));
      const { left, right, top, bottom } = /** @type {Edges} */ (known.get(frame));
      if (across < left || across > right || down < top || down > bottom) return true;
      // What is in a list that scrolls can be brought to wherever the list is seen.
      if (frame.kind === "scrolls") return false;
    }
    return false;
  };

  // Points that something may cover or clip, by position.
  /** @type {Suspects["suspects"]} */
  const suspects = (points, blocks, ground) => {
    const suspected = [];
    boxes.look();
    const around = lying(blocks, ground.layers);
    const frames = new Map();
    const { width, height } = page();
    for (let i = 0; i < points.length; i += 1) {
      const { element, block, corner } = points[i];
      const box = block && block.element === element ? block.drawn : boxOf(element);
      const from = aside(points[i]);
      const across = (box.left + box.right) / 2 + from.across;
      const down = (box.top + box.bottom) / 2 + from.down;
      /** @param {Area} area */
      const counts = (area) =>
        area.block === null ? !holds(area.element, element) && !holds(element, area.element) : area.block !== block;
      const towards = around.around(across, down, counts);
      const isBeyond = !corner && (across < 0 || down < 0 || across > width || down > height);
      const isOut = isBeyond || isCut(element, across, down, ground, frames);
      if (towards.length || isOut) suspected[suspected.length] = { index: i, point: points[i], towards, isOut };
    }
    return suspected;
  };

  const numbers = new WeakMap();
  let count = 0;
  /** @type {Suspects["lie"]} */
  const lie = ({ point, towards }) => {
    /** @param {Lain | null} block */
    const pose = (block) => (block ? `${block.strength > 0} ${rounded(block.angle * 10)}` : "");
    const from = aside(point);
    let text = `${pose(point.block)} ${rounded(from.across * 10)} ${rounded(from.down * 10)}`;
    for (let i = 0; i < towards.length; i += 1) {
      const { area, across, down } = towards[i];
      const { width, height } = area.box;
      if (!numbers.has(area.element)) numbers.set(area.element, (count += 1));
      text += `|${numbers.get(area.element)} ${pose(area.block)} ${rounded(across * 10)} ${rounded(down * 10)}`;
      text += ` ${rounded(width * 10)} ${rounded(height * 10)}`;
    }
    return text;
  };

  return { near: NEAR, aside, suspects, lie };
};
