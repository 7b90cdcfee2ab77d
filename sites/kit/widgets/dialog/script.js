// Opens the dialog that a button names, and closes it; one whose form was refused opens by itself.
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
