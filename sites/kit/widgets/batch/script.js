// Ticks all boxes of a form at once, or unticks them if all are ticked.
(() => {
  "use strict";

  globalThis.kit.each("[data-tick-all]", (button) => {
    /** @type {any[]} */
    const boxes = [...button.form.querySelectorAll(".kit-tick input[type=checkbox]")];
    button.hidden = false;
    button.addEventListener("click", () => {
      const on = boxes.some((box) => !box.checked);
      for (const box of boxes) box.checked = on;
    });
  });
})();
