// Returns the first element that a CSS selector matches in the page's copy, which includes shadow roots and documents
// of frames of this origin, in the places where stressweb/html/copy.js puts them. `findInner` is
// stressweb/html/inner.js, which the copy uses, too. Without shadow roots and frames, the page itself is queried.
/**
 * @typedef {Document | ShadowRoot} Root
 */
/**
 * @param {(page: Document) => Map<Element, Root>} findInner
 * @param {string} selector
 */
(findInner, selector) => {
  "use strict";
  const inner = findInner(document);
  const plain = document.querySelector(selector);
  if (!inner.size) return plain;

  // In a detached document, elements that are appended to a template are its children, so that selectors match them.
  const flat = document.implementation.createHTMLDocument("");
  /** @type {Map<Element | null, Element>} */
  const originals = new Map();
  /** @type {(element: Element, root: Root) => boolean} */
  const isPageElement = (element, root) => {
    const outer =
      element.parentNode === root || element.parentNode === /** @type {Partial<Document>} */ (root).documentElement;
    return root.nodeType === 9 && outer && /^(?:html|head|body)$/.test(element.localName);
  };
  /** @type {(element: Element, root: Root) => Element} */
  const copied = (element, root) => {
    if (root === document || !isPageElement(element, root)) return flat.importNode(element, false);
    const copy = flat.createElement(`frame-${element.localName}`);
    for (const { name, value } of element.attributes) copy.setAttributeNS(null, name, value);
    return copy;
  };
  /** @type {(root: Root) => Element} */
  const template = (root) => {
    const copy = flat.createElement("template");
    if (root.nodeType === 9) copy.setAttribute("framedocument", /** @type {Document} */ (root).URL);
    else copy.setAttribute("shadowrootmode", /** @type {ShadowRoot} */ (root).mode);
    return copy;
  };
  const whole = flat.importNode(document.documentElement, false);
  flat.replaceChild(whole, flat.documentElement);
  originals.set(whole, document.documentElement);
  /** @type {[from: Node, into: Element, root: Root][]} - A node, its copy and its root. */
  const pending = [[document.documentElement, whole, document]];
  /** @type {(node: Node, into: Element, root: Root) => void} */
  const append = (node, into, root) => {
    if (node.nodeType === 3 && /** @type {Text} */ (node).data) into.append(flat.createTextNode("-"));
    if (node.nodeType !== 1) return;
    const copy = copied(/** @type {Element} */ (node), root);
    originals.set(copy, /** @type {Element} */ (node));
    into.append(copy);
    const innerRoot = inner.get(/** @type {Element} */ (node));
    if (innerRoot) {
      const innerCopy = template(innerRoot);
      (innerRoot.nodeType === 9 ? into : copy).append(innerCopy);
      pending.push([innerRoot, innerCopy, innerRoot]);
    }
    pending.push([node, copy, root]);
  };
  const nodesOf = /** @type {{get: (this: Node) => NodeListOf<Node>}} */ (
    Object.getOwnPropertyDescriptor(Node.prototype, "childNodes")
  ).get;
  while (pending.length) {
    const [from, into, root] = /** @type {[Node, Element, Root]} */ (pending.pop());
    if (from.nodeType === 9) append(/** @type {Document} */ (from).documentElement, into, root);
    else for (const node of nodesOf.call(from)) append(node, into, root);
  }
  // A selector such as `:focus` matches only in the live document.
  return originals.get(flat.querySelector(selector)) ?? plain;
}
