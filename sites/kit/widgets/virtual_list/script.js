// Keeps only the visible rows of a long list in the page, and some around them. All rows have the same height, so the
// scroll position determines which rows are visible. Rows are added and removed by the dozen, so that small scroll
// movements change nothing.
(() => {
  "use strict";
  const { kit } = globalThis;
  const DOZEN = 12;

  /** @type {(list: HTMLElement) => void} */
  const arm = (list) => {
    const rows = /** @type {HTMLElement[]} */ ([...list.children]);
    const life = new AbortController();
    // Height of a row and width of the list, in pixels.
    let high = 0;
    let wide = 0;
    let [first, end] = [0, rows.length];

    // Returns the child of the list that contains a row, since others may have wrapped the row.
    /** @type {(row: Node) => ChildNode | null} */
    const standing = (row) => {
      /** @type {Node | null} */
      let node = row;
      while (node && node.parentNode !== list) node = node.parentNode;
      return /** @type {ChildNode | null} */ (node);
    };

    /** @type {(from: number, to: number) => void} */
    const put = (from, to) => {
      for (let index = first; index < end; index += 1) if (index < from || index >= to) standing(rows[index])?.remove();
      [first, end] = [from, to];
      /** @type {Element[]} */
      const fresh = [];
      let next = null;
      for (const row of rows.slice(from, to).toReversed()) {
        const here = standing(row);
        // Do not move rows that are already there, because they would lose the focus.
        if (!here) {
          list.insertBefore(row, next);
          fresh.push(row);
        }
        next = here ?? row;
      }
      list.style.paddingTop = `${from * high}px`;
      list.style.paddingBottom = `${(rows.length - to) * high}px`;
      kit.drawn(...fresh);
    };

    const measure = () => {
      put(0, rows.length);
      for (const row of rows) row.style.minHeight = "";
      high = Math.max(...rows.map((row) => row.offsetHeight));
      for (const row of rows) row.style.minHeight = `${high}px`;
    };

    const look = () => {
      if (!list.isConnected) {
        life.abort();
        return;
      }
      if (list.offsetWidth !== wide) {
        wide = list.offsetWidth;
        measure();
      }
      // A hidden list has no height yet.
      if (!high) return;
      const dozen = high * DOZEN;
      const above = Math.max(0, -list.getBoundingClientRect().top);
      const start = Math.min(Math.floor(above / dozen), Math.ceil(rows.length / DOZEN) - 1);
      const from = Math.max(0, start - 1) * DOZEN;
      const to = Math.min(rows.length, (start + 1 + Math.max(2, Math.ceil(innerHeight / dozen))) * DOZEN);
      if (from !== first || to !== end) put(from, to);
    };

    // On sites that draw pages in the browser, the router must draw this list anew instead of updating it.
    kit.lost?.(list);
    const { signal } = life;
    document.addEventListener("scroll", look, { capture: true, passive: true, signal });
    addEventListener("resize", look, { signal });
    look();
  };

  kit.each("[data-virtual]", arm);
})();
