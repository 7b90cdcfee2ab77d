// Fills each list that names a feed, with a heading for each group and a microdata item for each entry.
/** @import { ElementOf } from "../../browser/kit.js" */
/** @typedef {HTMLElement & {dataset: {feed: string, empty: string, failed: string}}} FeedList */
/** @typedef {{name: string, href: string, items: FeedEntry[]}} FeedGroup */
/** @typedef {{type: string, style: string, parts: FeedProperty[]}} FeedEntry */
/**
 * @typedef {object} FeedProperty
 * @property {string} prop - Its `itemprop`.
 * @property {string} text
 * @property {string} [style] - Classes of its element.
 * @property {string} [value] - The time that the text names.
 * @property {string} [href]
 */
(() => {
  "use strict";

  /** @type {<T extends keyof HTMLElementTagNameMap>(tag: T, classes?: string, text?: string) => ElementOf<T>} */
  const make = (tag, classes, text) => {
    const node = document.createElement(tag);
    if (classes) node.className = classes;
    if (text) node.textContent = text;
    return node;
  };

  // Creates a property of the item: its text, and for a time also the machine-readable value.
  /** @type {(property: FeedProperty) => Element} */
  const part = (property) => {
    const node = make(property.value ? "time" : "span", property.style, "");
    if (property.value) /** @type {HTMLTimeElement} */ (node).dateTime = property.value;
    if (!property.href) {
      node.textContent = property.text;
      node.setAttribute("itemprop", property.prop);
      return node;
    }
    const link = make("a", "", "");
    link.href = property.href;
    link.setAttribute("itemprop", "url");
    const text = make("span", "", property.text);
    text.setAttribute("itemprop", property.prop);
    link.append(text);
    node.append(link);
    return node;
  };

  /** @type {(entry: FeedEntry) => Element} */
  const item = (entry) => {
    const node = make("article", entry.style, "");
    node.setAttribute("itemscope", "");
    node.setAttribute("itemtype", `https://schema.org/${entry.type}`);
    for (const property of entry.parts) node.append(part(property), " ");
    return node;
  };

  /** @type {(section: FeedGroup) => Element} */
  const group = (section) => {
    const node = make("section", "kit-group", "");
    const heading = make("h2", "h6 kit-name", "");
    const link = make("a", "", section.name);
    link.href = section.href;
    heading.append(link);
    node.append(heading, ...section.items.map(item));
    return node;
  };

  /** @type {(list: FeedList) => Promise<void>} */
  const draw = async (list) => {
    /** @type {(text: string) => void} */
    const say = (text) => list.replaceChildren(make("p", "alert alert-secondary", text));
    try {
      const answer = await fetch(list.dataset.feed, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      /** @type {{groups: FeedGroup[]}} */
      const { groups } = await answer.json();
      if (groups.length) list.replaceChildren(...groups.map(group));
      else say(list.dataset.empty);
    } catch {
      say(list.dataset.failed);
    }
    list.removeAttribute("aria-busy");
  };

  globalThis.kit.each("[data-feed]", (/** @type {FeedList} */ list) => void draw(list));
})();
