// Waits until the page has settled, and then calls a function: what that gives is the settled page's, without another
// question. Evaluated in a world of its own, whose global object lives as long as the document.
/**
 * @template Given
 * @param {(argument: any) => Given} then - Called once, when the page has settled.
 * @param {number} rest - Milliseconds that the page has after the last event of an action, and after it has loaded.
 * @returns {(argument: any) => Promise<Given | null>} - Null if the page has not settled within a second, or had
 *   not loaded.
 */
(then, rest) => (argument) =>
  new Promise((done, fail) => {
    "use strict";
    const MOST_MS = 1000;
    const EVENTS = "pointerdown pointermove pointerup mouseup click keydown keyup input change submit drop".split(" ");
    // A symbol, because elements are found on the global object by their ids, whatever those are.
    const KEPT = Symbol.for("settled");
    const { max } = Math;
    const begun = performance.now();
    let late = false;

    // A form is submitted by a task of its own, which frames overtake on a busy machine: this one waits for all others.
    const afterAll = (act) => scheduler.postTask(act, { priority: "background" });

    // From the first question to a document on, so that later ones know when the action before them was over.
    const heard = () => {
      const events = { at: 0, isFirst: true };
      const note = () => (events.at = performance.now());
      // In a task of its own: a dialog may open in the middle of an event, and the page goes on when it is answered.
      const hear = () => scheduler.postTask(note, { priority: "user-blocking" });
      for (const type of EVENTS) addEventListener(type, hear, { capture: true, passive: true });
      return events;
    };
    const events = (globalThis[KEPT] ??= heard());

    // Of an action that caused no event, no more is known than that it came before the question.
    const lastMoment = () => {
      const loaded = performance.getEntriesByType("navigation")[0]?.loadEventEnd ?? 0;
      return max(events.at || (events.isFirst && loaded) || begun, loaded);
    };

    const answer = () => {
      if (late) return;
      try {
        const given = document.readyState === "complete" ? then(argument) : null;
        Object.assign(events, { at: 0, isFirst: false });
        done(given);
      } catch (error) {
        fail(error);
      }
    };

    // One frame is enough where nothing has moved since.
    const frames = () =>
      requestAnimationFrame(() => {
        let moved = false;
        const moves = new MutationObserver(() => (moved = true));
        moves.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
        const judge = () => {
          moved ||= moves.takeRecords().length > 0;
          moves.disconnect();
          if (moved) requestAnimationFrame(answer);
          else answer();
        };
        setTimeout(() => afterAll(judge), max(0, lastMoment() + rest - performance.now()));
      });

    // What scripts asked for while the page loaded is known outside when this is answered. A read before would be
    // thrown away, but the page would have heard of it.
    const askAgain = () => document.readyState === "complete" && done(null);
    if (document.readyState !== "complete") document.addEventListener("readystatechange", askAgain);
    else afterAll(frames);
    // A page that is being replaced draws nothing: it gives up its answer, and its question, for another try. A read
    // ends an entry, so that one which came late would cut the next action in two.
    setTimeout(() => {
      late = true;
      done(null);
    }, MOST_MS);
  });
