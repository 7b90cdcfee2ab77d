// Lets scripts take over elements of a page, including those that are drawn later.
/**
 * @typedef {object} Kit
 * @property {<E extends Element>(selector: string, act: (element: E) => void) => void} each - Calls `act` once for each
 *   element that the selector matches, including those that are drawn later.
 * @property {(...drawn: Element[]) => void} drawn - Tells other scripts that these elements were added to the page.
 * @property {(node: Node) => boolean} isTaken - Whether a script has taken an element over, and may have changed its
 *   content.
 * @property {(form: HTMLFormElement) => string} formQuery - Returns what a form would send, as the query of an address.
 * @property {(address: string) => Promise<Document>} page - Returns the page at an address; raises an error if it
 *   cannot be fetched.
 */
/**
 * @typedef {object} Taker
 * @property {string} selector
 * @property {(element: Element) => void} act
 * @property {WeakSet<Element>} done
 */
(() => {
  "use strict";

  /** @type {Taker[]} */
  const takers = [];
  const taken = new WeakSet();

  /** @type {(taker: Taker, element: Element) => void} */
  const take = (taker, element) => {
    if (taker.done.has(element)) return;
    taker.done.add(element);
    taken.add(element);
    taker.act(element);
  };

  /** @type {(taker: Taker, root: Document | ShadowRoot | Element) => void} */
  const takeIn = (taker, root) => {
    if (root instanceof Element && root.matches(taker.selector)) take(taker, root);
    for (const element of root.querySelectorAll(taker.selector)) take(taker, element);
    for (const host of root.querySelectorAll("page-block")) if (host.shadowRoot) takeIn(taker, host.shadowRoot);
    if (root instanceof Element && root.shadowRoot) takeIn(taker, root.shadowRoot);
  };

  /** @type {Kit} */
  const kit = {
    each: (selector, act) => {
      const taker = /** @type {Taker} */ ({ selector, act, done: new WeakSet() });
      takers.push(taker);
      takeIn(taker, document);
    },
    drawn: (...drawn) => {
      for (const taker of takers) for (const root of drawn) takeIn(taker, root);
    },
    isTaken: (node) => taken.has(node),
    formQuery: (form) => new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form)])).toString(),
    page: async (address) => {
      const answer = await fetch(address, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      return new DOMParser().parseFromString(await answer.text(), "text/html");
    },
  };
  globalThis.kit = /** @type {typeof globalThis.kit} - The rest, if any, comes from draw.js and router.js. */ (kit);
})();
