// Opens and closes the dialog that a button names. If the dialog's form was refused, it opens when the page loads.
(() => {
  "use strict";

  globalThis.kit.each("[data-opens]", (button) => {
    const dialog = button.getRootNode().getElementById(button.dataset.opens);
    const close = dialog.querySelector("[data-closes]");
    button.hidden = close.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
    close.addEventListener("click", () => dialog.close());
    if ("refused" in dialog.dataset) dialog.showModal();
  });
})();
