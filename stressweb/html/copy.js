// Writes a live document as markup and changes nothing: what `outerHTML` would give, with the current values of fields
// written in. What hangs on an element instead of being its content is written beside it, in a template of its own:
// a shadow root as HTML has it, `<template shadowrootmode="open">`, before what the element holds; the document of a
// frame behind the frame, as `<template framedocument="URL">`, with `frame-html`, `frame-head` and `frame-body` in the
// place of elements that no parser leaves where they are.
/**
 * @typedef {[name: string, value: string][]} Note
 */
/**
 * @typedef {[attribute: string, value: string | null]} State - Null: the attribute is not to be there.
 */
/**
 * A field of any kind; each is asked only for what it has.
 *
 * @typedef {Element & {type: string, value: string, checked: boolean, selected: boolean, files: FileList}} Field
 */
/** @typedef {Field & Pick<HTMLTemplateElement, "content">} Part - An element of any kind, likewise. */
/** @typedef {Node & Pick<ProcessingInstruction, "data" | "target">} Other - A node that is no element, likewise. */
/** @typedef {Document | ShadowRoot} Root */
/**
 * How the content of an element or a root is written.
 *
 * @typedef {object} Content
 * @property {string} end - What is written behind it.
 * @property {Node | null} next - The node behind it.
 * @property {Node | null} first
 * @property {boolean} quick - Whether the browser may write what is not stale.
 * @property {number} framed - Levels in which elements need another name, because they are a frame's own.
 * @property {boolean} raw - Whether texts are written as they are.
 * @property {boolean} drawn - Whether fields have a state.
 * @property {boolean} scripted - Whether scripts run.
 * @property {boolean} [alone] - Whether nothing follows the first node.
 * @property {Document | null} [page] - The document of a frame, which is written behind it.
 */
/**
 * To be evaluated in a world that no script of the page shares: in the page's own world its methods may be theirs.
 * @param {Document} live
 * @param {object} options
 * @param {Map<Element, Document | ShadowRoot>} [options.inner] - Shadow roots and documents of frames by the elements
 *   that they hang on (stressweb/html/inner.js); none: they are not written.
 * @param {boolean} [options.each] - Write every element here, instead of leaving to the browser what it writes rightly.
 * @param {Map<Node, [string, string][]>} [options.notes] - Write a second copy, in which nodes bear these notes, as
 *   names and values: on an element as attributes, on a root as attributes of its template, on a text as a comment in
 *   front of it, and one behind it (stressweb/html/notes.js).
 * @returns {{html: string, annotated?: string}} - `annotated` is `html` with the notes put in; it begins with a comment
 *   that says what all their names begin with.
 */
(live, options) => {
  "use strict";
  // A form and a document answer to the names of their fields first: `form.firstChild` may be an input. They are asked
  // by the getters of their classes. Others are asked as usual, which takes half the time.
  /** @type {import("./inner.js").Bound} */
  const bound = (method) => Function.prototype.call.bind(method);
  /** @type {import("./inner.js").Getter} */
  const getter = (type, name) =>
    bound(/** @type {Required<PropertyDescriptor>} */ (Object.getOwnPropertyDescriptor(type.prototype, name)).get);
  const firstChild = getter(Node, "firstChild");
  const nextSibling = getter(Node, "nextSibling");
  const nodeType = getter(Node, "nodeType");
  const parentNode = getter(Node, "parentNode");
  const outerHTML = getter(Element, "outerHTML");
  const namespaceURI = getter(Element, "namespaceURI");
  const attributes = getter(Element, "attributes");
  const attributeNames = bound(Element.prototype.getAttributeNames);
  const valueOf = bound(Element.prototype.getAttribute);
  const documentElement = getter(Document, "documentElement");
  const doctype = getter(Document, "doctype");
  const contentType = getter(Document, "contentType");
  const addressOf = getter(Document, "URL");
  const allIn = [bound(Document.prototype.querySelectorAll), bound(DocumentFragment.prototype.querySelectorAll)];
  const createElement = bound(Document.prototype.createElementNS);
  const inner = options.inner ?? new Map();
  const notes = options.notes ?? null;

  const HTML = "http://www.w3.org/1999/xhtml";
  const PLAIN = new Set([HTML, "http://www.w3.org/2000/svg", "http://www.w3.org/1998/Math/MathML"]);
  const PREFIXES = new Map([
    ["http://www.w3.org/XML/1998/namespace", "xml:"],
    ["http://www.w3.org/1999/xlink", "xlink:"],
  ]);
  const XMLNS = "http://www.w3.org/2000/xmlns/";
  /** @type {(text: string) => Set<string>} */
  const words = (text) => new Set(text.split(" "));
  const VOID = words(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
  );
  const RAW = words("iframe noembed noframes plaintext script style xmp");
  /** @type {Record<string, string>} */
  const ESCAPES = { "&": "&amp;", "\u00a0": "&nbsp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

  /** @type {(text: string) => string} */
  const escaped = (text) => (/[&\u00a0<>]/.test(text) ? text.replace(/[&\u00a0<>]/g, (one) => ESCAPES[one]) : text);
  /** @type {(text: string) => string} */
  const quoted = (text) => (/[&\u00a0<>"]/.test(text) ? text.replace(/[&\u00a0<>"]/g, (one) => ESCAPES[one]) : text);

  // Inside of a document these would be taken for its own.
  const STANDING = words("html head body");

  /** @type {[position: number, written: (prefix: string, note: Note) => string, note: Note][]} */
  const cuts = [];
  /** @type {Set<Node>} */
  const stale = new Set();
  let html = "";

  /** @param {Node} root @returns {root is Document} */
  const isPage = (root) => nodeType(root) === Node.DOCUMENT_NODE;

  /** @type {(attribute: Attr) => string} */
  const nameOf = (attribute) => {
    const space = attribute.namespaceURI;
    if (!space) return attribute.localName;
    if (space === XMLNS) return attribute.localName === "xmlns" ? "xmlns" : `xmlns:${attribute.localName}`;
    return PREFIXES.has(space) ? PREFIXES.get(space) + attribute.localName : attribute.name;
  };

  // The attribute that holds the state of a field, and its value; null where it is not to be there.
  /** @type {(field: Field, name: string) => State | null} */
  const stateOf = (field, name) => {
    /** @type {(attribute: string, set: boolean) => State} */
    const flag = (attribute, set) => [attribute, set ? (valueOf(field, attribute) ?? "") : null];
    if (name === "option") return flag("selected", field.selected);
    if (field.type === "checkbox" || field.type === "radio") return flag("checked", field.checked);
    if (field.type === "file") {
      return field.files.length ? ["value", Array.from(field.files, (file) => file.name).join(", ")] : null;
    }
    return field.value === (valueOf(field, "value") ?? "") ? null : ["value", field.value];
  };

  /** @type {(field: Field) => boolean} */
  const isStale = (field) => {
    if (namespaceURI(field) !== HTML) return false;
    if (field.localName === "textarea") return field.value !== field.textContent || field.childElementCount > 0;
    const state = stateOf(field, field.localName);
    return state !== null && valueOf(field, state[0]) !== state[1];
  };

  // The elements that the browser's own markup is wrong about, or that bear a note, and those around them. The browser
  // writes the rest.
  const findStale = () => {
    /** @type {(field: Node | null) => void} */
    const add = (field) => {
      for (let node = field; node && !stale.has(node); node = parentNode(node)) stale.add(node);
    };
    for (const root of [live, ...inner.values()]) {
      for (const field of allIn[isPage(root) ? 0 : 1](root, "input, option, textarea"))
        if (isStale(/** @type {Field} */ (field))) add(field);
    }
    for (const [host, root] of inner) {
      add(host);
      if (!isPage(root)) continue;
      const whole = documentElement(root);
      add(whole);
      for (let node = firstChild(whole); node; node = nextSibling(node))
        if (STANDING.has(/** @type {Element} */ (/** @type {Node} */ (node)).localName)) add(node);
    }
    if (notes) for (const node of notes.keys()) add(node);
  };

  /** @type {(name: string, value: string) => void} */
  const write = (name, value) => {
    html += ` ${name}="${quoted(value)}"`;
  };

  /** @type {(field: Element, state: State) => void} */
  const writeState = (field, [name, value]) => {
    let missing = value !== null;
    for (const attribute of attributes(field)) {
      if (attribute.name !== name) write(nameOf(attribute), attribute.value);
      else if (value !== null) write(name, value);
      if (attribute.name === name) missing = false;
    }
    if (missing) write(name, /** @type {string} */ (value));
  };

  /** @type {(element: Element, foreign: boolean) => void} */
  const writeAttributes = (element, foreign) => {
    const before = html;
    if (!foreign) {
      let known = true;
      for (const name of attributeNames(element)) {
        const value = valueOf(element, name);
        known &&= value !== null && !name.includes(":");
        if (!known) break;
        write(name, /** @type {string} */ (value));
      }
      if (known) return;
    }
    // Names in capitals or with a colon may stand for others. Objects for attributes are made only where they may.
    html = before;
    for (const attribute of attributes(element)) write(nameOf(attribute), attribute.value);
  };

  // Writes the start of an element; returns how its content is to be written, null where there is none.
  /** @type {(element: Part, inside: Content) => Content | null} */
  const open = (element, inside) => {
    // What a form's field is called can only hide the name behind a field, which is no text.
    const hidden = typeof element.localName !== "string";
    const name = hidden ? "form" : element.localName;
    const space = hidden || name === "form" ? namespaceURI(element) : element.namespaceURI;
    const ours = space === HTML;
    const { drawn, scripted, quick } = inside;
    const standing = inside.framed > 0 && ours && STANDING.has(name);
    const tag = standing ? `frame-${name}` : ours || PLAIN.has(/** @type {string} */ (space)) ? name : element.tagName;
    html += `<${tag}`;
    const state = ours && drawn && (name === "input" || name === "option") ? stateOf(element, name) : null;
    if (state) writeState(element, state);
    else writeAttributes(element, !ours);
    if (notes?.has(element)) cuts.push([html.length, asAttributes, /** @type {Note} */ (notes.get(element))]);
    html += ">";
    if (ours && VOID.has(name)) return null;
    const end = `</${tag}>`;
    if (ours && drawn && name === "textarea") {
      html += escaped(element.value) + end;
      return null;
    }
    const next = inside.alone ? null : nextSibling(element);
    const framed = inside.framed - 1;
    // What a template holds is drawn nowhere, and its fields have no state but what is written on them.
    if (ours && name === "template") {
      const first = element.content.firstChild;
      return { end, next, first, quick, framed, raw: false, drawn: false, scripted: false };
    }
    const raw = ours && (RAW.has(name) || (name === "noscript" && scripted));
    const first = name === "form" ? firstChild(element) : element.firstChild;
    return { end, next, first, quick, framed, raw, drawn, scripted };
  };

  // Writes the start of a template for a root; returns how its content is to be written, and `next` behind it.
  /** @type {(root: Root, next: Node | null, inside: Content) => Content} */
  const openRoot = (root, next, inside) => {
    html += "<template";
    if (isPage(root)) write("framedocument", addressOf(root));
    else {
      write("shadowrootmode", root.mode);
      if (root.delegatesFocus) write("shadowrootdelegatesfocus", "");
      if (root.serializable) write("shadowrootserializable", "");
      if (root.clonable) write("shadowrootclonable", "");
    }
    if (notes?.has(root)) cuts.push([html.length, asAttributes, /** @type {Note} */ (notes.get(root))]);
    html += ">";
    const { quick, scripted } = inside;
    const content = { end: "</template>", next, raw: false, drawn: true };
    if (!isPage(root)) return { ...content, first: firstChild(root), quick, scripted, framed: 0 };
    return { ...content, ...pageOf(root), framed: 2 };
  };

  /** @type {(node: Other, type: number, raw: boolean) => void} */
  const writeOther = (node, type, raw) => {
    const note = notes?.get(node);
    if (note) cuts.push([html.length, asComment, note]);
    // HTML has no sections of CDATA: they are text.
    if (type === Node.TEXT_NODE || type === Node.CDATA_SECTION_NODE) html += raw ? node.data : escaped(node.data);
    else if (type === Node.COMMENT_NODE) html += `<!--${node.data}-->`;
    else if (type === Node.PROCESSING_INSTRUCTION_NODE) html += `<?${node.target} ${node.data}?>`;
    if (note) cuts.push([html.length, asComment, [["end", ""]]]);
  };

  /** @type {(prefix: string, note: Note) => string} */
  const asAttributes = (prefix, note) => note.map(([name, value]) => ` ${prefix}${name}="${quoted(value)}"`).join("");

  // No hyphen stands in the value, so that it cannot end the comment.
  /** @type {(text: string) => string} */
  const inComment = (text) => encodeURIComponent(text.toWellFormed()).replaceAll("-", "%2D");
  /** @type {(prefix: string, name: string, value: string) => string} */
  const comment = (prefix, name, value) => `<!--${prefix}${name}=${inComment(value)}-->`;
  /** @type {(prefix: string, note: Note) => string} */
  const asComment = (prefix, note) => note.map(([name, value]) => comment(prefix, name, value)).join("");

  // The notes are all that begins with the prefix: it stands nowhere in the page, in letters of either case. It is the
  // same for each read of a page, so that equal pages have equal copies, and similar ones similar copies.
  /** @type {(text: string) => string} */
  const annotated = (text) => {
    const taken = new Set(Array.from(text.matchAll(/sw([0-9]+)-/gi), ([, count]) => count));
    let count = 0;
    while (taken.has(String(count))) count += 1;
    const prefix = `sw${count}-`;
    let [whole, from] = [`<!--${prefix}notes-->`, 0];
    for (const [at, written, note] of cuts) {
      whole += text.slice(from, at) + written(prefix, note);
      from = at;
    }
    return (whole + text.slice(from)).toWellFormed();
  };

  // Where scripts run, what a noscript element holds is one text, which is written as it stands.
  /** @type {(page: Document) => boolean} */
  const isScripted = (page) => {
    const probe = createElement(page, HTML, "noscript");
    probe.textContent = "<";
    return probe.innerHTML === "<";
  };

  // In other kinds of documents the browser writes XML. Of a document only its root is written.
  /** @type {(page: Document) => {first: Node | null, quick: boolean, scripted: boolean, alone: boolean}} */
  const pageOf = (page) => ({
    first: documentElement(page),
    quick: !options.each && contentType(page) === "text/html",
    scripted: isScripted(page),
    alone: true,
  });

  // No recursion: a script can nest elements deeper than calls may be nested.
  /** @type {(outermost: Content) => void} */
  const walk = (outermost) => {
    /** @type {Content[]} */
    const around = [outermost];
    /** @type {Content | undefined} */
    let inside = outermost;
    let node = outermost.first;
    /** @type {(content: Content) => void} */
    const enter = (content) => {
      around.push(content);
      inside = content;
      node = content.first;
    };
    while (inside) {
      if (node === null) {
        html += inside.end;
        const { next, page } = inside;
        around.pop();
        inside = around[around.length - 1];
        node = next;
        if (page) enter(openRoot(page, next, inside));
        continue;
      }
      const type = nodeType(node);
      const element = /** @type {Part} */ (node);
      /** @type {Content | null} */
      let content = null;
      if (type !== Node.ELEMENT_NODE) writeOther(/** @type {Other} */ (node), type, inside.raw);
      else if (inside.quick && !stale.has(node)) html += outerHTML(/** @type {Part} */ (node));
      else content = open(/** @type {Part} */ (node), inside);
      const root = inner.size ? inner.get(element) : undefined;
      const next = content ? content.next : inside.alone ? null : nextSibling(node);
      if (content) enter(content);
      else node = next;
      if (!root) continue;
      if (!isPage(root)) enter(openRoot(root, /** @type {Content} */ (content).first, inside));
      // The template of a frame comes behind it.
      else if (content) content.page = root;
      else enter(openRoot(root, next, inside));
    }
  };

  const type = doctype(live);
  html = type ? new XMLSerializer().serializeToString(type) : "";
  findStale();
  walk({ end: "", next: null, raw: false, drawn: true, framed: 0, ...pageOf(live) });
  // Half of a surrogate pair is no text outside of a browser. It stays as long as it was, and the cuts fit.
  html = html.toWellFormed();
  return notes ? { html, annotated: annotated(html) } : { html };
}
