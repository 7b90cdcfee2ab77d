// Stepping through an open episode by keyboard: one step is in the order of Tab, and j, k and the arrows move it on.
/** @type {Record<string, number>} */
const FORWARD = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** @typedef {EventTarget & Partial<Element>} Target - An element, the document or the window. */
/** @typedef {{children: Iterable<HTMLElement>}} StepList */

/** @type {(element: Target | null) => HTMLElement | null} */
const stepAt = (element) => element?.closest?.(".steps > li") ?? null;

/** @type {(step: HTMLElement) => void} */
const focusStep = (step) => {
  step.focus({ preventScroll: true });
  step.scrollIntoView({ block: "nearest" });
};

// Without a focus the episode counts that the reader sees: the first open one of which something is in the window.
/** @type {() => Element | undefined} */
const stepsInView = () => {
  const open = [...list.querySelectorAll(".steps")];
  return open.find((steps) => steps.getBoundingClientRect().bottom > 0) ?? open.at(-1);
};

/** @type {(from: Element | null, by: number) => boolean} */
const moveStep = (from, by) => {
  const beside = by > 0 ? from?.nextElementSibling : from?.previousElementSibling;
  const next = from ? beside : stepsInView()?.firstElementChild;
  if (next) focusStep(/** @type {HTMLElement} */ (next));
  return Boolean(next);
};

// A step that left the page as it was has none of its own: the page is at the step before it that has.
/** @type {(step: HTMLElement | null) => boolean} */
const showPage = (step) => {
  for (let at = step; at; at = /** @type {HTMLElement | null} */ (at.previousElementSibling)) {
    /** @type {PageButton | null} */
    const button = at.querySelector(".page");
    if (!button) continue;
    if (at !== step) focusStep(at);
    if (at === step || button.getAttribute("aria-pressed") !== "true") togglePage(button);
    return true;
  }
  return false;
};

/** @type {(event: KeyboardEvent) => boolean} */
const pressed = (event) => {
  const { key, target } = /** @type {KeyboardEvent & {target: Target}} */ (event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return false;
  if (target.closest?.("input, select, textarea, [contenteditable]")) return false;
  const step = stepAt(document.activeElement);
  const own = step !== null && step === document.activeElement;
  if (key in FORWARD && (own || !key.startsWith("Arrow"))) return moveStep(step, FORWARD[key]);
  if (step && (key === "o" || (own && key === "Enter"))) return showPage(step);
  return false;
};

document.addEventListener("keydown", (event) => {
  if (pressed(event)) event.preventDefault();
});
document.addEventListener("focusin", (event) => {
  const step = stepAt(event.target);
  if (step)
    for (const other of /** @type {StepList} */ (step.parentElement).children) other.tabIndex = other === step ? 0 : -1;
});
