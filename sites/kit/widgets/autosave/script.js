// Sends a form whenever a field is left in which something was changed, and says what came of it.
(() => {
  "use strict";

  const keep = (holder) => {
    const form = holder.querySelector("form");
    const state = holder.querySelector("[role=status]");
    // The button that sends the form comes last; those before it lay a text out.
    const button = [...form.querySelectorAll("button[type=submit]")].pop();
    const first = state.textContent;
    const content = () => new URLSearchParams(new FormData(form)).toString();
    let saved = content();

    const send = (text) => {
      const request = new XMLHttpRequest();
      // The page waits for the answer: what a click leads to that leaves the field must find the text saved.
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
    form.addEventListener("focusout", (event) => {
      const text = content();
      // Who goes to the button is about to save: twice would be once too often.
      if (holder.dataset.autosave !== "on" || text === saved || event.relatedTarget === button) return;
      const answer = send(text);
      if (answer.done) saved = text;
      state.textContent = answer.said.join(" ");
    });
  };

  globalThis.kit.each("[data-autosave]", keep);
})();
