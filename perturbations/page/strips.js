// Hit tests on a page of many blocks. The browser goes through everything that is drawn by itself at each of them, near
// or far. So the page is tested in strips, and blocks that lie far from a strip are hidden meanwhile.
/**
 * @typedef {object} Test
 * @property {{across: number, down: number}[]} spots - Where the page is hit, in the window.
 */
/**
 * @typedef {object} Strips
 * @property {<T extends Test>(tests: T[], blocks: Lain[], act: (test: T) => void) => void} each - Calls a function for
 *   each test, in any order. What it hits at the spots of its test is what would be hit if nothing was hidden.
 */
/**
 * @param {Runtime} runtime
 * @param {Boxes} boxes
 * @returns {Strips}
 */
(runtime, boxes) => {
  "use strict";
  // Hit tests times blocks from which on hiding takes less time than it saves.
  const MANY = 20000;
  const TESTS = 100;
  // In pixels of the window: the browser says for whole ones what is hit.
  const NEAR = 3;
  // A child whose own style makes it visible stays visible, and can be hit.
  const HIDDEN = { visibility: "hidden" };

  const { method, getter } = runtime.natives;
  const { bodyOf } = runtime.view;
  const { look, page, boxOf, wordsOf, union, holds } = boxes;
  const { min, max } = Math;
  const sort = method(Array, "sort");
  const focused = getter(Document, "activeElement");

  // Blocks that are drawn by themselves, and where. The one with the focus is never hidden: it would lose it.
  const drawn = (blocks) => {
    const focus = focused(document);
    const isHeld = (element) => focus && focus !== bodyOf(document) && (holds(element, focus) || holds(focus, element));
    const found = [];
    for (let at = 0; at < blocks.length; at += 1) {
      const { element, worn } = blocks[at];
      if (!worn.length || isHeld(element)) continue;
      const { top, bottom } = union(boxOf(element), wordsOf(element));
      found[found.length] = { element, top: top - NEAR, bottom: bottom + NEAR, show: null };
    }
    return found;
  };
  const hide = (one) => (one.show ??= runtime.wear(one.element, HIDDEN));
  const show = (one) => {
    if (one.show) one.show();
    one.show = null;
  };

  // Tests in the order in which they lie on the page, in strips.
  const stripsOf = (tests) => {
    const scrolled = page().top;
    const order = [];
    for (let at = 0; at < tests.length; at += 1) {
      let [top, bottom] = [Infinity, -Infinity];
      const { spots } = tests[at];
      for (let one = 0; one < spots.length; one += 1) {
        top = min(top, spots[one].down + scrolled);
        bottom = max(bottom, spots[one].down + scrolled);
      }
      order[at] = { test: tests[at], top, bottom };
    }
    sort(order, (one, two) => one.top - two.top);
    const strips = [];
    for (let at = 0; at < order.length; at += 1) {
      const { test, top, bottom } = order[at];
      if (at % TESTS === 0) strips[strips.length] = { tests: [], top, bottom };
      const strip = strips[strips.length - 1];
      strip.tests[strip.tests.length] = test;
      strip.bottom = max(strip.bottom, bottom);
    }
    return strips;
  };

  const each = (tests, blocks, act) => {
    if (tests.length * blocks.length < MANY) {
      for (let at = 0; at < tests.length; at += 1) act(tests[at]);
      return;
    }
    look();
    const [strips, all] = [stripsOf(tests), drawn(blocks)];
    try {
      for (let at = 0; at < strips.length; at += 1) {
        const { tests: here, top, bottom } = strips[at];
        for (let one = 0; one < all.length; one += 1) {
          if (all[one].bottom < top || all[one].top > bottom) hide(all[one]);
          else show(all[one]);
        }
        for (let one = 0; one < here.length; one += 1) act(here[one]);
      }
    } finally {
      for (let at = 0; at < all.length; at += 1) show(all[at]);
    }
  };

  return { each };
}
