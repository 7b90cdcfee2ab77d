// Finds points of a page that may be covered or clipped, by positions alone.

/** @import { Box, Boxes } from "./boxes.js" */
/** @import { FittedBlock } from "./looks.js" */

/** @typedef {Pick<Box, "left" | "top" | "right" | "bottom">} Edges */
/**
 * The box of an element that may cover a point, and its block; null for none.
 *
 * @typedef {{box: Edges & {width: number, height: number}, element: Element, block: FittedBlock | null}} Area
 */

/**
 * A point that a user must be able to hit.
 *
 * @typedef {object} Point
 * @property {Element} element - The element to hit at its centre: a control, or its label.
 * @property {Element | null} target - The control; null for a point of text, which must stay visible.
 * @property {FittedBlock | null} block - The block that contains it; null for none.
 * @property {number} corner - -1: towards the top left corner of the block's visible box; 1: towards the bottom right
 *   corner; 0: at the centre.
 */
/**
 * An element that clips or scrolls its contents, or stays in place while the page scrolls.
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
 * @property {(element: Element) => FittedBlock | null} blockOf - The block of or around an element; null for none.
 * @property {(element: Element) => Frame | null} frameIn - The innermost frame around an element, or the element
 *   itself.
 * @property {(element: Element) => boolean} hides - Whether an element clips its overflow.
 * @property {{element: Element, stays: boolean}[]} layers - Elements outside of blocks that may cover others, and
 *   whether they stay in place while the page scrolls.
 */
/**
 * @typedef {object} Suspect
 * @property {number} index - Index of the point.
 * @property {Point} point
 * @property {{area: Area, across: number, down: number}[]} towards - Areas that may cover it, and the directions of
 *   their centres.
 * @property {boolean} isOut - Whether the point lies outside of the document, or is clipped.
 */
/**
 * @typedef {object} Suspects
 * @property {number} near - Distance up to which an element may cover a point, in pixels.
 * @property {(point: Point) => {across: number, down: number}} aside - Offset of a point from the centre of its
 *   element.
 * @property {(points: Point[], blocks: FittedBlock[], ground: Ground) => Suspect[]} suspects - The points to test.
 *   Measure the blocks first.
 * @property {(suspect: Suspect) => string} lie - Description of the layout around a point; equal descriptions have
 *   equal hits.
 */
/**
 * @param {Boxes} boxes
 * @returns {Suspects}
 */
export const makeSuspects = (boxes) => {
  // A hit test is precise to a whole pixel only.
  const NEAR = 1.5;
  const ACROSS = 0.35;
  const DOWN = 0.25;
  const ROW = 200;
  const TALL = 50;
  // Tolerance in pixels, because boxes have fractional positions.
  const SLACK = 0.5;
  // The determinant is smaller for rotations near 45 degrees or scales near one half; the size is not computed then.
  const SMALLEST_SPAN = 0.3;

  const { boxOf, page, holds } = boxes;
  const { abs, max, floor, round: rounded, sin, cos, sqrt, PI } = Math;

  /** @type {Suspects["aside"]} */
  const aside = ({ block, corner }) => {
    if (!corner) return { across: 0, down: 0 };
    const { now, drawn, ink, angle, scale } = /** @type {FittedBlock} */ (block);
    const turn = (angle * PI) / 180;
    const wide = ACROSS * corner * ink.width * scale;
    const high = DOWN * corner * ink.height * scale;
    return {
      across: (now.left + now.right - drawn.left - drawn.right) / 2 + wide * cos(turn) - high * sin(turn),
      down: (now.top + now.bottom - drawn.top - drawn.bottom) / 2 + wide * sin(turn) + high * cos(turn),
    };
  };

  // Whether a position (relative to a block's centre) lies on the rotated block. The bounding box of a wide block that
  // is rotated a little is much larger.
  /** @type {(block: FittedBlock, across: number, down: number) => boolean} */
  const liesOn = ({ turn, drawn, extent }, across, down) => {
    const { width, height } = drawn;
    // The contents may overflow the box; the rotated box of the overflow is not known.
    if (!turn || extent.width > width + SLACK || extent.height > height + SLACK) return true;
    const [acrossX, acrossY, downX, downY] = turn;
    // Computes the size of the box before rotation from that of its bounding box.
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
      /** @param {Box} box @param {Element} element @param {FittedBlock | null} block */
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
      // The areas around a point that count, with the directions of their centres.
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

  /** @param {FittedBlock[]} blocks @param {Ground["layers"]} layers */
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

  // The edges of all contents of a frame, scrolled out of view or not.
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
      // A point in a scrolling list can be scrolled into view.
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
    /** @param {FittedBlock | null} block */
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
