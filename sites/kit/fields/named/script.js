// Shows the names that match the text so far; pressing one writes it into the field.
/** @typedef {HTMLInputElement & {dataset: {named: string}}} NamedField */
(() => {
  "use strict";

  const MOST = 6;

  globalThis.kit.each("[data-named]", (/** @type {NamedField} */ field) => {
    const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
    const { children } = /** @type {HTMLTemplateElement} */ (root.getElementById(field.dataset.named)).content;
    const offered = [...children].map((option) => option.textContent);
    const holder = /** @type {HTMLElement} */ (field.parentElement);
    const list = /** @type {HTMLElement} */ (holder.querySelector(".kit-named-list"));

    const close = () => {
      list.hidden = true;
      list.replaceChildren();
    };

    /** @type {(name: string) => Element} */
    const offer = (name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => {
        field.value = name;
        close();
        field.focus();
      });
      return button;
    };

    const show = () => {
      const typed = field.value.trim().toLowerCase();
      const names = offered.filter((name) => name.toLowerCase().includes(typed));
      close();
      // For a complete name, show no list, because it would cover the page below.
      if (!typed || names.some((name) => name.toLowerCase() === typed)) return;
      list.append(...names.slice(0, MOST).map(offer));
      list.hidden = !list.children.length;
    };

    field.addEventListener("input", show);
    holder.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
    });
    holder.addEventListener("focusout", (event) => {
      if (!holder.contains(/** @type {Element | null} */ (event.relatedTarget))) close();
    });
  });
})();
