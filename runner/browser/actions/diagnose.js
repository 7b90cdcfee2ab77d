// Why an action on this element cannot be done; evaluated on the element, with what to select or fill in, or null.
(element, wanted) => {
  const words = (text) => (text ?? "").replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, "").replace(/\s+/g, " ").trim();
  const box = element.getBoundingClientRect();
  const field = element.control ?? element;
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
    // A file field is often not drawn itself: its label is, or a button beside it that opens it.
    offered: [field, ...(field.labels ?? []), field.parentElement].some(isDrawn),
    option: null,
    fits: wanted === null || !element.type || fits(wanted),
    cover: "",
  };
  if (wanted !== null && element.localName === "select") {
    const options = [...element.options];
    const asked = words(wanted);
    const at = options.findIndex((option) => words(option.label) === asked || words(option.text) === asked);
    state.option = at < 0 ? -1 : at;
    if (at >= 0 && options[at].matches(":disabled")) state.disabled = true;
  }
  // In its own root: to the document around it, a shadow root is one with its host.
  const root = element.getRootNode();
  const found = root.elementFromPoint?.(box.x + box.width / 2, box.y + box.height / 2) ?? null;
  const label = element.labels ? [...element.labels] : [];
  const holds = (outer) => {
    for (let one = element; one; one = one.assignedSlot ?? one.parentNode ?? one.host) if (one === outer) return true;
    return false;
  };
  const own = !found || element.contains(found) || holds(found) || label.some((one) => one.contains(found));
  if (!own) {
    const text = words(found.innerText || found.getAttribute("aria-label")).slice(0, 80);
    const what = found.getAttribute("role") ?? found.localName;
    state.cover = [what, text && JSON.stringify(text)].filter(Boolean).join(" ");
  }
  return state;

  function isDrawn(node) {
    return node?.checkVisibility({ visibilityProperty: true }) ?? false;
  }

  // A date field takes any text and stays empty: tried on a field of the same type that is on no page.
  function fits(text) {
    if (!["date", "time", "datetime-local", "month", "week", "color"].includes(element.type)) return true;
    const scratch = Object.assign(document.createElement("input"), { type: element.type, value: text });
    return text === "" || scratch.value === text.trim().toLowerCase() || scratch.value === text.trim();
  }
}
