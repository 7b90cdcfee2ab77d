// One read of the live page, the same for the recorder and for the agent. Takes the function that copies a document
// (stressweb/html/copy.js) and returns the function that reads; it gets the name of the event that a read is announced
// by, if it is to be, and whether to measure. Given back as one string of JSON, null without a document.
(copy) => (options) => {
  "use strict";
  // A document answers to the names of its forms and pictures before its own.
  const bound = (method) => Function.prototype.call.bind(method);
  const of = (type, name) => bound(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  if (!of(Document, "documentElement")(document)) return null;
  // Ends an entry that is still running: the page's runtime takes the event as the entry's boundary. Sent in every arm;
  // nothing else in the page knows its name.
  if (options.event) window.dispatchEvent(new Event(options.event));

  const nameOf = of(Element, "localName");
  const boxIn = bound(Element.prototype.getBoundingClientRect);
  const isVisible = bound(Element.prototype.checkVisibility);
  const title = of(Document, "title")(document).trim().toWellFormed();
  const read = { url: of(Document, "URL")(document), title, html: copy(document, {}).html };
  if (options.boxes) {
    read.tags = [];
    read.boxes = [];
    measure(bound(Document.prototype.querySelectorAll)(document, "*"), true);
  }
  return JSON.stringify(read);

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
