// What the page's own scripts draw is the site's like everything else: it gets its marks, and the modes what they must
// know of it, before anybody can act on it. Nodes are never replaced, so that their listeners stay.
/**
 * @typedef {object} AdoptionSettings
 * @property {string} mode
 * @property {string} prefix - What every mark of this document begins with.
 */

/**
 * @param {Api} api
 * @param {AdoptionSettings} settings
 */
(api, settings) => {
  "use strict";
  const UNTOUCHED = "script, style, template, noscript, svg, math, iframe, object";
  const sent = new WeakSet();

  const marked = (element) => {
    for (const name of element.classList) {
      if (name.length === api.page.length && name.startsWith(settings.prefix)) return true;
    }
    return false;
  };
  const isBare = (element) => !marked(element) && !sent.has(element) && !element.closest(UNTOUCHED);

  // The document as it stands, in a copy that loads and runs nothing, with a number on each element that has no mark.
  const numbered = () => {
    const root = document.documentElement;
    const copy = document.implementation.createHTMLDocument("").importNode(root, true);
    const copies = copy.querySelectorAll("body *");
    const bare = [];
    root.querySelectorAll("body *").forEach((element, at) => {
      if (!isBare(element)) return;
      copies[at].setAttribute(api.page, bare.length);
      bare.push(element);
    });
    return [bare, copy.outerHTML];
  };

  const adopt = () => {
    const [bare, html] = numbered();
    if (!bare.length) return;
    for (const element of bare) sent.add(element);
    const told = api.report(null, api.page, "drawn", [location.pathname + location.search, html]);
    if (!told) return;
    for (const [at, token] of Object.entries(told.tokens)) bare[at].classList.add(token);
    api.extend(told);
  };

  const isNew = (node) =>
    node instanceof Element && document.body.contains(node) && [node, ...node.querySelectorAll("*")].some(isBare);

  // Elements that the parser adds are already marked, and no agent acts before the parser is done.
  const watcher = new MutationObserver((records) => {
    if (document.readyState !== "loading" && records.some((record) => [...record.addedNodes].some(isNew))) adopt();
  });
  watcher.observe(document, { childList: true, subtree: true });
  window.addEventListener("DOMContentLoaded", adopt, true);
}
