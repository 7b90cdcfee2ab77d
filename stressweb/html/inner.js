// What hangs on elements of a live document instead of being their content: shadow roots, and documents of frames.
/**
 * To be evaluated in a world that no script of the page shares.
 *
 * @param {Document} live
 * @returns {Map<Element, Document | ShadowRoot>} - Roots and documents at any depth, by the elements that they hang on:
 *   those of the document first, in its order, then those in these. Closed roots are not among them, since no script
 *   can see whether an element has one; nor are frames of other origins, nor documents without anything in their body.
 */
(live) => {
  "use strict";
  const bound = (method) => Function.prototype.call.bind(method);
  const getter = (type, name) => bound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const nodeType = getter(Node, "nodeType");
  const firstChild = getter(Node, "firstChild");
  const shadowRoot = getter(Element, "shadowRoot");
  const body = getter(Document, "body");
  const pageIn = [getter(HTMLIFrameElement, "contentDocument"), getter(HTMLFrameElement, "contentDocument")];
  const allIn = [bound(Document.prototype.querySelectorAll), bound(DocumentFragment.prototype.querySelectorAll)];
  const HTML = "http://www.w3.org/1999/xhtml";

  const pageOf = (element) => {
    const name = element.localName;
    if ((name !== "iframe" && name !== "frame") || element.namespaceURI !== HTML) return null;
    const page = pageIn[name === "iframe" ? 0 : 1](element);
    const holder = page && body(page);
    return holder && firstChild(holder) ? page : null;
  };

  const found = new Map();
  const roots = [live];
  // The list grows while it is gone through: a root may have further roots and frames in it.
  for (let at = 0; at < roots.length; at += 1) {
    const elements = allIn[nodeType(roots[at]) === Node.DOCUMENT_NODE ? 0 : 1](roots[at], "*");
    for (let one = 0; one < elements.length; one += 1) {
      const element = elements[one];
      const root = shadowRoot(element) ?? pageOf(element);
      if (!root) continue;
      found.set(element, root);
      roots.push(root);
    }
  }
  return found;
}
