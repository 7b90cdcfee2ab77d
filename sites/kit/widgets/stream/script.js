// Adds rows to a list: fetches the longer page and appends the rows that this page does not have yet.
/** @typedef {HTMLElement & {dataset: {failed: string}}} StreamList */
/** @typedef {{list: StreamList, holder: Element, foot: Element, status: Element}} StreamParts */
(() => {
  "use strict";
  const { kit } = globalThis;

  // Returns a page's list, the element that contains its rows, and its foot.
  /** @type {(page: Document | ShadowRoot) => StreamParts | null} */
  const partsOf = (page) => {
    /** @type {StreamList | null} */
    const list = page.querySelector("[data-stream]");
    if (!list) return null;
    const rows = /** @type {Element} */ (list.querySelector("[data-rows]"));
    const holder = /** @type {Element} */ (rows.firstElementChild);
    const foot = /** @type {Element} */ (list.querySelector("[data-foot]"));
    const status = /** @type {Element} */ (foot.querySelector("[role=status]"));
    return { list, holder, foot, status };
  };

  /** @type {(list: StreamList) => void} */
  const arm = (list) => {
    const root = /** @type {Document | ShadowRoot} */ (list.getRootNode());
    const here = /** @type {StreamParts} */ (partsOf(root));
    const form = here.foot.querySelector("form");
    const button = form?.querySelector("button");
    if (!form || !button) return;
    // Count the rows ourselves, because others may later add elements to the list.
    let count = here.holder.children.length;
    let query = kit.formQuery(form);
    let isBusy = false;

    const fetched = async () => {
      const there = partsOf(await kit.page(`${form.getAttribute("action")}?${query}`));
      if (!there) throw new Error("the page has no such list");
      return there;
    };

    /** @type {(there: StreamParts) => void} */
    const grow = (there) => {
      /** @type {Element[]} */
      const fresh = [...there.holder.children].slice(count).map((row) => document.importNode(row, true));
      here.holder.append(...fresh);
      count += fresh.length;
      here.status.textContent = there.status.textContent;
      const next = there.foot.querySelector("form");
      if (next) query = kit.formQuery(next);
      else form.remove();
      // Attach scripts to the new rows as to the first ones.
      kit.drawn(...fresh);
    };

    const more = async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        grow(await fetched());
      } catch {
        here.status.textContent = here.list.dataset.failed;
      }
      isBusy = false;
    };

    button.type = "button";
    button.addEventListener("click", () => void more());
  };

  kit.each("[data-stream]", arm);
})();
