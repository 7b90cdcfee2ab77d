// Ticks all boxes of a form at once, or unticks them if all are ticked.
(() => {
  "use strict";

  globalThis.kit.each("[data-tick-all]", (/** @type {HTMLButtonElement} */ button) => {
    const form = /** @type {HTMLFormElement} */ (button.form);
    /** @type {NodeListOf<HTMLInputElement>} */
    const ticks = form.querySelectorAll(".kit-tick input[type=checkbox]");
    const boxes = [...ticks];
    button.hidden = false;
    button.addEventListener("click", () => {
      const on = boxes.some((box) => !box.checked);
      for (const box of boxes) box.checked = on;
    });
  });
})();
