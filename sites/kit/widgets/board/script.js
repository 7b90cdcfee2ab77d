// Lets people drag the cards of a board. A move is shown at once; if the site refuses it, the card moves back.
/** @import { ActionAnswer } from "../../browser/kit.js" */
/** @typedef {HTMLElement & {dataset: {board: string, field: string, token: string, back: string}}} Board */
/** @typedef {HTMLElement & {dataset: {column: string}}} Column */
/** @typedef {HTMLElement & {dataset: {card: string}}} Card */
/** @typedef {HTMLElement & {dataset: {failed: string}}} Note */
(() => {
  "use strict";

  /** @type {(board: Board) => void} */
  const arm = (board) => {
    const note = /** @type {Note} */ (board.previousElementSibling);
    const { board: address, field, token, back } = board.dataset;
    /** @type {Card | null} */
    let held = null;
    let isBusy = false;

    /** @type {(holder: Element) => NodeListOf<Card>} */
    const cardsOf = (holder) => holder.querySelectorAll("[data-card]");

    const count = () => {
      for (const column of board.querySelectorAll("[data-column]")) {
        const { length } = cardsOf(column);
        const number = /** @type {Element} */ (column.querySelector("[itemprop=numberOfItems]"));
        number.textContent = String(length);
        /** @type {HTMLElement} */ (column.querySelector("p")).hidden = length > 0;
      }
    };

    const unmark = () => {
      for (const mark of board.querySelectorAll(".kit-over, .kit-next")) mark.classList.remove("kit-over", "kit-next");
    };

    // The card in front of which the held card would be dropped; null below the last card.
    /** @type {(column: Column, y: number) => Card | null} */
    const nextAt = (column, y) =>
      [...cardsOf(column)].find((card) => {
        const { top, height } = card.getBoundingClientRect();
        return card !== held && y < top + height / 2;
      }) ?? null;

    /** @type {(card: Card, to: string, before: Card | null) => Promise<ActionAnswer>} */
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

    /** @type {(card: Card, column: Column, before: Element | null) => void} */
    const place = (card, column, before) => {
      column.insertBefore(card, before);
      count();
    };

    /** @type {(card: Card, column: Column, before: Card | null) => Promise<void>} */
    const move = async (card, column, before) => {
      const [home, after] = [/** @type {Column} */ (card.closest("[data-column]")), card.nextElementSibling];
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

    /** @type {(event: Event) => Column | null} */
    const columnOf = (event) => /** @type {Element} */ (event.target).closest("[data-column]");

    for (const card of cardsOf(board)) {
      card.draggable = true;
      // Dragging a link in a card drags the card, not the link.
      for (const link of card.querySelectorAll("a")) link.draggable = false;
    }
    board.addEventListener("dragstart", (event) => {
      // Selected text that is dragged is no element.
      held = event.target instanceof Element ? event.target.closest("[data-card]") : null;
      if (!held || !event.dataTransfer) return;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", held.dataset.card);
      held.classList.add("kit-held");
    });
    board.addEventListener("dragover", (event) => {
      const column = columnOf(event);
      if (!held || !column) return;
      event.preventDefault();
      unmark();
      const next = nextAt(column, event.clientY);
      if (next) next.classList.add("kit-next");
      else column.classList.add("kit-over");
    });
    board.addEventListener("drop", (event) => {
      const column = columnOf(event);
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
