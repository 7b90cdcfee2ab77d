// Lets people drag the cards of a board. A move is shown at once; if the site refuses it, the card moves back.
(() => {
  "use strict";

  /** @type {(board: any) => void} */
  const arm = (board) => {
    const note = board.previousElementSibling;
    const { board: address, field, token, back } = board.dataset;
    /** @type {any} */
    let held = null;
    let isBusy = false;

    /** @type {(column: any) => HTMLElement[]} */
    const cardsOf = (column) => [...column.querySelectorAll("[data-card]")];

    const count = () => {
      for (const column of board.querySelectorAll("[data-column]")) {
        const { length } = cardsOf(column);
        column.querySelector("[itemprop=numberOfItems]").textContent = String(length);
        column.querySelector("p").hidden = length > 0;
      }
    };

    const unmark = () => {
      for (const mark of board.querySelectorAll(".kit-over, .kit-next")) mark.classList.remove("kit-over", "kit-next");
    };

    // The card in front of which the held card would be dropped; null below the last card.
    /** @type {(column: any, y: number) => HTMLElement | null} */
    const nextAt = (column, y) =>
      cardsOf(column).find((card) => {
        const { top, height } = card.getBoundingClientRect();
        return card !== held && y < top + height / 2;
      }) ?? null;

    /** @type {(card: any, to: string, before: any) => Promise<any>} */
    const sendMove = async (card, to, before) => {
      const sent = new URLSearchParams({ csrf_token: token, back, [field]: card.dataset.card, to });
      if (before) sent.set("before", before.dataset.card);
      const answer = await fetch(address, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
        body: sent.toString(),
        credentials: "same-origin",
      });
      return answer.json();
    };

    /** @type {(card: any, column: any, before: Element | null) => void} */
    const place = (card, column, before) => {
      column.insertBefore(card, before);
      count();
    };

    /** @type {(card: any, column: any, before: Element | null) => Promise<void>} */
    const move = async (card, column, before) => {
      const [home, after] = [card.closest("[data-column]"), card.nextElementSibling];
      // Ignore a drop at the card's own position.
      if (isBusy || before === card || (home === column && after === before)) return;
      isBusy = true;
      note.textContent = "";
      place(card, column, before);
      let problem = "";
      try {
        const answer = await sendMove(card, column.dataset.column, before);
        // The actions of a card depend on its column, so reload the page.
        if (answer.done) window.location.reload();
        else problem = answer.said.join(" ");
      } catch {
        problem = note.dataset.failed;
      }
      if (problem) {
        place(card, home, after);
        note.textContent = problem;
      }
      isBusy = false;
    };

    for (const card of board.querySelectorAll("[data-card]")) {
      card.draggable = true;
      // Dragging a link in a card drags the card, not the link.
      for (const link of card.querySelectorAll("a")) link.draggable = false;
    }
    board.addEventListener("dragstart", (/** @type {any} */ event) => {
      held = event.target.closest("[data-card]");
      if (!held) return;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", held.dataset.card);
      held.classList.add("kit-held");
    });
    board.addEventListener("dragover", (/** @type {any} */ event) => {
      const column = event.target.closest("[data-column]");
      if (!held || !column) return;
      event.preventDefault();
      unmark();
      const next = nextAt(column, event.clientY);
      if (next) next.classList.add("kit-next");
      else column.classList.add("kit-over");
    });
    board.addEventListener("drop", (/** @type {any} */ event) => {
      const column = event.target.closest("[data-column]");
      if (!held || !column) return;
      event.preventDefault();
      unmark();
      void move(held, column, nextAt(column, event.clientY));
    });
    board.addEventListener("dragend", () => {
      held?.classList.remove("kit-held");
      held = null;
      unmark();
    });
  };

  globalThis.kit.each("[data-board]", arm);
})();
