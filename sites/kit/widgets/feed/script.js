// Fills every list on the page that names a feed: a heading for each group, and a microdata item for each entry.
(() => {
  "use strict";

  const make = (tag, classes, text) => {
    const node = document.createElement(tag);
    if (classes) node.className = classes;
    if (text) node.textContent = text;
    return node;
  };

  // A part is a property of the item: what it says, and what it means where that is not the text.
  const part = (told) => {
    const node = make(told.value ? "time" : "span", told.style, "");
    if (told.value) node.dateTime = told.value;
    if (!told.href) {
      node.textContent = told.text;
      node.setAttribute("itemprop", told.prop);
      return node;
    }
    const link = make("a", "", "");
    link.href = told.href;
    link.setAttribute("itemprop", "url");
    const text = make("span", "", told.text);
    text.setAttribute("itemprop", told.prop);
    link.append(text);
    node.append(link);
    return node;
  };

  const item = (told) => {
    const node = make("article", told.style, "");
    node.setAttribute("itemscope", "");
    node.setAttribute("itemtype", `https://schema.org/${told.type}`);
    for (const one of told.parts) node.append(part(one), " ");
    return node;
  };

  const group = (told) => {
    const node = make("section", "kit-group", "");
    const heading = make("h2", "h6 kit-name", "");
    const link = make("a", "", told.name);
    link.href = told.href;
    heading.append(link);
    node.append(heading, ...told.items.map(item));
    return node;
  };

  const draw = async (list) => {
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
