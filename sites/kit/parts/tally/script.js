// Turns a tally on or off at once, sends the change to the site, and reverts it if the site refuses.
/** @import { ActionAnswer } from "../../browser/kit.js" */
/** @typedef {HTMLFormElement & {dataset: {tally: string, on: string, off: string, failed: string}}} TallyForm */
(() => {
  "use strict";

  /** @type {(form: TallyForm) => void} */
  const arm = (form) => {
    const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
    const meta = form.querySelector("meta");
    const number = form.querySelector(".kit-count");
    const note = /** @type {Element} */ (form.querySelector("[role=status]"));
    const { on, off, failed } = form.dataset;
    // Read the form once, so that later changes of the page do not affect what is sent.
    const sent = globalThis.kit.formQuery(form);
    const address = /** @type {string} */ (form.getAttribute("action"));
    let isOn = form.dataset.tally === "1";
    let count = Number(number?.textContent ?? 0);
    let isBusy = false;

    /** @type {(now: boolean) => void} */
    const show = (now) => {
      count += Number(now) - Number(isOn);
      isOn = now;
      button.textContent = isOn ? off : on;
      button.classList.toggle("btn-secondary", isOn);
      button.classList.toggle("btn-light", !isOn);
      button.classList.toggle("border", !isOn);
      meta?.setAttribute("content", isOn ? "1" : "0");
      if (number) number.textContent = String(count);
    };

    /** @type {() => Promise<ActionAnswer>} */
    const send = async () => {
      const answer = await fetch(address, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
        body: sent,
        credentials: "same-origin",
      });
      return answer.json();
    };

    // A second click while the first request is pending is a double click, and is ignored.
    const turn = async () => {
      if (isBusy) return;
      isBusy = true;
      note.textContent = "";
      show(!isOn);
      try {
        const { done, said } = await send();
        if (!done) {
          show(!isOn);
          note.textContent = said.join(" ");
        }
      } catch {
        show(!isOn);
        note.textContent = failed;
      }
      isBusy = false;
    };

    // Now this script handles the button, which must not submit the form.
    button.type = "button";
    button.addEventListener("click", () => void turn());
  };

  globalThis.kit.each("form[data-tally]", arm);
})();
