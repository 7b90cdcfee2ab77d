// Shows suggestions below a field during typing. Arrow keys move through the list, Enter chooses, Escape closes it.
/** @typedef {HTMLInputElement & {dataset: {suggests: string, called: string, sends?: string}}} SuggestField */
(() => {
  "use strict";

  let number = 0;

  /** @type {(holder: Element) => void} */
  const arm = (holder) => {
    /** @type {SuggestField | null} */
    const field = holder.querySelector("[data-suggests]");
    if (!field) return;
    const list = document.createElement("ul");
    const id = `options-${number}`;
    number += 1;
    const { suggests, called, sends } = field.dataset;
    list.className = "kit-options";
    list.hidden = true;
    /** @type {(node: Element, attributes: Record<string, string>) => void} */
    const set = (node, attributes) => Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    set(list, { id, role: "listbox", "aria-label": called });
    set(field, { role: "combobox", "aria-autocomplete": "list", "aria-controls": id, "aria-expanded": "false" });
    field.after(list);
    /** @type {HTMLElement[]} */
    let options = [];
    let marked = -1;
    let requests = 0;

    /** @type {(index: number) => void} */
    const mark = (index) => {
      marked = index;
      options.forEach((option, position) => option.setAttribute("aria-selected", String(position === marked)));
      if (marked < 0) field.removeAttribute("aria-activedescendant");
      else {
        field.setAttribute("aria-activedescendant", options[marked].id);
        options[marked].scrollIntoView({ block: "nearest" });
      }
    };

    const close = () => {
      requests += 1;
      list.hidden = true;
      list.replaceChildren();
      options = [];
      mark(-1);
      field.setAttribute("aria-expanded", "false");
    };

    /** @type {(text: string) => void} */
    const take = (text) => {
      field.value = text;
      close();
      if (sends !== undefined) /** @type {HTMLFormElement} */ (field.form).requestSubmit();
    };

    /** @type {(texts: string[]) => void} */
    const open = (texts) => {
      options = texts.map((text, index) => {
        const option = document.createElement("li");
        option.id = `${id}-${index}`;
        option.setAttribute("role", "option");
        option.textContent = text;
        // Keep the focus in the field while an option is pressed.
        option.addEventListener("mousedown", (event) => event.preventDefault());
        option.addEventListener("click", () => take(text));
        return option;
      });
      list.replaceChildren(...options);
      list.hidden = !options.length;
      field.setAttribute("aria-expanded", String(!list.hidden));
      mark(-1);
    };

    // Request suggestions without a delay: a page at rest must not change on its own.
    const ask = async () => {
      const text = field.value.trim();
      close();
      if (text.length < 2) return;
      const own = requests;
      try {
        const answer = await fetch(`${suggests}?${new URLSearchParams({ q: text })}`, { credentials: "same-origin" });
        /** @type {{options?: string[]}} */
        const { options: offers = [] } = await answer.json();
        const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
        // Show only suggestions for the latest text, and only while the field has the focus.
        if (own === requests && root.activeElement === field) {
          // For a complete text, show no list, because it would cover the page below.
          open(sends === undefined && offers.length === 1 && offers[0] === text ? [] : offers);
        }
      } catch {
        close();
      }
    };

    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => mark((marked + 1) % options.length),
      ArrowUp: () => mark((marked > 0 ? marked : options.length) - 1),
      Escape: close,
      Enter: () => take(options[marked].textContent),
    };

    field.addEventListener("input", () => void ask());
    field.addEventListener("focusout", close);
    field.addEventListener("keydown", (event) => {
      // Enter without a marked option submits the form, as in any field.
      if (!options.length || !(event.key in keys) || (event.key === "Enter" && marked < 0)) return;
      event.preventDefault();
      keys[event.key]();
    });
  };

  // The list is put beside the field, in the element that contains both.
  globalThis.kit.each(".kit-suggest", arm);
})();
