// Returns the state of an element, to explain why an action on it fails. Takes the text to select or fill in, or null.
/**
 * What only some kinds of elements have.
 *
 * @typedef {object} Special
 * @property {string} type - Undefined where there is none, which no list of types has.
 * @property {boolean} [checked]
 * @property {boolean} [readOnly]
 * @property {boolean} [multiple]
 * @property {NodeListOf<HTMLLabelElement>} [labels]
 * @property {HTMLOptionsCollection} [options]
 * @property {(HTMLElement & Special) | null} [control]
 */
/**
 * A node that may be in a slot or in a shadow root; undefined outside of the document.
 *
 * @typedef {(Node & {assignedSlot?: Node | null, host?: Node}) | undefined} Outer
 */
/**
 * @typedef {object} State
 * @property {boolean} connected
 * @property {boolean} disabled
 * @property {boolean} visible
 * @property {boolean} checked
 * @property {boolean} checkable
 * @property {boolean} editable
 * @property {boolean} readonly
 * @property {boolean} file - Whether it is a field for files.
 * @property {boolean} several
 * @property {boolean} offered
 * @property {number | null} option
 * @property {boolean} fits
 * @property {string} cover - What covers it; empty if nothing does.
 */
/**
 * @param {HTMLElement & Special} element
 * @param {string | null} wanted
 */
(element, wanted) => {
  /** @type {(text: string | null | undefined) => string} */
  const words = (text) => (text ?? "").replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, "").replace(/\s+/g, " ").trim();
  const box = element.getBoundingClientRect();
  const field = element.control ?? element;
  /** @type {State} */
  const state = {
    connected: element.isConnected,
    disabled: field.matches(":disabled") || element.getAttribute("aria-disabled") === "true",
    visible: box.width > 0 && box.height > 0 && element.checkVisibility({ visibilityProperty: true }),
    checked: element.checked ?? element.getAttribute("aria-checked") === "true",
    checkable: ["checkbox", "radio"].includes(element.type) || element.hasAttribute("aria-checked"),
    editable: element.isContentEditable || element.localName === "textarea" || element.localName === "input",
    readonly: element.readOnly === true,
    file: field.localName === "input" && field.type === "file",
    several: field.multiple === true,
    // A file field is often hidden behind its label, or behind a button that opens it.
    offered: [field, ...(field.labels ?? []), field.parentElement].some(isDrawn),
    option: null,
    fits: wanted === null || !element.type || fits(wanted),
    cover: "",
  };
  if (wanted !== null && element.localName === "select") {
    /** @type {HTMLOptionElement[]} */
    const options = [.../** @type {HTMLOptionsCollection} */ (element.options)];
    const text = words(wanted);
    const index = options.findIndex((option) => words(option.label) === text || words(option.text) === text);
    state.option = index;
    if (index >= 0 && options[index].matches(":disabled")) state.disabled = true;
  }
  // In the element's own root, since the document only finds the host of a shadow root.
  const root = /** @type {Node & Partial<DocumentOrShadowRoot>} */ (element.getRootNode());
  const top =
    /** @type {HTMLElement | null} */
    (root.elementFromPoint?.(box.x + box.width / 2, box.y + box.height / 2) ?? null);
  /** @type {Element[]} */
  const labels = element.labels ? [...element.labels] : [];
  /** @type {(outer: Node) => boolean} */
  const isInside = (outer) => {
    for (let node = /** @type {Outer} */ (element); node; node = node.assignedSlot ?? node.parentNode ?? node.host)
      if (node === outer) return true;
    return false;
  };
  const own = !top || element.contains(top) || isInside(top) || labels.some((label) => label.contains(top));
  if (!own) {
    const text = words(top.innerText || top.getAttribute("aria-label")).slice(0, 80);
    const role = top.getAttribute("role") ?? top.localName;
    state.cover = [role, text && JSON.stringify(text)].filter(Boolean).join(" ");
  }
  return state;

  /** @param {Element | null} node */
  function isDrawn(node) {
    return node?.checkVisibility({ visibilityProperty: true }) ?? false;
  }

  // A date field silently rejects invalid text, so try the text on a detached field of the same type.
  /** @param {string} text */
  function fits(text) {
    if (!["date", "time", "datetime-local", "month", "week", "color"].includes(element.type)) return true;
    const scratch = Object.assign(document.createElement("input"), { type: element.type, value: text });
    return text === "" || scratch.value === text.trim().toLowerCase() || scratch.value === text.trim();
  }
}
