// One read of the live page, the same for the recorder and for the agent. Takes the functions that copy a document
// (stressweb/html/copy.js), that note what the recorder knows of its nodes (stressweb/html/notes.js), and that make
// keys (perturbations/page/keys.js), and returns the function that reads. Given back as one string of JSON, null
// without a document.
/**
 * @typedef {object} ReadOptions
 * @property {string} event - Name of the event that announces a read; empty for none.
 * @property {boolean} boxes - Whether to measure elements.
 * @property {{site: string, hosts: string[]} | null} keyed - The site whose page it is, for keys. Null: the page is
 *   read as it stands, without the recorder's own copy.
 * @property {Record<string, Record<string, number>>} attempts - Attempts of the episode so far, by mode and key.
 */
(copy, notesOf, keysOf) => (options) => {
  "use strict";
  // A document answers to the names of its forms and pictures before its own.
  const bound = (method) => Function.prototype.call.bind(method);
  const of = (type, name) => bound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  if (!of(Document, "documentElement")(document)) return null;
  // The page's runtime makes the page ready to be read, and ends an entry that is still running. Sent in every arm;
  // nothing else in the page knows its name.
  const notes = notesOf(document, options.event, options.attempts);

  // A symbol, because elements are found on the global object by their ids, whatever those are.
  const KEPT = Symbol.for("read");
  const nameOf = of(Element, "localName");
  const boxIn = bound(Element.prototype.getBoundingClientRect);
  const isVisible = bound(Element.prototype.checkVisibility);
  const title = of(Document, "title")(document).trim().toWellFormed();
  const url = of(Document, "URL")(document);
  const read = options.keyed ? annotated() : { html: copy(document, {}).html };
  Object.assign(read, { url, title });
  if (options.boxes) {
    read.tags = [];
    read.boxes = [];
    measure(bound(Document.prototype.querySelectorAll)(document, "*"), true);
  }
  return JSON.stringify(read);

  function annotated() {
    // What was seen keeps its key: this world, and what stands in it, live as long as the document. What is ours is
    // another thing at each read.
    const kindOf = (node) => globalThis[KEPT].notes.kindOf(node);
    const world = (globalThis[KEPT] ??= { notes, keys: keysOf(kindOf, options.keyed) });
    world.notes = notes;
    const controls = world.keys.controls([document], new URL(url).pathname);
    return {
      copy: copy(document, { annotate: (root) => notes.of(root, controls) }).annotated,
      answer: notes.answer,
      controls: controls.map(({ key, role, name }) => [key, role, name]),
    };
  }

  function measure(elements, drawn) {
    for (const element of elements) {
      const name = nameOf(element);
      read.tags.push(name);
      read.boxes.push(drawn ? boxOf(element) : null);
      if (element instanceof HTMLTemplateElement) measure(element.content.querySelectorAll("*"), false);
    }
  }

  function boxOf(element) {
    const box = boxIn(element);
    if (box.width <= 0 || box.height <= 0) return null;
    if (!isVisible(element, { visibilityProperty: true })) return null;
    return [box.x, box.y, box.width, box.height].map((pixels) => Math.round(pixels * 100) / 100);
  }
}
