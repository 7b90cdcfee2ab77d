// Writes a live document as markup, in one walk that changes nothing: what `outerHTML` would give, with the current
// values of fields written in, and the same for what `outerHTML` leaves out, open shadow roots and frames.
/**
 * @typedef {object} Part - The copy of what hangs on an element instead of being its content.
 * @property {"shadow" | "frame"} kind
 * @property {number} of - The part that has the element, by its place in the list; -1 for the document itself.
 * @property {number} at - The element's number in that copy, in document order, from 0.
 * @property {string} html
 */

/**
 * To be evaluated in a world that no script of the page shares: in the page's own world its methods may be theirs.
 * @param {Document} live
 * @param {{deep?: boolean, each?: (element: Element, drawn: boolean) => void}} options - `deep`: copy roots and frames
 *   too. `each`: told of every element of the document when it is written; content of templates is not `drawn`.
 * @returns {{html: string, parts: Part[], unreached: number}} - `unreached`: frames of other origins. A closed root
 *   cannot be told from none by any script.
 */
(live, options) => {
  "use strict";
  // A form or a document answers to the names of its fields before its own, so `form.firstChild` may be an input: what
  // is asked of any node is asked by the getter of its class.
  const bound = (method) => Function.prototype.call.bind(method);
  const getter = (type, name) => bound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const firstChild = getter(Node, "firstChild");
  const nextSibling = getter(Node, "nextSibling");
  const nodeType = getter(Node, "nodeType");
  const localName = getter(Element, "localName");
  const tagName = getter(Element, "tagName");
  const namespace = getter(Element, "namespaceURI");
  const attributes = getter(Element, "attributes");
  const shadowRoot = getter(Element, "shadowRoot");
  const ownerDocument = getter(Node, "ownerDocument");
  const documentElement = getter(Document, "documentElement");
  const doctype = getter(Document, "doctype");
  const createElement = bound(Document.prototype.createElementNS);

  const HTML = "http://www.w3.org/1999/xhtml";
  const PLAIN = new Set([HTML, "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"]);
  const PREFIXES = new Map([
    ["http://www.w3.org/XML/1998/namespace", "xml:"],
    ["http://www.w3.org/1999/xlink", "xlink:"],
  ]);
  const XMLNS = "http://www.w3.org/2000/xmlns/";
  const words = (text) => new Set(text.split(" "));
  const VOID = words(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
  );
  const RAW = words("iframe noembed noframes plaintext script style xmp");
  const ESCAPES = { "&": "&amp;", "\u00a0": "&nbsp;", "<": "&lt;", ">": "&gt;" };
  const QUOTED = { ...ESCAPES, '"': "&quot;" };

  const escaped = (text) => (/[&\u00a0<>]/.test(text) ? text.replace(/[&\u00a0<>]/g, (one) => ESCAPES[one]) : text);
  const quoted = (text) => (/[&\u00a0<>"]/.test(text) ? text.replace(/[&\u00a0<>"]/g, (one) => QUOTED[one]) : text);

  const hosts = [];
  let html = "";
  let number = 0;
  let part = -1;
  let unreached = 0;

  const nameOf = (attribute) => {
    const space = attribute.namespaceURI;
    if (!space) return attribute.localName;
    if (space === XMLNS) return attribute.localName === "xmlns" ? "xmlns" : `xmlns:${attribute.localName}`;
    return PREFIXES.has(space) ? PREFIXES.get(space) + attribute.localName : attribute.name;
  };

  // The attribute of a field that holds its state, and its value; null where the attribute is not to be there.
  const stateOf = (field, name) => {
    const flag = (attribute, set) => [attribute, set ? (field.getAttribute(attribute) ?? "") : null];
    if (name === "option") return flag("selected", field.selected);
    if (name !== "input") return [];
    if (field.type === "checkbox" || field.type === "radio") return flag("checked", field.checked);
    if (field.type === "file") {
      return field.files.length ? ["value", Array.from(field.files, (file) => file.name).join(", ")] : [];
    }
    return field.value === (field.getAttribute("value") ?? "") ? [] : ["value", field.value];
  };

  const writeAttributes = (element, [name, value]) => {
    const all = attributes(element);
    let written = value === undefined || value === null;
    for (let at = 0; at < all.length; at += 1) {
      const attribute = all[at];
      if (attribute.name !== name || name === undefined) {
        html += ` ${nameOf(attribute)}="${quoted(attribute.value)}"`;
      } else if (value !== null) {
        html += ` ${name}="${quoted(value)}"`;
        written = true;
      }
    }
    if (!written) html += ` ${name}="${quoted(value)}"`;
  };

  // What hangs on an element that stands in the document itself, and not in a template.
  const noteHost = (element, framing) => {
    const root = shadowRoot(element);
    if (root) hosts.push({ kind: "shadow", of: part, at: number, root });
    if (!framing) return;
    // Null where the frame is of another origin.
    const page = element.contentDocument;
    if (page) hosts.push({ kind: "frame", of: part, at: number, root: page });
    else unreached += 1;
  };

  // Writes the start of an element; returns how its content is to be written, null where there is none.
  const openElement = (element, inside) => {
    const plain = PLAIN.has(namespace(element));
    const ours = namespace(element) === HTML;
    const name = plain ? localName(element) : tagName(element);
    html += `<${name}`;
    writeAttributes(element, ours && inside.drawn ? stateOf(element, name) : []);
    html += ">";
    if (inside.drawn && options.deep) noteHost(element, ours && (name === "iframe" || name === "frame"));
    if (part === -1 && options.each) options.each(element, inside.drawn);
    number += 1;
    if (ours && VOID.has(name)) return null;
    const end = `</${name}>`;
    if (ours && name === "textarea" && inside.drawn) {
      html += escaped(element.value) + end;
      return null;
    }
    const raw = ours && (RAW.has(name) || (name === "noscript" && inside.scripted));
    // What a template holds is drawn nowhere, and its fields have no state but what is written on them.
    const held = ours && name === "template";
    const first = firstChild(held ? element.content : element);
    return { element, end, raw, first, drawn: inside.drawn && !held, scripted: inside.scripted };
  };

  /** @returns {null} - It has no content that is written by itself. */
  const writeOther = (node, raw) => {
    const type = nodeType(node);
    if (type === Node.TEXT_NODE) html += raw ? node.data : escaped(node.data);
    else if (type === Node.COMMENT_NODE) html += `<!--${node.data}-->`;
    else if (type === Node.CDATA_SECTION_NODE) html += `<![CDATA[${node.data}]]>`;
    else if (type === Node.PROCESSING_INSTRUCTION_NODE) html += `<?${node.target} ${node.data}?>`;
    return null;
  };

  // No recursion: a script can nest elements deeper than calls may be nested.
  const write = (outermost) => {
    const open = [outermost];
    let node = outermost.first;
    while (open.length) {
      const inside = open[open.length - 1];
      if (node === null) {
        html += inside.end;
        open.pop();
        node = open.length ? after(inside.element, open[open.length - 1]) : null;
        continue;
      }
      const content = nodeType(node) === Node.ELEMENT_NODE ? openElement(node, inside) : writeOther(node, inside.raw);
      if (content) open.push(content);
      node = content ? content.first : after(node, inside);
    }
  };

  const after = (node, inside) => (inside.alone ? null : nextSibling(node));

  // Where scripts run, what a noscript element holds is one text, which is written as it stands.
  const isScripted = (page) => {
    const probe = createElement(page, HTML, "noscript");
    probe.textContent = "<";
    return probe.innerHTML === "<";
  };

  const written = (root) => {
    const page = nodeType(root) === Node.DOCUMENT_NODE ? root : ownerDocument(root);
    const whole = page === root;
    const type = whole ? doctype(page) : null;
    html = type ? new XMLSerializer().serializeToString(type) : "";
    number = 0;
    const first = whole ? documentElement(page) : firstChild(root);
    write({ end: "", raw: false, first, drawn: true, scripted: isScripted(page), alone: whole });
    // Half of a surrogate pair is no text outside of a browser.
    return html.toWellFormed();
  };

  const copy = written(live);
  const parts = [];
  // The list grows while it is gone through: a root may have further roots and frames in it.
  for (part = 0; part < hosts.length; part += 1) {
    const { kind, of, at, root } = hosts[part];
    parts.push({ kind, of, at, html: written(root) });
  }
  return { html: copy, parts, unreached };
}
