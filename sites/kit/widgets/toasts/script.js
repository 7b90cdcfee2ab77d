// Closes a message that is shown above the page.
(() => {
  "use strict";

  globalThis.kit.each("[data-dismisses]", (/** @type {HTMLButtonElement} */ button) => {
    button.hidden = false;
    button.addEventListener("click", () => button.parentElement?.remove());
  });
})();
