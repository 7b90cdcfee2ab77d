// Offers what fits below a field while it is typed in. Arrows move through the list, Enter takes, Escape closes.
(() => {
  "use strict";

  let number = 0;

  const arm = (holder) => {
    const field = holder.querySelector("[data-suggests]");
    if (!field) return;
    const list = document.createElement("ul");
    const id = `options-${number}`;
    number += 1;
    const { suggests, called, sends } = field.dataset;
    list.className = "kit-options";
    list.hidden = true;
    const set = (node, told) => Object.entries(told).forEach(([name, value]) => node.setAttribute(name, value));
    set(list, { id, role: "listbox", "aria-label": called });
    set(field, { role: "combobox", "aria-autocomplete": "list", "aria-controls": id, "aria-expanded": "false" });
    field.after(list);
    let options = [];
    let at = -1;
    let asked = 0;

    const mark = (to) => {
      at = to;
      options.forEach((option, one) => option.setAttribute("aria-selected", String(one === at)));
      if (at < 0) field.removeAttribute("aria-activedescendant");
      else {
        field.setAttribute("aria-activedescendant", options[at].id);
        options[at].scrollIntoView({ block: "nearest" });
      }
    };

    const close = () => {
      asked += 1;
      list.hidden = true;
      list.replaceChildren();
      options = [];
      mark(-1);
      field.setAttribute("aria-expanded", "false");
    };

    const take = (text) => {
      field.value = text;
      close();
      if (sends !== undefined) field.form.requestSubmit();
    };

    const open = (texts) => {
      options = texts.map((text, one) => {
        const option = document.createElement("li");
        option.id = `${id}-${one}`;
        option.setAttribute("role", "option");
        option.textContent = text;
        // The field keeps the focus while an option is pressed.
        option.addEventListener("mousedown", (event) => event.preventDefault());
        option.addEventListener("click", () => take(text));
        return option;
      });
      list.replaceChildren(...options);
      list.hidden = !options.length;
      field.setAttribute("aria-expanded", String(!list.hidden));
      mark(-1);
    };

    // At once and not a moment later: a page that has come to rest must not change by itself.
    const ask = async () => {
      const text = field.value.trim();
      close();
      if (text.length < 2) return;
      const mine = asked;
      try {
        const answer = await fetch(`${suggests}?${new URLSearchParams({ q: text })}`, { credentials: "same-origin" });
        const told = await answer.json();
        // Only what was asked last, and only while it is still being typed.
        if (mine === asked && field.getRootNode().activeElement === field) {
          // What is written in full already needs no offer, which would only cover what stands below.
          const offers = told.options ?? [];
          open(sends === undefined && offers.length === 1 && offers[0] === text ? [] : offers);
        }
      } catch {
        close();
      }
    };

    const keys = {
      ArrowDown: () => mark((at + 1) % options.length),
      ArrowUp: () => mark((at > 0 ? at : options.length) - 1),
      Escape: close,
      Enter: () => take(options[at].textContent),
    };

    field.addEventListener("input", () => void ask());
    field.addEventListener("focusout", close);
    field.addEventListener("keydown", (event) => {
      // Enter without a choice sends the form, as in any field.
      if (!options.length || !(event.key in keys) || (event.key === "Enter" && at < 0)) return;
      event.preventDefault();
      keys[event.key]();
    });
  };

  // The list stands beside the field, in what holds both.
  globalThis.kit.each(".kit-suggest", arm);
})();
