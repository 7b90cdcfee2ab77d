// Lists the chosen files below a file field, which itself shows only one name, or the number of files.
(() => {
  "use strict";

  /** @type {(holder: any) => void} */
  const listFiles = (holder) => {
    const list = holder.querySelector("ul");
    /** @type {File[]} */
    const files = [...holder.querySelector("input").files];
    list.hidden = !files.length;
    list.replaceChildren(
      ...files.map((file) => Object.assign(document.createElement("li"), { textContent: file.name })),
    );
  };

  globalThis.kit.each("[data-upload]", (holder) => {
    holder.addEventListener("change", () => listFiles(holder));
    // A reset form is emptied only after the event. A page from the history may still have its files.
    holder.querySelector("input").form.addEventListener("reset", () => setTimeout(() => listFiles(holder)));
    listFiles(holder);
  });
})();
