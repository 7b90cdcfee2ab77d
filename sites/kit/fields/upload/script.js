// Lists the chosen files below a file field, which itself shows only one name, or the number of files.
(() => {
  "use strict";

  /** @type {(holder: Element) => void} */
  const listFiles = (holder) => {
    const list = /** @type {HTMLElement} */ (holder.querySelector("ul"));
    const field = /** @type {HTMLInputElement} */ (holder.querySelector("input"));
    const files = [.../** @type {FileList} */ (field.files)];
    list.hidden = !files.length;
    list.replaceChildren(
      ...files.map((file) => Object.assign(document.createElement("li"), { textContent: file.name })),
    );
  };

  globalThis.kit.each("[data-upload]", (holder) => {
    const { form } = /** @type {HTMLInputElement} */ (holder.querySelector("input"));
    holder.addEventListener("change", () => listFiles(holder));
    // A reset form is emptied only after the event. A page from the history may still have its files.
    form?.addEventListener("reset", () => setTimeout(() => listFiles(holder)));
    listFiles(holder);
  });
})();
