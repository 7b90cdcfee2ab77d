// The undisturbed page: positions of its blocks, points to hit, and elements that may cover or clip them.

/** @import { Box, Boxes } from "./boxes.js" */
/** @import { Drawn, FittedBlock } from "./looks.js" */
/** @import { Runtime } from "../page/runtime.js" */
/** @import { Ground, Point } from "./suspects.js" */

/** @typedef {{element: Element, key: string, draw: Drawn}} Candidate */
/**
 * Reads a style by its name.
 *
 * @typedef {(name: string) => string} Read
 */

/**
 * @typedef {object} Survey
 * @property {FittedBlock[]} blocks - The visible blocks in the undistorted layout.
 * @property {Point[]} points - The points that must stay hittable.
 * @property {Ground} ground
 */
/**
 * @param {Runtime} runtime
 * @param {Boxes} boxes
 * @param {(element: Element) => number} cutOf - How many pixels of its contents an element clips.
 * @returns {{survey: (candidates: {element: Element, key: string, draw: Drawn}[]) => Survey,
 *   measure: (blocks: FittedBlock[]) => void}} `measure` updates the current positions of blocks.
 */
export const makeSurvey = (runtime, boxes, cutOf) => {
  const TARGETS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role]";
  const STYLES = [
    ...["background-color", "background-image", "font-size", "margin-top", "translate", "rotate", "scale"],
    ...["transform", "display"],
  ];
  const UNCUT = new Set(["img", "input", "select", "textarea"]);
  const SEEN = { visibilityProperty: true };

  const { method, getter } = runtime.natives;
  const { all, bodyOf, tagOf, textOf } = runtime.view;
  const { look, boxOf, wordsOf, isSeen, union, styles, above, labelsOf, page } = boxes;
  const { abs, min } = Math;
  const number = parseFloat;
  const checked = method(Element, "checkVisibility");
  const clientTop = getter(Element, "clientTop");
  const first = getter(Node, "firstChild");
  const next = getter(Node, "nextSibling");

  /** @param {Box} box @param {Box} before */
  const isAlike = (box, before) => abs(box.width - before.width) < 0.01 && abs(box.height - before.height) < 0.01;
  /** @type {(box: Box, across: number, down: number) => Box} */
  const pushed = ({ left, top, right, bottom, width, height }, across, down) => ({
    ...{ left: left + across, right: right + across, top: top + down, bottom: bottom + down, width, height },
  });
  /** @type {(blocks: FittedBlock[]) => void} */
  const measure = (blocks) => {
    look();
    for (let i = 0; i < blocks.length; i += 1) {
      const block = blocks[i];
      const { drawn: before, worn, measured } = block;
      const box = boxOf(block.element);
      block.drawn = box;
      if (before && measured === worn && isAlike(box, before)) {
        // The block only moved, and its contents with it.
        block.now = pushed(block.now, box.left - before.left, box.top - before.top);
        block.extent = pushed(block.extent, box.left - before.left, box.top - before.top);
        continue;
      }
      const words = wordsOf(block.element);
      const isWritten = words.width > 2;
      block.measured = worn;
      block.now = block.bare && isWritten ? words : box;
      block.extent = isWritten ? union(words, box) : box;
    }
  };

  /** @type {(candidate: Candidate) => FittedBlock} */
  const blockOf = ({ element, key, draw }) => {
    const read = styles(element);
    /** @type {Record<string, string>} */
    const named = {};
    for (let i = 0; i < STYLES.length; i += 1) named[STYLES[i]] = read(STYLES[i]);
    const isClear = named["background-color"] === "rgba(0, 0, 0, 0)" && named["background-image"] === "none";
    const block = { element, key, draw, styles: named, bare: isClear && !clientTop(element), targets: [], cuts: [] };
    const drawn = { strength: 1, halvings: 0, angle: 0, scale: 1, turn: null, letters: 1000, worn: [], measured: null };
    // Its position is measured next.
    return /** @type {FittedBlock} */ (/** @type {unknown} */ ({ ...block, ...drawn }));
  };

  /** @param {Candidate[]} candidates */
  const visibleBlocks = (candidates) => {
    const blocks = [];
    for (let i = 0; i < candidates.length; i += 1) {
      const { element } = candidates[i];
      if (isSeen(element) && checked(element, SEEN)) blocks[blocks.length] = blockOf(candidates[i]);
    }
    measure(blocks);
    for (let i = 0; i < blocks.length; i += 1) {
      blocks[i].box = blocks[i].drawn;
      blocks[i].ink = blocks[i].now;
    }
    return blocks;
  };

  /** @param {Element} element @param {string} tag */
  const hasWords = (element, tag) => {
    if (tag === "input") return true;
    for (let node = first(element); node; node = next(node)) if (textOf(node) !== null) return true;
    return false;
  };

  /** @param {string} value @param {string} first @param {string} second */
  const isAny = (value, first, second) => value === first || value === second;
  /** @param {Read} read */
  const isHiding = (read) =>
    read("overflow") !== "visible" &&
    (isAny(read("overflow-x"), "hidden", "clip") || isAny(read("overflow-y"), "hidden", "clip"));
  /** @param {Read} read @param {string} position */
  const frameKind = (read, position) => {
    if (isAny(position, "fixed", "sticky")) return "stays";
    if (read("overflow") === "visible") return null;
    const isScrolled = isAny(read("overflow-x"), "auto", "scroll") || isAny(read("overflow-y"), "auto", "scroll");
    return isScrolled ? "scrolls" : "clips";
  };

  // All elements, outer before inner; the body only if it scrolls itself instead of the window.
  const everything = () => {
    /** @type {Element[]} */
    const everyElement = [];
    const body = bodyOf(document);
    if (body && styles(page().root)("overflow") !== "visible") everyElement[0] = /** @type {Element} */ (body);
    const roots = runtime.roots();
    for (let i = 0; i < roots.length; i += 1) {
      const elements = all(roots[i], "*");
      for (let j = 0; j < elements.length; j += 1) everyElement[everyElement.length] = elements[j];
    }
    return everyElement;
  };

  // One pass over all elements collects the parts of blocks, and the other elements.
  /** @param {FittedBlock[]} blocks */
  const groundOf = (blocks) => {
    const [blockIn, frameIn, frameAround] = [new Map(), new Map(), new Map()];
    const [drawings, anchored, hiding] = [new Set(), new Set(), new Set()];
    const layers = [];
    for (let i = 0; i < blocks.length; i += 1) blockIn.set(blocks[i].element, blocks[i]);

    /**
     * @param {Element} element
     * @param {string} tag
     * @param {Read} read
     * @param {string} position
     * @param {FittedBlock} block
     */
    const inBlock = (element, tag, read, position, block) => {
      if (element !== block.element && isAny(position, "absolute", "fixed") && !anchored.has(above(element))) {
        // An element positioned relative to something outside the block would move, because a transformed block becomes
        // its reference.
        block.strength = 0;
      }
      if (position !== "static" || anchored.has(above(element))) anchored.add(element);
      if (hasWords(element, tag)) block.letters = min(block.letters, number(read("font-size")));
      if (!UNCUT.has(tag) && hiding.has(element) && isSeen(element)) {
        block.cuts[block.cuts.length] = { element, cut: cutOf(element) };
      }
    };

    const elements = everything();
    for (let i = 0; i < elements.length; i += 1) {
      const element = elements[i];
      const tag = tagOf(element);
      const holder = above(element);
      const block = blockIn.get(element) ?? blockIn.get(holder) ?? null;
      const frame = frameIn.get(holder) ?? null;
      blockIn.set(element, block);
      frameAround.set(element, frame);
      if (drawings.has(holder) || tag === "svg") {
        drawings.add(element);
        frameIn.set(element, frame);
        continue;
      }
      const read = styles(element);
      const position = read("position");
      const kind = frameKind(read, position);
      frameIn.set(element, kind ? { element, kind, outer: frame } : frame);
      if (isHiding(read)) hiding.add(element);
      if (block) inBlock(element, tag, read, position, block);
      else if (position !== "static" || read("z-index") !== "auto" || read("transform") !== "none") {
        layers[layers.length] = { element, stays: position === "fixed" };
      }
    }
    return {
      /** @param {Element} element */
      blockOf: (element) => {
        // An element added since then belongs to the block around it.
        for (let outer = /** @type {Element | null} */ (element); outer; outer = above(outer))
          if (blockIn.has(outer)) return blockIn.get(outer);
        return null;
      },
      /** @param {Element} element */
      frameOf: (element) => frameAround.get(element) ?? null,
      /** @param {Element} element */
      frameIn: (element) => frameIn.get(element) ?? null,
      /** @param {Element} element */
      hides: (element) => hiding.has(element),
      layers,
    };
  };

  /** @param {Element} target @param {Ground} ground @param {Point[]} points */
  const addTarget = (target, ground, points) => {
    const block = ground.blockOf(target);
    const read = styles(target);
    if (block) {
      block.targets[block.targets.length] = { element: target, box: boxOf(target), font: number(read("font-size")) };
    }
    const isHit = checked(target, SEEN) && read("pointer-events") !== "none";
    if (isSeen(target) && isHit) points[points.length] = { element: target, target, block, corner: 0 };
    else if (isSeen(target) && block) block.strength = 0;
    const labels = labelsOf(target);
    for (let i = 0; i < labels.length; i += 1) {
      const label = labels[i];
      if (isSeen(label)) points[points.length] = { element: label, target, block: ground.blockOf(label), corner: 0 };
    }
  };

  /** @param {FittedBlock[]} blocks @param {Ground} ground */
  const pointsOn = (blocks, ground) => {
    /** @type {Point[]} */
    const points = [];
    const roots = runtime.roots();
    for (let i = 0; i < roots.length; i += 1) {
      const targets = all(roots[i], TARGETS);
      for (let j = 0; j < targets.length; j += 1) addTarget(targets[j], ground, points);
    }
    for (let i = 0; i < blocks.length; i += 1) {
      const block = blocks[i];
      const { element } = block;
      if (!block.targets.length) points[points.length] = { element, target: element, block, corner: 0 };
      points[points.length] = { element, target: null, block, corner: -1 };
      points[points.length] = { element, target: null, block, corner: 1 };
    }
    return points;
  };

  /** @type {(candidates: Candidate[]) => Survey} */
  const survey = (candidates) => {
    const blocks = visibleBlocks(candidates);
    const ground = groundOf(blocks);
    return { blocks, points: pointsOn(blocks, ground), ground };
  };

  return { survey, measure };
};
