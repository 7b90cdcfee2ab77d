// Opens and closes the dialog that a button names. If the dialog's form was refused, it opens when the page loads.
/** @typedef {HTMLButtonElement & {dataset: {opens: string}}} Opener */
(() => {
  "use strict";

  globalThis.kit.each("[data-opens]", (/** @type {Opener} */ button) => {
    const root = /** @type {Document | ShadowRoot} */ (button.getRootNode());
    const dialog = /** @type {HTMLDialogElement} */ (root.getElementById(button.dataset.opens));
    const close = /** @type {HTMLButtonElement} */ (dialog.querySelector("[data-closes]"));
    button.hidden = close.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
    close.addEventListener("click", () => dialog.close());
    if ("refused" in dialog.dataset) dialog.showModal();
  });
})();
