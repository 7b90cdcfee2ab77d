// The first element that a CSS selector matches in the page as its copy shows it: with shadow roots, and documents of
// frames of this origin, where stressweb/html/copy.js writes them; `findInner` is stressweb/html/inner.js, by which the
// copy finds them too. A page without them is asked as it stands.
(findInner, selector) => {
  "use strict";
  const inner = findInner(document);
  const plain = document.querySelector(selector);
  if (!inner.size) return plain;

  // In a document that is shown nowhere a template can hold elements as any other one does, so that selectors match.
  const flat = document.implementation.createHTMLDocument("");
  const originals = new Map();
  const standing = (element, root) => {
    const outer = element.parentNode === root || element.parentNode === root.documentElement;
    return root.nodeType === 9 && outer && /^(?:html|head|body)$/.test(element.localName);
  };
  const copied = (element, root) => {
    if (root === document || !standing(element, root)) return flat.importNode(element, false);
    const copy = flat.createElement(`frame-${element.localName}`);
    for (const { name, value } of element.attributes) copy.setAttributeNS(null, name, value);
    return copy;
  };
  const template = (root) => {
    const made = flat.createElement("template");
    if (root.nodeType === 9) made.setAttribute("framedocument", root.URL);
    else made.setAttribute("shadowrootmode", root.mode);
    return made;
  };
  const whole = flat.importNode(document.documentElement, false);
  flat.replaceChild(whole, flat.documentElement);
  originals.set(whole, document.documentElement);
  const left = [[document.documentElement, whole, document]];
  const put = (node, into, root) => {
    if (node.nodeType === 3 && node.data) into.append(flat.createTextNode("-"));
    if (node.nodeType !== 1) return;
    const copy = copied(node, root);
    originals.set(copy, node);
    into.append(copy);
    const held = inner.get(node);
    if (held) {
      const made = template(held);
      (held.nodeType === 9 ? into : copy).append(made);
      left.push([held, made, held]);
    }
    left.push([node, copy, root]);
  };
  const nodesOf = Object.getOwnPropertyDescriptor(Node.prototype, "childNodes").get;
  while (left.length) {
    const [from, into, root] = left.pop();
    if (from.nodeType === 9) put(from.documentElement, into, root);
    else for (const node of nodesOf.call(from)) put(node, into, root);
  }
  // What matches in the live document alone does so by what no copy has, such as `:focus`.
  return originals.get(flat.querySelector(selector)) ?? plain;
}
