// Waits until the browser has drawn the page as it was read, at most 5 s. Evaluated in the isolated world in which
// `settled.js` read the page.
/** @import { Events } from "./settled.js" */
/**
 * @param {boolean} isDisturbed - Whether a mode has changed the page, which may have happened during the read.
 * @returns {Promise<void>}
 */
(isDisturbed) =>
  new Promise((done) => {
    "use strict";
    // The browser may still paint a frame while it begins the next one, but not while it begins the one after that.
    const FRAMES = 3;
    const events = /** @type {Record<symbol, Events | undefined>} */ (globalThis)[Symbol.for("settled")];
    let frames = isDisturbed ? 0 : (events?.frames ?? 0);
    const begin = () => {
      frames += 1;
      if (frames < FRAMES) requestAnimationFrame(begin);
      else done();
    };
    // A hidden page is never drawn.
    if (document.hidden) done();
    else requestAnimationFrame(begin);
    setTimeout(done, 5000);
  });
