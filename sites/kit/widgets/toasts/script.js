// Closes a message that lies above the page.
(() => {
  "use strict";

  for (const button of document.querySelectorAll("[data-dismisses]")) {
    button.hidden = false;
    button.addEventListener("click", () => button.parentElement.remove());
  }
})();
