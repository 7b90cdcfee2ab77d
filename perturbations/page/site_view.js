// The site's own document, without our nodes and wrappers.
/**
 * The kind of a node: "added" for a node that is ours with its contents, "wrapper" for an element of ours around nodes
 * of the site, undefined for a node of the site.
 *
 * @typedef {(node: Node) => "added" | "wrapper" | undefined} KindOf
 */
/**
 * The surroundings of an element of the site.
 *
 * @typedef {object} Surroundings
 * @property {boolean} added - Whether it is in a node of ours.
 * @property {boolean} untouched - Whether it is in an element that no mode changes, such as a drawing or a script.
 * @property {boolean} sectioned - Whether it is in a section of the page, such as an article.
 * @property {Element | null} form - The innermost form around it.
 * @property {Element | null} label - The innermost label around it.
 */
/**
 * @typedef {object} SiteView
 * @property {KindOf} kindOf - The kind of a node.
 * @property {(element: Element, name: string) => string | null} attribute - Value of an attribute in the markup.
 * @property {(element: Element) => string} tagOf - Name of an element, in lower case.
 * @property {(node: Node) => node is Element} isElement - Whether a node is an element.
 * @property {(node: Node) => string | null} textOf - Text of a text node; null for any other node.
 * @property {(node: Node) => Node | null} first - First child of a node, ours or the site's.
 * @property {(root: Document | ShadowRoot, id: string) => Element | null} byId - The first element with an id.
 * @property {(root: Document | ShadowRoot, selector: string) => ArrayLike<Element>} all - Elements that a selector
 *   matches in the body of a document, or in a shadow root, ours included.
 * @property {(root: Document | ShadowRoot) => Node | null} bodyOf - The body of a document, or the shadow root itself.
 * @property {(tag: string) => boolean} isUntouched - Whether no mode changes elements of this name.
 * @property {(root: Node, enter: (node: Node) => boolean | null, leave?: (element: Element) => void) => void} walk -
 *   Calls `enter` for each node of the site in a root, in document order. If it returns true, the walk visits the
 *   node's contents and then calls `leave`; with false it skips them; with null it ends.
 * @property {() => (element: Element) => Surroundings} surroundings - Returns a function that returns the surroundings
 *   of an element. It caches them, so it is valid only until the document changes.
 */
/**
 * @param {KindOf} kindOf
 * @returns {SiteView}
 */
export const makeSiteView = (kindOf) => {
  const UNTOUCHED = new Set(["script", "style", "template", "noscript", "svg", "math", "iframe", "object"]);
  const SECTIONS = new Set(["article", "aside", "main", "nav", "section"]);
  const NOWHERE = { added: false, untouched: false, sectioned: false, form: null, label: null };

  // Saved before any script of the page can replace them. Also, fields of a form and pictures of a document can shadow
  // properties of the same name.
  const { call } = Function.prototype;
  const method = (/** @type {{prototype: object}} */ type, /** @type {string} */ name) =>
    call.bind(/** @type {Record<string, () => unknown>} */ (type.prototype)[name]);
  const getter = (/** @type {{prototype: object}} */ type, /** @type {string} */ name) =>
    call.bind(/** @type {() => unknown} */ (Object.getOwnPropertyDescriptor(type.prototype, name)?.get));
  const attribute = method(Element, "getAttribute");
  const tagOf = getter(Element, "localName");
  const typeOf = getter(Node, "nodeType");
  const first = getter(Node, "firstChild");
  const next = getter(Node, "nextSibling");
  const parent = getter(Node, "parentNode");
  const dataOf = getter(CharacterData, "data");
  const body = getter(Document, "body");
  const idIn = [method(Document, "getElementById"), method(DocumentFragment, "getElementById")];
  const allIn = [method(Element, "querySelectorAll"), method(DocumentFragment, "querySelectorAll")];

  /**
   * @param {Node} node
   * @returns {node is Element}
   */
  const isElement = (node) => typeOf(node) === 1;
  /** @type {SiteView["textOf"]} */
  const textOf = (node) => (typeOf(node) === 3 ? dataOf(node) : null);
  /** @type {SiteView["bodyOf"]} */
  const bodyOf = (root) => (typeOf(root) === 9 ? body(root) : root);
  /** @type {SiteView["byId"]} */
  const byId = (root, id) => idIn[typeOf(root) === 9 ? 0 : 1](root, id);
  /** @type {SiteView["all"]} */
  const all = (root, selector) => {
    const holder = bodyOf(root);
    return holder ? allIn[isElement(holder) ? 0 : 1](holder, selector) : [];
  };

  /** @type {SiteView["walk"]} */
  const walk = (root, enter, leave) => {
    let node = first(root);
    while (node) {
      const wraps = kindOf(node);
      const goes = wraps === "wrapper" || (wraps !== "added" && enter(node));
      if (goes === null) return;
      const inner = goes ? first(node) : null;
      if (inner) {
        node = inner;
        continue;
      }
      if (goes && !wraps) leave?.(node);
      // No recursion, because scripts can nest elements too deeply for the stack.
      while (!next(node)) {
        node = parent(node);
        if (node === root) return;
        if (leave && !kindOf(node)) leave(node);
      }
      node = next(node);
    }
  };

  /** @param {Surroundings} around @param {Node} node */
  const entered = (around, node) => {
    const kind = kindOf(node);
    if (kind === "added") return { ...around, added: true };
    if (kind === "wrapper" || !isElement(node)) return around;
    const tag = tagOf(node);
    if (tag === "form") return { ...around, form: node };
    if (tag === "label") return { ...around, label: node };
    if (SECTIONS.has(tag)) return { ...around, sectioned: true };
    return UNTOUCHED.has(tag) ? { ...around, untouched: true } : around;
  };

  const surroundings = () => {
    const known = new Map();
    return (/** @type {Element} */ element) => {
      const path = [];
      let node = parent(element);
      for (; node && !known.has(node); node = parent(node)) path[path.length] = node;
      let around = node ? known.get(node) : NOWHERE;
      // Each ancestor is processed once.
      for (let i = path.length - 1; i >= 0; i -= 1) known.set(path[i], (around = entered(around, path[i])));
      return around;
    };
  };

  /** @type {SiteView["isUntouched"]} */
  const isUntouched = (tag) => UNTOUCHED.has(tag);
  return { kindOf, attribute, tagOf, isElement, textOf, first, byId, all, bodyOf, isUntouched, walk, surroundings };
};
