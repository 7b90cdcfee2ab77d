// Keeps those rows of a long list on the page that can be seen, and some around them. All rows have one height, so that
// which they are follows from how far the page is scrolled. They come and go by the dozen: small shifts change nothing.
(() => {
  "use strict";
  const { kit } = globalThis;
  const DOZEN = 12;

  const arm = (list) => {
    const rows = [...list.children];
    const life = new AbortController();
    // Of a row and of the list, in pixels.
    let high = 0;
    let wide = 0;
    let [first, end] = [0, rows.length];

    // The child of the list that a row is in: others may have put something around the row.
    const standing = (row) => {
      let found = row;
      while (found && found.parentNode !== list) found = found.parentNode;
      return found;
    };

    const put = (from, to) => {
      for (let at = first; at < end; at += 1) if (at < from || at >= to) standing(rows[at])?.remove();
      [first, end] = [from, to];
      const fresh = [];
      let next = null;
      for (const row of rows.slice(from, to).toReversed()) {
        const here = standing(row);
        // What stands there already is not moved, which would take its focus.
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
      // A list that is not shown has no height yet.
      if (!high) return;
      const dozen = high * DOZEN;
      const above = Math.max(0, -list.getBoundingClientRect().top);
      const start = Math.min(Math.floor(above / dozen), Math.ceil(rows.length / DOZEN) - 1);
      const from = Math.max(0, start - 1) * DOZEN;
      const to = Math.min(rows.length, (start + 1 + Math.max(2, Math.ceil(innerHeight / dozen))) * DOZEN);
      if (from !== first || to !== end) put(from, to);
    };

    // The site that draws in the browser draws such a list anew.
    kit.lost?.(list);
    const { signal } = life;
    document.addEventListener("scroll", look, { capture: true, passive: true, signal });
    addEventListener("resize", look, { signal });
    look();
  };

  kit.each("[data-virtual]", arm);
})();
