// Turns a tally over at once, tells the site, and goes back to what it was if the site does not agree.
(() => {
  "use strict";

  const arm = (form) => {
    const button = form.querySelector("button");
    const meta = form.querySelector("meta");
    const number = form.querySelector(".kit-tallied > span");
    const note = form.querySelector("[role=status]");
    const { on, off, failed } = form.dataset;
    // Read once: what is sent must not depend on what becomes of the page.
    const sent = new URLSearchParams(new FormData(form)).toString();
    const address = form.getAttribute("action");
    let isOn = form.dataset.tally === "1";
    let count = Number(number?.textContent ?? 0);
    let isBusy = false;

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

    const tell = async () => {
      const answer = await fetch(address, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
        body: sent,
        credentials: "same-origin",
      });
      return answer.json();
    };

    // One press is one change: the second click of a double click comes while the first is under way.
    const turn = async () => {
      if (isBusy) return;
      isBusy = true;
      note.textContent = "";
      show(!isOn);
      try {
        const { done, said } = await tell();
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

    // From here on the button sends nothing by itself.
    button.type = "button";
    button.addEventListener("click", () => void turn());
  };

  globalThis.kit.each("form[data-tally]", arm);
})();
