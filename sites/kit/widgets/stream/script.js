// Adds rows to a list: the longer page is fetched, and what this one lacks is taken from it. What is shown stays.
(() => {
  "use strict";

  // The one list of a page, and the element whose children its rows are.
  const partsOf = (page) => {
    const list = page.querySelector("[data-stream]");
    if (!list) return null;
    const [rows, foot] = [list.querySelector("[data-rows]"), list.querySelector("[data-foot]")];
    return { list, holder: rows.firstElementChild, foot };
  };

  const here = partsOf(document);
  if (!here) return;
  const status = here.foot.querySelector("[role=status]");
  const form = here.foot.querySelector("form");
  const button = form?.querySelector("button");
  // Counted and not asked for: what stands in the list later need not be the site's.
  let count = here.holder.children.length;
  let query = form && new URLSearchParams(new FormData(form)).toString();
  let isBusy = false;

  const fetched = async () => {
    const answer = await fetch(`${form.getAttribute("action")}?${query}`, { credentials: "same-origin" });
    const there = answer.ok && partsOf(new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (!there) throw new Error(String(answer.status));
    return there;
  };

  const grow = (there) => {
    const fresh = [...there.holder.children].slice(count);
    here.holder.append(...fresh.map((row) => document.importNode(row, true)));
    count += fresh.length;
    status.textContent = there.foot.querySelector("[role=status]").textContent;
    const next = there.foot.querySelector("form");
    if (next) query = new URLSearchParams(new FormData(next)).toString();
    else form.remove();
    // Buttons of these rows get their scripts as those that were there from the beginning.
    document.dispatchEvent(new CustomEvent("kit:drawn"));
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
})();
