// Positions and styles of elements, read by the browser's own functions, saved before any script of the page ran.

/** @import { Runtime } from "../page/runtime.js" */

/**
 * A rectangle in document pixels.
 *
 * @typedef {object} Box
 * @property {number} left
 * @property {number} top
 * @property {number} right
 * @property {number} bottom
 * @property {number} width
 * @property {number} height
 */
/**
 * @typedef {object} Boxes
 * @property {() => void} look - Notes the scroll position of the page. Call it before reading boxes.
 * @property {(element: Element) => Box} boxOf - The box of an element.
 * @property {(element: Element) => Box} wordsOf - The box around an element's contents.
 * @property {(element: Element) => {across: number, down: number, least: number}} middleOf - The centre of an element
 *   in the window, and the smaller of its width and height.
 * @property {(element: Element) => boolean} isSeen - Whether an element is large enough to be seen.
 * @property {(first: Box, second: Box) => Box} union - The box around two boxes.
 * @property {(element: Element) => (name: string) => string} styles - The computed styles of an element, by CSS name.
 * @property {(element: Element) => {left: number, top: number, width: number, height: number, seenWidth: number,
 *   seenHeight: number}} scrolled - How far an element's contents are scrolled, their size, and their visible size.
 * @property {() => {width: number, height: number, seenWidth: number, seenHeight: number, left: number, top: number,
 *   root: Element}} page - The same for the document.
 * @property {(element: Element) => Element | null} above - The parent of an element, or the host of its shadow root.
 * @property {(outer: Element | null, inner: Element) => boolean} holds - Whether `outer` is or contains `inner`, also
 *   across shadow roots.
 * @property {(element: Element) => Element | null} hostOf - The host of the shadow root that contains an element.
 * @property {(element: Element) => ArrayLike<Element>} labelsOf - The labels of a form field.
 */
/**
 * @param {Runtime} runtime
 * @returns {Boxes}
 */
export const makeBoxes = (runtime) => {
  const { method, getter } = runtime.natives;
  const { tagOf } = runtime.view;
  const { min, max } = Math;
  const { getComputedStyle } = window;
  /** @param {string} name */
  const ofWindow = (name) => getter({ prototype: window }, name);
  /** @param {string} name */
  const ofElement = (name) => getter(Element, name);
  const [leftOfWindow, topOfWindow, heightOfWindow] = ["scrollX", "scrollY", "innerHeight"].map(ofWindow);
  const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => getter(DOMRectReadOnly, name));
  const [scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight] = [
    ...["scrollLeft", "scrollTop", "scrollWidth", "scrollHeight", "clientWidth", "clientHeight"],
  ].map(ofElement);
  const rectOf = method(Element, "getBoundingClientRect");
  const rectIn = method(Range, "getBoundingClientRect");
  const select = method(Range, "selectNodeContents");
  const value = method(CSSStyleDeclaration, "getPropertyValue");
  const contains = method(Node, "contains");
  const rootOf = method(Node, "getRootNode");
  const typeOf = getter(Node, "nodeType");
  const parent = getter(Node, "parentElement");
  const hostIn = getter(ShadowRoot, "host");
  const whole = getter(Document, "documentElement");
  const labels = new Map(
    [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLButtonElement].map((type, i) => [
      ["input", "select", "textarea", "button"][i],
      getter(type, "labels"),
    ]),
  );
  const words = new Range();

  // Read once for many boxes: at each read, the browser checks whether it must lay the page out.
  let [scrolledLeft, scrolledTop] = [0, 0];
  const look = () => {
    scrolledLeft = leftOfWindow(window);
    scrolledTop = topOfWindow(window);
  };
  /** @param {DOMRect} rect */
  const boxed = (rect) => {
    const left = x(rect) + scrolledLeft;
    const top = y(rect) + scrolledTop;
    const wide = width(rect);
    const high = height(rect);
    return { left, top, right: left + wide, bottom: top + high, width: wide, height: high };
  };
  /** @type {Boxes["boxOf"]} */
  const boxOf = (element) => boxed(rectOf(element));
  /** @type {Boxes["wordsOf"]} */
  const wordsOf = (element) => {
    select(words, element);
    return boxed(rectIn(words));
  };
  /** @type {Boxes["middleOf"]} */
  const middleOf = (element) => {
    const rect = rectOf(element);
    const wide = width(rect);
    const high = height(rect);
    return { across: x(rect) + wide / 2, down: y(rect) + high / 2, least: min(wide, high) };
  };
  // Labels for screen readers are one pixel large, and no pointer aims at them.
  /** @type {Boxes["isSeen"]} */
  const isSeen = (element) => {
    const rect = rectOf(element);
    return width(rect) > 2 && height(rect) > 2;
  };
  /** @type {Boxes["union"]} */
  const union = (first, second) => {
    const left = min(first.left, second.left);
    const top = min(first.top, second.top);
    const right = max(first.right, second.right);
    const bottom = max(first.bottom, second.bottom);
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };

  /** @type {Boxes["styles"]} */
  const styles = (element) => {
    const computed = getComputedStyle(element);
    return (/** @type {string} */ name) => value(computed, name);
  };

  /** @type {Boxes["scrolled"]} */
  const scrolled = (element) => ({
    left: scrollLeft(element),
    top: scrollTop(element),
    width: scrollWidth(element),
    height: scrollHeight(element),
    seenWidth: clientWidth(element),
    seenHeight: clientHeight(element),
  });
  const page = () => {
    const root = whole(document);
    return {
      root,
      left: leftOfWindow(window),
      top: topOfWindow(window),
      width: scrollWidth(root),
      height: scrollHeight(root),
      seenWidth: clientWidth(root),
      seenHeight: heightOfWindow(window),
    };
  };

  /** @type {Boxes["hostOf"]} */
  const hostOf = (element) => {
    const root = rootOf(element);
    return typeOf(root) === 11 ? (hostIn(root) ?? null) : null;
  };
  /** @type {Boxes["above"]} */
  const above = (element) => parent(element) ?? hostOf(element);
  /** @type {Boxes["holds"]} */
  const holds = (outer, inner) => {
    for (let node = /** @type {Element | null} */ (inner); node; node = hostOf(node))
      if (contains(outer, node)) return true;
    return false;
  };
  /** @type {Boxes["labelsOf"]} */
  const labelsOf = (element) => labels.get(tagOf(element))?.(element) ?? [];

  return { look, boxOf, wordsOf, middleOf, isSeen, union, styles, scrolled, page, above, holds, hostOf, labelsOf };
};
