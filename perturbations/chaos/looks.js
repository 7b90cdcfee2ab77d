// The look of a block at its strength, limited by the sizes of letters, controls and page.

/** @import { Box } from "./boxes.js" */
/** @import { Runtime } from "../page/runtime.js" */

/**
 * The limited distortion of a block.
 *
 * @typedef {object} Drawing
 * @property {number} origin - Centre of rotation and scaling, from its left side.
 * @property {number} scale
 * @property {number} font - Factor of the font size.
 * @property {number} angle
 * @property {number} across
 * @property {number} down
 * @property {number} skew
 * @property {number} margin
 */

/**
 * The draw for a block: scale, rotation in degrees, horizontal and vertical shift in pixels, skew in degrees, font size
 * factor, extra margin in pixels.
 *
 * @typedef {[number, number, number, number, number, number, number]} Drawn
 */
/**
 * A block as the undistorted page lays it out, and its distortion.
 *
 * @typedef {object} FittedBlock
 * @property {Element} element
 * @property {string} key
 * @property {Drawn} draw
 * @property {number} strength - Share of its draw that is applied, from 0 to 1.
 * @property {number} halvings - How often its strength was halved.
 * @property {Box} box - Its undistorted box.
 * @property {Box} ink - Its undistorted visible box: for a text without background or border, the box of its words.
 * @property {boolean} bare - Whether it is such a text.
 * @property {Box} drawn - Its current box.
 * @property {Box} now - Its current visible box.
 * @property {Box} extent - The current box around it and its contents.
 * @property {number} angle - Its current rotation, in degrees.
 * @property {number} scale - Its current scale, that of the font included.
 * @property {[number, number, number, number] | null} turn - The matrix that currently rotates, scales and skews its
 *   box, row by row; null if the page transforms it, too.
 * @property {Record<string, string>} styles - Its undistorted computed styles.
 * @property {number} letters - Size of its smallest letters, in pixels.
 * @property {{element: Element, box: Box, font: number}[]} targets - The controls in it.
 * @property {(() => void)[]} worn - Functions that remove its looks; a new list for each new look.
 * @property {(() => void)[] | null} measured - `worn` when its contents were last measured.
 * @property {{element: Element, cut: number}[]} cuts - Elements in it that clip their contents, and by how many pixels.
 */
/**
 * @typedef {object} Looks
 * @property {string[]} names - CSS names of the styles that a look depends on.
 * @property {(target: Element) => number} floorOf - Smallest size of a control, in pixels.
 * @property {(block: FittedBlock, edge: number) => {element: Element, look: Keyframe}[]} looksOf - The looks of a block
 *   and the controls in it, on a page that is `edge` pixels wide. Sets the block's angle, scale and turn.
 */
/**
 * @param {Runtime} runtime
 * @param {number} reach - Largest shift of a block, in pixels.
 * @returns {Looks}
 */
export const makeLooks = (runtime, reach) => {
  const FLOORS = { button: 28, input: 24, font: 9 };
  const FIELDS = new Set(["input", "select", "textarea"]);
  const WIDE = 360;

  const { tagOf } = runtime.view;
  const { min, max, asin, ceil, sin, cos, tan, PI } = Math;
  const number = parseFloat;

  /** @type {Looks["floorOf"]} */
  const floorOf = (target) => (FIELDS.has(tagOf(target)) ? FLOORS.input : FLOORS.button);
  /** @param {number} value @param {number} floor */
  const limited = (value, floor) => max(value, min(1, floor));

  /** @type {(block: FittedBlock, edge: number) => Drawing} */
  const drawnFor = ({ draw, strength, ink, box, letters, targets }, edge) => {
    /** @param {number} value */
    const part = (value) => 1 + (value - 1) * strength;
    // Wide blocks rotate less, and around their left end, so that they stay near their place.
    const wide = ink.width > WIDE;
    const middle = wide ? ink.left : ink.left + ink.width / 2;
    let floor = FLOORS.font / letters;
    for (let i = 0; i < targets.length; i += 1) {
      const target = targets[i];
      floor = max(floor, floorOf(target.element) / min(target.box.width, target.box.height));
    }
    const room = max(1, (edge - middle) / max(box.right - middle, 1));
    const scale = min(limited(part(draw[0]), floor), room);
    const left = middle - (middle - ink.left) * scale;
    const right = middle + (box.right - middle) * scale;
    const rise = min(1, (reach * strength) / (ink.width * scale * (wide ? 1 : 0.5)));
    const most = (asin(rise) * 180) / PI;
    return {
      origin: middle - box.left,
      scale,
      font: limited(part(draw[5]), FLOORS.font / (letters * scale)),
      angle: max(-most, min(most, draw[1] * strength)),
      across: max(-max(left, 0), min(draw[2] * strength, max(edge - right, 0))),
      down: max(draw[3] * strength, -max(ink.top, 0)),
      skew: draw[4] * strength,
      margin: draw[6] * strength,
    };
  };

  // Rounds to quarters of a pixel, because the browser renders the letters of each size anew, which is slow. Rounds up,
  // so that no letter is too small.
  /** @param {number} font @param {number} factor */
  const sized = (font, factor) => `${factor === 1 ? font : ceil(font * factor * 4 - 0.01) / 4}px`;

  // In the order in which the browser applies them: rotation, scale, skew.
  /** @type {(drawing: Drawing) => [number, number, number, number]} */
  const turnOf = ({ angle, scale, skew }) => {
    const [turned, slant] = [(angle * PI) / 180, tan((skew * PI) / 180)];
    const [across, down] = [scale * cos(turned), scale * sin(turned)];
    return [across, across * slant - down, down, down * slant + across];
  };

  /** @type {Looks["looksOf"]} */
  const looksOf = (block, edge) => {
    if (!block.strength) {
      block.angle = 0;
      block.scale = 1;
      block.turn = [1, 0, 0, 1];
      return [];
    }
    const drawn = drawnFor(block, edge);
    const { styles, element, targets } = block;
    const font = number(styles["font-size"]);
    block.angle = drawn.angle;
    block.scale = drawn.scale * drawn.font;
    const { translate, rotate, scale, transform } = styles;
    block.turn =
      rotate === "none" && scale === "none" && transform === "none" && translate === "none" ? turnOf(drawn) : null;
    /** @type {Keyframe} */
    const look = {
      fontSize: sized(font, drawn.font),
      marginTop: `${(number(styles["margin-top"]) || 0) + drawn.margin}px`,
    };
    // Properties that the page uses itself are left alone.
    if (styles.translate === "none") look.translate = `${drawn.across}px ${drawn.down}px`;
    if (styles.rotate === "none") look.rotate = `${drawn.angle}deg`;
    if (styles.scale === "none") look.scale = `${drawn.scale}`;
    if (styles.transform === "none") {
      look.transform = `skewX(${drawn.skew}deg)`;
      look.transformOrigin = `${drawn.origin}px 50%`;
    }
    if (styles.display === "inline") look.display = "inline-block";
    const elementLooks = [{ element, look }];
    for (let i = 0; i < targets.length; i += 1) {
      // Fields and buttons do not inherit the font size.
      const { element: inner, font: size } = targets[i];
      if (inner === element) continue;
      elementLooks[elementLooks.length] = { element: inner, look: { fontSize: sized(size, drawn.font) } };
    }
    return elementLooks;
  };

  const names = ["font-size", "margin-top", "translate", "rotate", "scale", "transform", "display"];
  return { names, floorOf, looksOf };
};
