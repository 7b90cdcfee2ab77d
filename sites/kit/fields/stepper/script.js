// Increases and decreases the number in a field, within its limits.
(() => {
  "use strict";

  globalThis.kit.each("[data-step]", (/** @type {HTMLButtonElement} */ button) => {
    const holder = /** @type {HTMLElement} */ (button.parentElement);
    const field = /** @type {HTMLInputElement} */ (holder.querySelector("input"));
    button.hidden = false;
    button.addEventListener("click", () => {
      // An empty field starts at its lower limit.
      const first = field.value === "" ? Number(field.min) : Number(field.value) + Number(button.dataset.step);
      const top = field.max === "" ? first : Number(field.max);
      field.value = String(Math.max(Number(field.min), Math.min(top, first)));
      field.dispatchEvent(new Event("input", { bubbles: true }));
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  });
})();
