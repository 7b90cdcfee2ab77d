// Fills each list that names a feed, with a heading for each group and a microdata item for each entry.
(() => {
  "use strict";

  /** @type {(tag: string, classes: string, text: string) => any} */
  const make = (tag, classes, text) => {
    const node = document.createElement(tag);
    if (classes) node.className = classes;
    if (text) node.textContent = text;
    return node;
  };

  // Creates a property of the item: its text, and for a time also the machine-readable value.
  /** @type {(property: any) => Element} */
  const part = (property) => {
    const node = make(property.value ? "time" : "span", property.style, "");
    if (property.value) node.dateTime = property.value;
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

  /** @type {(entry: any) => Element} */
  const item = (entry) => {
    const node = make("article", entry.style, "");
    node.setAttribute("itemscope", "");
    node.setAttribute("itemtype", `https://schema.org/${entry.type}`);
    for (const property of entry.parts) node.append(part(property), " ");
    return node;
  };

  /** @type {(section: any) => Element} */
  const group = (section) => {
    const node = make("section", "kit-group", "");
    const heading = make("h2", "h6 kit-name", "");
    const link = make("a", "", section.name);
    link.href = section.href;
    heading.append(link);
    node.append(heading, ...section.items.map(item));
    return node;
  };

  /** @type {(list: any) => Promise<void>} */
  const draw = async (list) => {
    /** @type {(text: string) => void} */
    const say = (text) => list.replaceChildren(make("p", "alert alert-secondary", text));
    try {
      const answer = await fetch(list.dataset.feed, { credentials: "same-origin" });
      if (!answer.ok) throw new Error(String(answer.status));
      const { groups } = await answer.json();
      if (groups.length) list.replaceChildren(...groups.map(group));
      else say(list.dataset.empty);
    } catch {
      say(list.dataset.failed);
    }
    list.removeAttribute("aria-busy");
  };

  globalThis.kit.each("[data-feed]", (list) => void draw(list));
})();
