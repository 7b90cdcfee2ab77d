// Adds rows to a list: the longer page is fetched, and what this one lacks is taken from it. What is shown stays.
(() => {
  "use strict";
  const { kit } = globalThis;

  // The one list of a page, and the element whose children its rows are.
  const partsOf = (page) => {
    const list = page.querySelector("[data-stream]");
    if (!list) return null;
    const [rows, foot] = [list.querySelector("[data-rows]"), list.querySelector("[data-foot]")];
    return { list, holder: rows.firstElementChild, foot };
  };

  const arm = (list) => {
    const here = partsOf(list.getRootNode());
    const status = here.foot.querySelector("[role=status]");
    const form = here.foot.querySelector("form");
    const button = form?.querySelector("button");
    // Counted and not asked for: what stands in the list later need not be the site's.
    let count = here.holder.children.length;
    let query = form && new URLSearchParams(new FormData(form)).toString();
    let isBusy = false;

    const fetched = async () => {
      const there = partsOf(await kit.page(`${form.getAttribute("action")}?${query}`));
      if (!there) throw new Error("the page has no such list");
      return there;
    };

    const grow = (there) => {
      const fresh = [...there.holder.children].slice(count).map((row) => document.importNode(row, true));
      here.holder.append(...fresh);
      count += fresh.length;
      status.textContent = there.foot.querySelector("[role=status]").textContent;
      const next = there.foot.querySelector("form");
      if (next) query = new URLSearchParams(new FormData(next)).toString();
      else form.remove();
      // Buttons of these rows get their scripts as those that were there from the beginning.
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
