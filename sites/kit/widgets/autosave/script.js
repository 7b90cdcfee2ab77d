// Sends a form when a changed field loses focus, and shows the result.
/** @import { ActionAnswer } from "../../browser/kit.js" */
/** @typedef {HTMLElement & {dataset: {autosave: string, unsaved: string, failed: string}}} AutosaveHolder */
(() => {
  "use strict";

  /** @type {(holder: AutosaveHolder) => void} */
  const keep = (holder) => {
    const form = /** @type {HTMLFormElement} */ (holder.querySelector("form"));
    const state = /** @type {Element} */ (holder.querySelector("[role=status]"));
    // The submit button is the last one; those before it format text.
    const button = [...form.querySelectorAll("button[type=submit]")].pop();
    const first = state.textContent;
    const content = () => globalThis.kit.formQuery(form);
    let saved = content();

    /** @type {(text: string) => ActionAnswer} */
    const send = (text) => {
      const request = new XMLHttpRequest();
      // Send synchronously: if a click made the field lose focus, the text must be saved before the click takes effect.
      request.open("POST", /** @type {string} */ (form.getAttribute("action")), false);
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
    form.addEventListener("focusout", (event) => {
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
