// Adds rows to a list: fetches the longer page and appends the rows that this page does not have yet.
(() => {
  "use strict";
  const { kit } = globalThis;

  // Returns a page's list, the element that contains its rows, and its foot.
  /** @type {(page: any) => any} */
  const partsOf = (page) => {
    const list = page.querySelector("[data-stream]");
    if (!list) return null;
    const [rows, foot] = [list.querySelector("[data-rows]"), list.querySelector("[data-foot]")];
    return { list, holder: rows.firstElementChild, foot };
  };

  /** @type {(list: any) => void} */
  const arm = (list) => {
    const here = partsOf(list.getRootNode());
    const status = here.foot.querySelector("[role=status]");
    const form = here.foot.querySelector("form");
    const button = form?.querySelector("button");
    // Count the rows ourselves, because others may later add elements to the list.
    let count = here.holder.children.length;
    let query = form && new URLSearchParams(/** @type {any} */ (new FormData(form))).toString();
    let isBusy = false;

    const fetched = async () => {
      const there = partsOf(await kit.page(`${form.getAttribute("action")}?${query}`));
      if (!there) throw new Error("the page has no such list");
      return there;
    };

    /** @type {(there: any) => void} */
    const grow = (there) => {
      /** @type {Element[]} */
      const fresh = [...there.holder.children].slice(count).map((row) => document.importNode(row, true));
      here.holder.append(...fresh);
      count += fresh.length;
      status.textContent = there.foot.querySelector("[role=status]").textContent;
      const next = there.foot.querySelector("form");
      if (next) query = new URLSearchParams(/** @type {any} */ (new FormData(next))).toString();
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
        status.textContent = here.list.dataset.failed;
      }
      isBusy = false;
    };

    if (!button) return;
    button.type = "button";
    button.addEventListener("click", () => void more());
  };

  kit.each("[data-stream]", arm);
})();
