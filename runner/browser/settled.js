// Waits until the page has settled, and then calls a function in the same round trip. Evaluated in an isolated world,
// whose global object lives as long as the document.
/**
 * When the last event of an action was, 0 if there was none, and whether the document has not been read yet; and, for
 * `drawn.js`, how many frames the browser began between the document's last change and its last read.
 *
 * @typedef {{at: number, isFirst: boolean, frames: number}} Events
 */
/**
 * @template Argument, Given
 * @param {(argument: Argument) => Given} then - Called once, when the page has settled.
 * @param {number} rest - Milliseconds to wait after the last event of an action, and after the load.
 * @returns {(argument: Argument) => Promise<Given | null>} - Null if the page has not settled within a second, or had
 *   not loaded.
 */
(then, rest) => (argument) =>
  new Promise((done, fail) => {
    "use strict";
    const MOST_MS = 1000;
    const EVENTS = "pointerdown pointermove pointerup mouseup click keydown keyup input change submit drop".split(" ");
    // A symbol, because elements with an id are properties of the global object.
    const KEPT = Symbol.for("settled");
    const { max } = Math;
    const start = performance.now();
    let late = false;
    // Frames since the document's last change.
    let begun = 0;

    // A form is submitted in its own task, which may come after frames on a busy machine. This task comes after it.
    /** @type {(act: () => void) => void} */
    const afterAll = (act) => scheduler.postTask(act, { priority: "background" });

    // Listen from the first call in a document on, so that later calls know when the last action ended.
    const listenForEvents = () => {
      const events = { at: 0, isFirst: true, frames: 0 };
      const note = () => (events.at = performance.now());
      // In another task, because a dialog may open during an event, and the page continues when it is answered.
      const listener = () => scheduler.postTask(note, { priority: "user-blocking" });
      for (const type of EVENTS) addEventListener(type, listener, { capture: true, passive: true });
      return events;
    };
    const events = (/** @type {Record<symbol, Events>} */ (globalThis)[KEPT] ??= listenForEvents());
    events.frames = 0;

    // An action without events ended at some time before this call.
    const lastMoment = () => {
      const loaded =
        /** @type {PerformanceNavigationTiming | undefined} */
        (performance.getEntriesByType("navigation")[0])?.loadEventEnd ?? 0;
      return max(events.at || (events.isFirst && loaded) || start, loaded);
    };

    const answer = () => {
      if (late) return;
      try {
        const result = document.readyState === "complete" ? then(argument) : null;
        Object.assign(events, { at: 0, isFirst: false, frames: begun });
        done(result);
      } catch (error) {
        fail(error);
      }
    };

    // One frame is enough if the document has not changed since.
    const frames = () =>
      requestAnimationFrame(() => {
        let moved = false;
        const moves = new MutationObserver(() => (moved = true));
        moves.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        begun = 1;
        const next = requestAnimationFrame(() => (begun = 2));
        const judge = () => {
          moved ||= moves.takeRecords().length > 0;
          moves.disconnect();
          cancelAnimationFrame(next);
          if (!moved) return answer();
          begun = 1;
          requestAnimationFrame(answer);
        };
        setTimeout(() => afterAll(judge), max(0, lastMoment() + rest - performance.now()));
      });

    // While the page loads, answer null when that ends: the caller then knows the requests that scripts made. A read
    // before would be discarded, but the page would have noticed it.
    const askAgain = () => document.readyState === "complete" && done(null);
    if (document.readyState !== "complete") document.addEventListener("readystatechange", askAgain);
    else afterAll(frames);
    // A page that is being replaced draws no frame, so give up and let the caller retry. A late read must not happen:
    // it would end an entry in the middle of the next action.
    setTimeout(() => {
      late = true;
      done(null);
    }, MOST_MS);
  });
