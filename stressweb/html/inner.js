// What hangs on elements of a live document instead of being their content: shadow roots, and documents of frames.
/**
 * Returns a method as a function that takes the object first.
 *
 * @typedef {<Self, Given extends unknown[], Answer>(method: (this: Self, ...given: Given) => Answer) =>
 *   (self: Self, ...given: Given) => Answer} Bound
 */
/**
 * Returns the getter of a property as a function that takes the object.
 *
 * @typedef {<Self, Name extends keyof Self>(type: {prototype: Self}, name: Name) => (self: Self) => Self[Name]} Getter
 */
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
  /** @type {Bound} */
  const bound = (method) => Function.prototype.call.bind(method);
  /** @type {Getter} */
  const getter = (type, name) =>
    bound(/** @type {Required<PropertyDescriptor>} */ (Object.getOwnPropertyDescriptor(type.prototype, name)).get);
  const nodeType = getter(Node, "nodeType");
  const firstChild = getter(Node, "firstChild");
  const shadowRoot = getter(Element, "shadowRoot");
  const body = getter(Document, "body");
  const pageIn = [getter(HTMLIFrameElement, "contentDocument"), getter(HTMLFrameElement, "contentDocument")];
  const allIn = [bound(Document.prototype.querySelectorAll), bound(DocumentFragment.prototype.querySelectorAll)];
  const HTML = "http://www.w3.org/1999/xhtml";

  /** @type {(frame: Element) => Document | null} */
  const pageOf = (frame) => {
    if (frame.namespaceURI !== HTML) return null;
    const page = pageIn[frame.localName === "iframe" ? 0 : 1](
      /** @type {HTMLIFrameElement & HTMLFrameElement} */ (frame),
    );
    const holder = page && body(page);
    return holder && firstChild(holder) ? page : null;
  };

  /** @type {Map<Element, Document | ShadowRoot>} */
  const found = new Map();
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [live];
  /** @type {(element: Element, root: Document | ShadowRoot | null) => void} */
  const add = (element, root) => {
    if (!root) return;
    found.set(element, root);
    roots.push(root);
  };
  // The list grows while it is gone through: a root may have further roots and frames in it.
  for (let at = 0; at < roots.length; at += 1) {
    const all = allIn[nodeType(roots[at]) === Node.DOCUMENT_NODE ? 0 : 1];
    const elements = all(roots[at], "*");
    // Asked as usual first, which takes a third of the time. A form may answer with a field of that name.
    for (let one = 0; one < elements.length; one += 1) {
      if (elements[one].shadowRoot) add(elements[one], shadowRoot(elements[one]));
    }
    for (const frame of all(roots[at], "iframe, frame")) add(frame, pageOf(frame));
  }
  return found;
}
