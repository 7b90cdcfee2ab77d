// Draws a page from JSON (stressweb/html/page_tree.py): unchanged elements stay, and only changes are drawn again.
/** @typedef {string | ElementTree} Tree */
/** @typedef {[name: string, attributes: Record<string, string>, content: Tree[]]} ElementTree */
/** @typedef {DrawnText | DrawnElement} Drawn */
/** @typedef {{tree: string, node: Text, held: Drawn[]}} DrawnText */
/** @typedef {{tree: ElementTree, node: Element, held: Drawn[]}} DrawnElement - A node, and what it was drawn from. */
/** @typedef {Node & {namespaceURI?: string | null}} Holder - An element, or a shadow root, which has no namespace. */
(() => {
  "use strict";
  const { kit } = globalThis;

  const SVG = "http://www.w3.org/2000/svg";
  const SHELL = "body > noscript, body > [data-failed]";
  // Elements that people open and close return to the state in the page each time.
  const FRESH = new Set(["details", "dialog", "iframe", "template"]);

  // The content of an element's shadow root; null if it has none.
  /** @type {(tree: ElementTree) => Tree[] | null} */
  const contentOf = (tree) => {
    const first = /** @type {ElementTree | undefined} */ (tree[2].find((child) => !isText(child)));
    return first && first[0] === "template" && "shadowrootmode" in first[1] ? first[2] : null;
  };
  /** @type {(tree: Tree) => tree is string} */
  const isText = (tree) => typeof tree === "string";
  /** @type {(trees: Tree[]) => string} */
  const textsOf = (trees) => trees.filter(isText).join("\u0000");

  // A block of a page, with its own styles and ids.
  class Block extends HTMLElement {
    /** @param {...Node} nodes */
    fill(...nodes) {
      const root = this.attachShadow({ mode: "open" });
      root.append(...nodes);
      // Submit events do not leave the shadow root.
      kit.hear(root);
    }
  }
  customElements.define("page-block", Block);

  // Whether to omit shadow roots, so that one query finds all elements.
  let isFlat = false;

  /** @type {(tree: Tree, space?: string | null) => Drawn} */
  const make = (tree, space = null) => {
    if (isText(tree)) return { tree, node: document.createTextNode(tree), held: [] };
    const [name, attributes, trees] = tree;
    const inside = name === "svg" ? SVG : space;
    const node = inside ? document.createElementNS(inside, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    const content = contentOf(tree);
    if (content) {
      const held = makeAll(content, null);
      node.append(...held.map((child) => child.node));
      if (!isFlat) /** @type {Block} */ (node).fill(...node.childNodes);
      return { tree, node, held };
    }
    const held = makeAll(trees, inside === SVG && name !== "foreignObject" ? SVG : null);
    const holder = name === "template" ? /** @type {HTMLTemplateElement} */ (node).content : node;
    holder.append(...held.map((child) => child.node));
    return { tree, node, held };
  };

  // The bundle already has all scripts.
  /** @type {(trees: Tree[], space: string | null) => Drawn[]} */
  const makeAll = (trees, space) => trees.filter((tree) => tree[0] !== "script").map((tree) => make(tree, space));

  // The key that identifies an item of a list from page to page: its id, or the target of its first link.
  /** @type {(tree: Tree) => string} */
  const firstLink = (tree) => {
    if (isText(tree)) return "";
    if (tree[0] === "a" && tree[1].href) return tree[1].href;
    for (const child of tree[2]) {
      const href = firstLink(child);
      if (href) return href;
    }
    return "";
  };
  /** @type {(tree: ElementTree) => boolean} */
  const isItem = (tree) =>
    "itemscope" in tree[1] || tree[2].some((child) => !isText(child) && "itemscope" in child[1]);
  /** @type {(tree: Tree) => string} */
  const keyOf = (tree) => {
    if (isText(tree)) return "";
    return tree[1].id || (isItem(tree) && firstLink(tree)) || "";
  };

  /** @type {(old: Drawn, tree: Tree, isNew: boolean) => boolean} */
  const canStay = (old, tree, isNew) => {
    if (isText(tree) || isText(old.tree)) return tree === old.tree;
    const [name, attributes, trees] = tree;
    if (name !== old.tree[0] || FRESH.has(name) || kit.isTaken(old.node) || lost.has(old.node)) return false;
    // A new page keeps nothing of the previous page's content.
    if (name === "main" && isNew) return false;
    // A field with another type or name is a different field.
    if (attributes.type !== old.tree[1].type || attributes.name !== old.tree[1].name) return false;
    // If a text changed, draw its element again, without what scripts have added to the old element.
    return textsOf(trees) === textsOf(old.tree[2]) && !contentOf(tree) === !contentOf(old.tree);
  };

  // Discard input that was not sent, as on a page load.
  /** @type {(node: Element) => void} */
  const resetInput = (node) => {
    if (node instanceof HTMLInputElement) {
      if (node.type !== "hidden" && node.type !== "file") node.value = node.defaultValue;
      node.checked = node.defaultChecked;
    } else if (node instanceof HTMLTextAreaElement) node.value = node.defaultValue;
    else if (node instanceof HTMLOptionElement) node.selected = node.defaultSelected;
  };

  /** @type {(node: Element, before: Record<string, string>, now: Record<string, string>) => void} */
  const updateAttributes = (node, before, now) => {
    for (const name of Object.keys(before)) if (!(name in now)) node.removeAttribute(name);
    for (const [name, value] of Object.entries(now)) if (before[name] !== value) node.setAttribute(name, value);
    resetInput(node);
  };

  // The holder's child that is or contains the drawn node, because scripts may have wrapped it.
  /** @type {(node: Node, holder: Node) => Node | null} */
  const childWith = (node, holder) => {
    /** @type {Node | null} */
    let child = node;
    while (child && child.parentNode !== holder) child = child.parentNode;
    return child;
  };

  /** @type {(holder: Holder, olds: Drawn[], trees: Tree[], isNew: boolean, fresh: Element[]) => Drawn[]} */
  const update = (holder, olds, trees, isNew, fresh) => {
    const unused = new Set(olds);
    const keyed = new Map(olds.map((old) => [keyOf(old.tree), old]));
    /** @type {(tree: Tree) => Drawn | null} */
    const find = (tree) => {
      const key = keyOf(tree);
      if (key) {
        const known = keyed.get(key);
        return known && unused.has(known) && canStay(known, tree, isNew) ? known : null;
      }
      for (const old of unused) if (!keyOf(old.tree) && canStay(old, tree, isNew)) return old;
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
        unused.delete(old);
        if (isText(tree)) return old;
        const { tree: before, node, held } = /** @type {DrawnElement} */ (old);
        updateAttributes(node, before[1], tree[1]);
        const inside = node.shadowRoot ?? node;
        return { tree, node, held: update(inside, held, contentOf(tree) ?? tree[2], isNew, fresh) };
      });
    for (const old of unused) old.node.remove();
    /** @type {Node | null} */
    let next = null;
    for (const { node } of now.toReversed()) {
      const child = childWith(node, holder) ?? node;
      // Do not move a node that is in its place, because it would lose the focus.
      const following = child.parentNode === holder ? nextDrawn(child, now) : undefined;
      if (following !== next) holder.insertBefore(child, next);
      next = child;
    }
    return now;
  };

  // The next drawn sibling; scripts may have inserted others in between.
  /** @type {(node: Node, now: Drawn[]) => Node | null} */
  const nextDrawn = (node, now) => {
    for (let sibling = node.nextSibling; sibling; sibling = sibling.nextSibling) {
      const candidate = sibling;
      if (now.some((drawn) => candidate === drawn.node || candidate.contains(drawn.node))) return candidate;
    }
    return null;
  };

  // The element of this name in another one, which must have it.
  /** @type {(tree: ElementTree, name: string) => ElementTree} */
  const childOf = (tree, name) => /** @type {ElementTree} */ (tree[2].find((child) => child[0] === name));
  /** @type {Drawn[]} */
  let drawnBody = [];
  const lost = new WeakSet();

  /**
   * Replaces the current page by another one.
   *
   * @param {ElementTree} page - The new page's element `html`.
   * @param {boolean} isNew - Whether its address differs from the current page's.
   */
  kit.draw = (page, isNew) => {
    /** @type {Element[]} */
    const fresh = [];
    // Remove only elements of the shell: others belong to other scripts.
    if (!drawnBody.length) for (const element of document.querySelectorAll(SHELL)) element.remove();
    // Close popovers, as on a page load.
    for (const popover of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(":popover-open")))
      popover.hidePopover();
    drawnBody = update(document.body, drawnBody, childOf(page, "body")[2], isNew, fresh);
    document.title = childOf(childOf(page, "head"), "title")[2].join("");
    kit.drawn(...fresh);
  };

  /** Returns a page as a document that is not shown, with the content of shadow roots in the document itself. */
  kit.made = (page) => {
    const hiddenDocument = document.implementation.createHTMLDocument();
    isFlat = true;
    hiddenDocument.body.append(...makeAll(childOf(page, "body")[2], null).map((child) => child.node));
    isFlat = false;
    return hiddenDocument;
  };

  /** Marks an element whose content was replaced, so that it is drawn again next time. */
  kit.lost = (element) => lost.add(element);
})();
