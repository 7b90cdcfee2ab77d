// How a block is drawn at its strength, as far as letters, controls and page allow.

/** @import { Box } from "./boxes.js" */
/** @import { Runtime } from "./runtime.js" */

/**
 * How a block is drawn.
 *
 * @typedef {object} Drawing
 * @property {number} origin - Where it is turned and scaled around, from its left side.
 * @property {number} scale
 * @property {number} font - Factor of the font size.
 * @property {number} angle
 * @property {number} across
 * @property {number} down
 * @property {number} skew
 * @property {number} margin
 */

/**
 * What is drawn for a block: scale, rotation in degrees, shift in pixels (across and down), skew in degrees, factor of
 * the font size, extra margin in pixels.
 *
 * @typedef {[number, number, number, number, number, number, number]} Drawn
 */
/**
 * A block as it lies on the page without us, and how it is disturbed.
 *
 * @typedef {object} Lain
 * @property {Element} element
 * @property {string} key
 * @property {Drawn} draw
 * @property {number} strength - From 0 to 1: how much of its draw is left.
 * @property {number} halvings - How often its strength was halved.
 * @property {Box} box - Where it is drawn.
 * @property {Box} ink - Where what it shows is drawn: of a text without ground or border, where its words are.
 * @property {boolean} bare - Whether it is such a text.
 * @property {Box} drawn - Where it is drawn now.
 * @property {Box} now - Where what it shows is drawn now.
 * @property {Box} extent - Where it and what it holds is drawn now.
 * @property {number} angle - Its rotation now, in degrees.
 * @property {number} scale - Its scale now, that of the font included.
 * @property {[number, number, number, number] | null} turn - What turns, scales and slants its box now: the two numbers
 *   for across, then those for down. Null where the page does so too.
 * @property {Record<string, string>} styles - Its computed styles, without us.
 * @property {number} letters - Size of its smallest letters, in pixels.
 * @property {{element: Element, box: Box, font: number}[]} targets - The controls in it.
 * @property {(() => void)[]} worn - What takes its looks off: a new list for new looks.
 * @property {(() => void)[] | null} measured - The looks with which its inside was measured last.
 * @property {{element: Element, cut: number}[]} cuts - What in it cuts off what it holds, and how many pixels of it.
 */
/**
 * @typedef {object} Looks
 * @property {string[]} names - Styles that a look depends on, by their names in style sheets.
 * @property {(target: Element) => number} floorOf - The size that a control keeps, in pixels.
 * @property {(block: Lain, edge: number) => {element: Element, look: Keyframe}[]} looksOf - The looks of a block
 *   and of the controls in it, on a page that is `edge` pixels wide. Notes its angle and scale.
 */
/**
 * @param {Runtime} runtime
 * @param {number} reach - How far a block may be moved, in pixels.
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

  /** @type {(block: Lain, edge: number) => Drawing} */
  const drawnFor = ({ draw, strength, ink, box, letters, targets }, edge) => {
    /** @param {number} value */
    const part = (value) => 1 + (value - 1) * strength;
    // What is wide turns less and from its left end, so that it stays about where its place is.
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

  // In quarters of a pixel: the browser prepares letters for each size, which takes longer than to place them. Upwards,
  // so that no letter is smaller than it may be.
  /** @param {number} font @param {number} factor */
  const sized = (font, factor) => `${factor === 1 ? font : ceil(font * factor * 4 - 0.01) / 4}px`;

  // In the order in which the browser applies them: turned, scaled, slanted.
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
    // What the page itself moves, turns or slants by these is not taken out of its place.
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
      // Fields and buttons do not take over the size of the letters around them.
      const { element: inner, font: size } = targets[i];
      if (inner === element) continue;
      elementLooks[elementLooks.length] = { element: inner, look: { fontSize: sized(size, drawn.font) } };
    }
    return elementLooks;
  };

  const names = ["font-size", "margin-top", "translate", "rotate", "scale", "transform", "display"];
  return { names, floorOf, looksOf };
};
