// Distorts blocks of the page by looks that appear in no markup. After layout, the distortion of a block is reduced
// until every control can be hit at its centre, texts can be read, and nothing leaves the document.

import { makeBlockFinder } from "./blocks.js";
import { makeBoxes } from "./boxes.js";
import { makeCrowding } from "./crowding.js";
import { makeLooks } from "./looks.js";
import { makeReach } from "./reach.js";
import { makeStandstill } from "./standstill.js";
import { makeSurvey } from "./survey.js";
import { makeSuspects } from "./suspects.js";

/** @import { Narrowing, Runtime } from "../page/runtime.js" */
/** @import { Boxes } from "./boxes.js" */
/** @import { Survey } from "./survey.js" */
/** @import { FittedBlock } from "./looks.js" */

/**
 * @typedef {object} ChaosRule
 * @property {string} mode
 * @property {[number, number]} rule - Words of the mode's draws.
 * @property {Narrowing | null} allowed - Injections allowed in a search for a cause, by parameter and block key; null:
 *   all.
 * @property {number} shrink - Largest reduction of a block's size, as a share of it.
 * @property {number} grow - Largest increase of a block's size, as a share of it.
 * @property {number} rotate - Largest rotation to either side, in degrees.
 * @property {number} shift - Largest shift along each axis in either direction, in pixels.
 * @property {number} skew - Largest skew to either side, in degrees.
 * @property {number} smaller - Largest reduction of a font's size, as a share of it.
 * @property {number} larger - Largest increase of a font's size, as a share of it.
 * @property {number} margin - Largest extra margin above a block, in pixels.
 * @property {Record<string, number> | null} strengths - Strength of each block's distortion in an earlier episode, by
 *   the block's key; null: fit it here.
 * @property {boolean} tells - Whether to report the strength of each block's distortion.
 */

/**
 * The latest measurements of the page.
 *
 * @typedef {Survey & {page: ReturnType<Boxes["page"]>, elements: Set<Element>}} Fit
 */

/**
 * @param {Runtime} runtime
 * @param {ChaosRule} settings
 */
export const startChaos = (runtime, settings) => {
  // Bounds of the work: blocks after the first `MOST` stay undistorted, and a page with many blocks gets fewer rounds.
  const MOST = 1200;
  const ROUNDS = 40;
  const ROUNDS_TIMES_BLOCKS = 12000;
  const PATIENT = 0.3;
  const HALVINGS = 4;
  const DELAY_MS = 100;
  const PARAMETERS = ["scale", "rotate", "shift", "shift", "skew", "font", "margin"];
  const NEUTRAL = [1, 0, 0, 0, 0, 1, 0];

  const { shrink, grow, rotate, shift, skew, smaller, larger, margin } = settings;
  if (!(shrink || grow || rotate || shift || skew || smaller || larger || margin)) return;

  const { method, getter } = runtime.natives;
  const { create, hasOwn } = Object;
  const { abs, floor, max, min } = Math;
  const wait = setTimeout;
  const { queueMicrotask, scrollTo } = window;
  const stateOf = getter(Document, "readyState");
  const find = [method(Document, "querySelector"), method(DocumentFragment, "querySelector")];

  const blocksOf = makeBlockFinder(runtime);
  const boxes = makeBoxes(runtime);
  const looks = makeLooks(runtime, shift);
  const { cutOf, crowding } = makeCrowding(runtime, boxes, looks);
  const { coverers } = makeReach(runtime, boxes, makeSuspects(boxes));
  const { survey, measure } = makeSurvey(runtime, boxes, cutOf);
  const { note, hasMoved } = makeStandstill(boxes);
  const { styles, page } = boxes;
  const { bodyOf } = runtime.view;

  const draws = new Map();
  const reported = new Set();
  // Null before the page is measured; functions that draw or weaken blocks run only after that.
  /** @type {Fit} */
  let fitted = /** @type {Fit} */ (/** @type {unknown} */ (null));
  let waiting = false;
  let stale = false;
  let timing = false;
  let untold = false;

  // The draws are the same at every severity; a severity only scales them.
  /** @param {string} key */
  const drawn = (key) => {
    /** @param {number} lane */
    const unit = (lane) => runtime.draw(settings.rule, key, 0, lane);
    /** @param {number} lane */
    const either = (lane) => 2 * unit(lane) - 1;
    const all = [
      1 - shrink + unit(0) * (shrink + grow),
      either(1) * rotate,
      either(2) * shift,
      either(3) * shift,
      either(4) * skew,
      1 - smaller + unit(5) * (smaller + larger),
      unit(6) * margin,
    ];
    let acts = false;
    for (let i = 0; i < all.length; i += 1) {
      if (runtime.lets(settings.allowed, `${PARAMETERS[i]} ${key}`, 0)) acts = true;
      else all[i] = NEUTRAL[i];
    }
    return acts ? all : null;
  };

  const blocksHere = () => {
    const allBlocks = blocksOf();
    const here = [];
    for (let i = 0; i < allBlocks.length && here.length < MOST; i += 1) {
      const { element, key } = allBlocks[i];
      if (!draws.has(key)) draws.set(key, drawn(key));
      const draw = draws.get(key);
      if (draw) here[here.length] = { element, key, draw };
    }
    return here;
  };

  /** @param {FittedBlock} block */
  const takeOff = (block) => {
    const { worn } = block;
    for (let i = 0; i < worn.length; i += 1) worn[i]();
    block.worn = [];
  };
  const takeAllOff = () => {
    for (let i = 0; fitted && i < fitted.blocks.length; i += 1) takeOff(fitted.blocks[i]);
    fitted = /** @type {Fit} */ (/** @type {unknown} */ (null));
    untold = false;
  };

  /** @param {FittedBlock[]} blocks */
  const draw = (blocks) => {
    for (let i = 0; i < blocks.length; i += 1) {
      const block = blocks[i];
      const blockLooks = looks.looksOf(block, fitted.page.seenWidth);
      takeOff(block);
      for (let j = 0; j < blockLooks.length; j += 1) {
        block.worn[j] = runtime.wear(blockLooks[j].element, blockLooks[j].look);
      }
    }
    measure(fitted.blocks);
  };

  // The blocks to weaken so that every point is as hittable as before.
  const covering = () => {
    const { blocks, points, ground } = fitted;
    const blocking = [];
    let nameless = page().width > fitted.page.width + 2;
    const over = coverers(points, blocks, ground);
    for (let i = 0; i < points.length; i += 1) {
      const cover = over[i];
      if (!cover) continue;
      const block = points[i].block;
      const coverer = ground.blockOf(cover);
      if (block) blocking[blocking.length] = block;
      if (coverer) blocking[blocking.length] = coverer;
      nameless ||= !block && !coverer;
    }
    return blocking.length || !nameless ? blocking : blocks;
  };

  /** @param {FittedBlock[]} blocks */
  const acting = (blocks) => {
    const seen = new Set();
    const all = [];
    for (let i = 0; i < blocks.length; i += 1) {
      if (!blocks[i].strength || seen.has(blocks[i])) continue;
      seen.add(blocks[i]);
      all[all.length] = blocks[i];
    }
    return all;
  };

  const failing = () => {
    const crowded = acting(crowding(fitted.blocks, fitted.page.seenWidth));
    if (crowded.length) return crowded;
    // Hit tests are slow, so they come last, when the boxes alone show no fault.
    return acting(covering());
  };

  /** @param {FittedBlock[]} blocks @param {boolean} tries */
  const weaken = (blocks, tries) => {
    for (let i = 0; i < blocks.length; i += 1) {
      const block = blocks[i];
      block.halvings += 1;
      // Halving keeps as much of the distortion as possible. A block that still fails gets none, so that the rounds
      // end.
      block.strength = tries || block.halvings > HALVINGS ? 0 : block.strength / 2;
    }
  };

  const fitRounds = () => {
    const { blocks } = fitted;
    const rounds = max(8, min(ROUNDS, floor(ROUNDS_TIMES_BLOCKS / max(blocks.length, 1))));
    draw(acting(blocks));
    for (let round = 0; round < rounds; round += 1) {
      const gone = round === rounds - 1 ? acting(blocks) : failing();
      if (!gone.length) return;
      weaken(gone, round > rounds * PATIENT || round === rounds - 1);
      draw(gone);
    }
  };

  // Ignore points that cannot be hit on the undisturbed page: we could not tell later whether we covered them.
  const leaveCovered = () => {
    const { blocks, points, ground } = fitted;
    const over = coverers(points, blocks, ground);
    const open = [];
    for (let i = 0; i < points.length; i += 1) {
      const { element, target, block } = points[i];
      if (!over[i]) open[open.length] = points[i];
      else if (block && element === target) block.strength = 0;
    }
    fitted.points = open;
  };

  /** @param {Record<string, number>} strengths */
  const replay = (strengths) => {
    const { blocks } = fitted;
    for (let i = 0; i < blocks.length; i += 1) {
      blocks[i].strength = hasOwn(strengths, blocks[i].key) ? strengths[blocks[i].key] : 0;
    }
    draw(acting(blocks));
  };

  /** @type {(block: FittedBlock) => boolean} */
  const isOtherwise = ({ element, styles: before, box, drawn: now }) => {
    const read = styles(element);
    let hasOtherStyle = false;
    for (let i = 0; i < looks.names.length; i += 1) {
      hasOtherStyle ||= read(looks.names[i]) !== before[looks.names[i]];
    }
    /** @type {("left" | "top" | "right" | "bottom")[]} */
    const sides = ["left", "top", "right", "bottom"];
    let moves = read("font-size") !== before["font-size"];
    for (let i = 0; i < sides.length; i += 1) moves ||= abs(now[sides[i]] - box[sides[i]]) > 0.5;
    // Its own style must have changed, too: a block that others push aside is not distorted itself.
    return hasOtherStyle && moves;
  };

  // A modal dialog covers all other elements, so the page is fitted after it is closed.
  const isBlocked = () => {
    const roots = runtime.roots();
    for (let i = 0; i < roots.length; i += 1) if (find[i ? 1 : 0](roots[i], ":modal")) return true;
    return false;
  };

  const hasNew = () => {
    const blocksNow = blocksHere();
    for (let i = 0; i < blocksNow.length; i += 1) if (!fitted.elements.has(blocksNow[i].element)) return true;
    return false;
  };

  const fitAnew = () => {
    // Measure without our looks, to get the limits and positions of the site's own page.
    takeAllOff();
    const blocksNow = blocksHere();
    fitted = { ...survey(blocksNow), page: page(), elements: new Set() };
    leaveCovered();
    if (settings.strengths) replay(settings.strengths);
    else fitRounds();
    const { points, ground } = fitted;
    const elements = [];
    // Includes invisible blocks, which are distorted once they are shown.
    for (let i = 0; i < blocksNow.length; i += 1) {
      fitted.elements.add(blocksNow[i].element);
      elements[elements.length] = blocksNow[i].element;
    }
    for (let i = 0; i < points.length; i += 1) {
      if (!points[i].corner) elements[elements.length] = points[i].element;
    }
    note(elements, ground);
  };

  const tell = () => {
    untold = false;
    const { blocks } = fitted;
    // No prototype, because the page may have added a `toJSON` to it.
    const strengths = create(null);
    let moved = 0;
    for (let i = 0; i < blocks.length; i += 1) {
      const block = blocks[i];
      strengths[block.key] = block.strength;
      if (!block.strength || reported.has(block.key) || !isOtherwise(block)) continue;
      reported.add(block.key);
      moved += 1;
    }
    if (settings.tells) runtime.report(settings.mode, runtime.page, "fitted", strengths);
    if (moved) runtime.report(settings.mode, runtime.page, "moved", moved);
  };

  // Undoes the browser's scroll anchoring, which treats our looks as a change of the page.
  /** @type {(place: {left: number, top: number}) => void} */
  const stay = ({ left, top }) => {
    const now = page();
    if (now.left !== left || now.top !== top) scrollTo({ left, top, behavior: "instant" });
  };

  const fit = () => {
    waiting = isBlocked();
    if (waiting) return;
    const here = page();
    try {
      fitAnew();
      stay(here);
      untold = true;
      if (runtime.watched) tell();
    } catch (error) {
      // Half of the looks could hide controls, so take all of them off.
      takeAllOff();
      throw error;
    }
  };

  const flush = () => {
    if (!bodyOf(document)) return;
    if (waiting || !fitted || (stale && hasNew()) || hasMoved()) fit();
    stale = false;
  };

  // Report only at a read: no read has seen how the page looked before its style sheets or data had loaded.
  const count = () => {
    if (untold) tell();
  };

  const later = () => {
    stale = true;
    if (timing) return;
    timing = true;
    wait(
      runtime.guarded(() => {
        timing = false;
        // The parser is still running; DOMContentLoaded comes when it is done.
        if (stale && stateOf(document) !== "loading") flush();
      }),
      DELAY_MS,
    );
  };

  const attend = runtime.guarded(() => {
    runtime.listen(["DOMContentLoaded", "load"], flush);
    runtime.listen(["close"], () => waiting && flush());
    runtime.onRead(flush);
    runtime.onCount(count);
    runtime.onAnyDrawn(later);
  });
  // Attends after all modes have started, so that it also fits the nodes that they add.
  queueMicrotask(() => attend(null));
};
