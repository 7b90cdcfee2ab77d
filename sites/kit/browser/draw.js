// Draws a page that came as JSON (stressweb/html/page_tree.py): elements that say what they said before stay, and only
// what differs is made anew.
/**
 * @typedef {string | [string, Record<string, string>, Tree[]]} Tree
 * @typedef {object} Drawn
 * @property {Tree} tree - What it was drawn from.
 * @property {any} node
 * @property {Drawn[]} held
 */
(() => {
  "use strict";
  const { kit } = globalThis;

  const SVG = "http://www.w3.org/2000/svg";
  const SHELL = "body > noscript, body > [data-failed]";
  // What people open and close is as the page says each time.
  const FRESH = new Set(["details", "dialog", "iframe", "template"]);

  // What stands in the shadow root of an element; null where it has none.
  const contentOf = (tree) => {
    const first = tree[2].find((one) => !isText(one));
    return first && first[0] === "template" && "shadowrootmode" in first[1] ? first[2] : null;
  };
  const isText = (tree) => typeof tree === "string";
  const textsOf = (trees) => trees.filter(isText).join("\u0000");

  // A block of a page, with styles and ids of its own.
  class Block extends HTMLElement {
    fill(...nodes) {
      const root = this.attachShadow({ mode: "open" });
      root.append(...nodes);
      // A form is sent without those outside of its root hearing of it.
      kit.hear(root);
    }
  }
  customElements.define("page-block", Block);

  // Whether roots are left out, so that one query finds all there is.
  let isFlat = false;

  /** @returns {Drawn} */
  const make = (tree, space = null) => {
    if (isText(tree)) return { tree, node: document.createTextNode(tree), held: [] };
    const [name, attributes, trees] = tree;
    const inside = name === "svg" ? SVG : space;
    const node = inside ? document.createElementNS(inside, name) : document.createElement(name);
    for (const [one, value] of Object.entries(attributes)) node.setAttribute(one, value);
    const content = contentOf(tree);
    if (content) {
      const held = made(content, null);
      node.append(...held.map((one) => one.node));
      if (!isFlat) node.fill(...node.childNodes);
      return { tree, node, held };
    }
    const held = made(trees, inside === SVG && name !== "foreignObject" ? SVG : null);
    const holder = name === "template" ? node.content : node;
    holder.append(...held.map((one) => one.node));
    return { tree, node, held };
  };

  // Scripts are in the bundle that draws.
  const made = (trees, space) => trees.filter((tree) => tree[0] !== "script").map((tree) => make(tree, space));

  // What an item of a list is known by from page to page: its id, or where its first link leads.
  const firstLink = (tree) => {
    if (isText(tree)) return "";
    if (tree[0] === "a" && tree[1].href) return tree[1].href;
    for (const one of tree[2]) {
      const found = firstLink(one);
      if (found) return found;
    }
    return "";
  };
  const isItem = (tree) => "itemscope" in tree[1] || tree[2].some((one) => !isText(one) && "itemscope" in one[1]);
  const keyOf = (tree) => {
    if (isText(tree)) return "";
    return tree[1].id || (isItem(tree) && firstLink(tree)) || "";
  };

  const canStay = (old, tree, isNew) => {
    if (isText(tree) || isText(old.tree)) return tree === old.tree;
    const [name, attributes, trees] = tree;
    if (name !== old.tree[0] || FRESH.has(name) || kit.isTaken(old.node) || lost.has(old.node)) return false;
    // Another page has another content, and none of the last one's.
    if (name === "main" && isNew) return false;
    // A field of another kind or name is another field.
    if (attributes.type !== old.tree[1].type || attributes.name !== old.tree[1].name) return false;
    // A text that has changed is drawn with its element: whatever has been put into the old one goes with it.
    return textsOf(trees) === textsOf(old.tree[2]) && !contentOf(tree) === !contentOf(old.tree);
  };

  // What was typed and not sent is gone, as on a page that was loaded.
  const asWritten = (node) => {
    if (node instanceof HTMLInputElement) {
      if (node.type !== "hidden" && node.type !== "file") node.value = node.defaultValue;
      node.checked = node.defaultChecked;
    } else if (node instanceof HTMLTextAreaElement) node.value = node.defaultValue;
    else if (node instanceof HTMLOptionElement) node.selected = node.defaultSelected;
  };

  const retell = (node, before, now) => {
    for (const name of Object.keys(before)) if (!(name in now)) node.removeAttribute(name);
    for (const [name, value] of Object.entries(now)) if (before[name] !== value) node.setAttribute(name, value);
    asWritten(node);
  };

  // A child of the holder: what was drawn itself, or what somebody has put around it.
  const standing = (node, holder) => {
    let found = node;
    while (found && found.parentNode !== holder) found = found.parentNode;
    return found;
  };

  const update = (holder, olds, trees, isNew, fresh) => {
    const left = new Set(olds);
    const keyed = new Map(olds.map((old) => [keyOf(old.tree), old]));
    const find = (tree) => {
      const key = keyOf(tree);
      if (key) {
        const known = keyed.get(key);
        return known && left.has(known) && canStay(known, tree, isNew) ? known : null;
      }
      for (const old of left) if (!keyOf(old.tree) && canStay(old, tree, isNew)) return old;
      return null;
    };
    const now = trees
      .filter((tree) => tree[0] !== "script")
      .map((tree) => {
        const old = find(tree);
        if (!old) {
          const drawn = make(tree, holder.namespaceURI === SVG ? SVG : null);
          if (drawn.node instanceof Element) fresh.push(drawn.node);
          return drawn;
        }
        left.delete(old);
        if (isText(tree)) return old;
        retell(old.node, old.tree[1], tree[1]);
        const inside = old.node.shadowRoot ?? old.node;
        return { tree, node: old.node, held: update(inside, old.held, contentOf(tree) ?? tree[2], isNew, fresh) };
      });
    for (const old of left) old.node.remove();
    let next = null;
    for (const { node } of now.toReversed()) {
      const here = standing(node, holder) ?? node;
      // What stands where it belongs is not moved, which would take its focus.
      const behind = here.parentNode === holder ? nextDrawn(here, now) : undefined;
      if (behind !== next) holder.insertBefore(here, next);
      next = here;
    }
    return now;
  };

  // The next of what was drawn; others may have put something in between.
  const nextDrawn = (node, now) => {
    for (let one = node.nextSibling; one; one = one.nextSibling) {
      const found = one;
      if (now.some((drawn) => found === drawn.node || found.contains(drawn.node))) return found;
    }
    return null;
  };

  const bodyOf = (page) => page[2].find((tree) => tree[0] === "body");
  let here = [];
  const lost = new WeakSet();

  /**
   * Draws a page in the place of the one that is there.
   *
   * @param {Tree} page - Its element `html`.
   * @param {boolean} isNew - Whether it is at another address than the one that is there.
   */
  kit.draw = (page, isNew) => {
    const fresh = [];
    // Of the shell alone: whatever else is there by now is not ours.
    if (!here.length) for (const one of document.querySelectorAll(SHELL)) one.remove();
    // As on a page that was loaded.
    for (const one of document.querySelectorAll(":popover-open")) one.hidePopover();
    here = update(document.body, here, bodyOf(page)[2], isNew, fresh);
    const head = page[2].find((tree) => tree[0] === "head");
    document.title = head[2].find((tree) => tree[0] === "title")[2].join("");
    kit.drawn(...fresh);
  };

  /** Returns a page as a document that is not shown and has no shadow roots: their content stands in the document. */
  kit.made = (page) => {
    const apart = document.implementation.createHTMLDocument();
    isFlat = true;
    apart.body.append(...made(bodyOf(page)[2], null).map((one) => one.node));
    isFlat = false;
    return apart;
  };

  /** Says that an element holds something else than what was drawn: it is drawn anew next time. */
  kit.lost = (element) => lost.add(element);
})();
