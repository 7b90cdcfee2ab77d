// One read of the live page, the same for the recorder and for the agent. Evaluated in the page with {boxes: boolean}.
// Given back as one string of JSON: a list is taken apart number by number on its way out of the browser.
(options) => {
  if (!document.documentElement) return null;
  // Ends an entry that is still running: the page's runtime takes the event as the entry's boundary. Sent in every arm.
  document.dispatchEvent(new Event("selectionchange"));

  // An inert document loads no picture and upgrades no custom element a second time.
  const inert = document.implementation.createHTMLDocument("");
  const live = document.documentElement;
  const clone = inert.importNode(live, true);

  const fields = "input, textarea, option";
  const copies = clone.querySelectorAll(fields);
  live.querySelectorAll(fields).forEach((field, at) => writeLive(field, copies[at]));

  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  const read = { url: document.URL, title: document.title.trim(), html: doctype + clone.outerHTML };
  // Half of a surrogate pair is no text outside of a browser.
  for (const key of ["title", "html"]) read[key] = read[key].toWellFormed();
  if (options.boxes) {
    read.tags = [];
    read.boxes = [];
    measure(live);
  }
  return JSON.stringify(read);

  function writeLive(field, copy) {
    if (field.localName === "textarea") {
      copy.textContent = field.value;
    } else if (field.localName === "option") {
      copy.toggleAttribute("selected", field.selected);
    } else if (field.type === "checkbox" || field.type === "radio") {
      copy.toggleAttribute("checked", field.checked);
    } else if (field.type === "file") {
      if (field.files.length) copy.setAttribute("value", Array.from(field.files, (file) => file.name).join(", "));
    } else if (field.value !== (field.getAttribute("value") ?? "")) {
      copy.setAttribute("value", field.value);
    }
  }

  function measure(element) {
    read.tags.push(element.localName);
    read.boxes.push(boxOf(element));
    for (const child of element.children) measure(child);
    if (element.localName === "template") for (const child of element.content.children) skip(child);
  }

  function skip(element) {
    read.tags.push(element.localName);
    read.boxes.push(null);
    const children = element.localName === "template" ? element.content.children : element.children;
    for (const child of children) skip(child);
  }

  function boxOf(element) {
    const box = element.getBoundingClientRect();
    if (box.width <= 0 || box.height <= 0) return null;
    if (!element.checkVisibility({ visibilityProperty: true })) return null;
    return [box.x, box.y, box.width, box.height].map((pixels) => Math.round(pixels * 100) / 100);
  }
}
