// Opens and closes the dialogs that hold a form; one whose form was refused opens by itself.
(() => {
  "use strict";

  for (const button of document.querySelectorAll("[data-sheet]")) {
    const dialog = document.getElementById(button.dataset.sheet);
    const close = dialog.querySelector("[data-close]");
    button.hidden = close.hidden = false;
    button.addEventListener("click", () => dialog.showModal());
    close.addEventListener("click", () => dialog.close());
    if ("refused" in dialog.dataset) dialog.showModal();
  }
})();
