// Sends a form when a changed field loses focus, and shows the result.
(() => {
  "use strict";

  /** @type {(holder: any) => void} */
  const keep = (holder) => {
    const form = holder.querySelector("form");
    const state = holder.querySelector("[role=status]");
    // The submit button is the last one; those before it format text.
    const button = [...form.querySelectorAll("button[type=submit]")].pop();
    const first = state.textContent;
    const content = () => new URLSearchParams(/** @type {any} */ (new FormData(form))).toString();
    let saved = content();

    /** @type {(text: string) => any} */
    const send = (text) => {
      const request = new XMLHttpRequest();
      // Send synchronously: if a click made the field lose focus, the text must be saved before the click takes effect.
      request.open("POST", form.getAttribute("action"), false);
      request.setRequestHeader("Content-Type", "application/x-www-form-urlencoded");
      request.setRequestHeader("Accept", "application/json");
      try {
        request.send(text);
        return JSON.parse(request.responseText);
      } catch {
        return { done: false, said: [holder.dataset.failed] };
      }
    };

    form.addEventListener("input", () => {
      state.textContent = content() === saved ? first : holder.dataset.unsaved;
    });
    form.addEventListener("focusout", (/** @type {any} */ event) => {
      const text = content();
      // If the focus moves to the button, its press will save the form.
      if (holder.dataset.autosave !== "on" || text === saved || event.relatedTarget === button) return;
      const answer = send(text);
      if (answer.done) saved = text;
      state.textContent = answer.said.join(" ");
    });
  };

  globalThis.kit.each("[data-autosave]", keep);
})();
