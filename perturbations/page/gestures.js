// One decision for each gesture: groups all events of a user action on a control, however it was made.

/** @import { Control } from "./keys.js" */
/** @import { Listeners } from "./listeners.js" */
/** @import { Natives } from "./natives.js" */
/** @import { Replays } from "./replays.js" */
/** @import { Press } from "./runtime.js" */
/** @import { SiteView } from "./site_view.js" */

/**
 * @typedef {object} Gestures
 * @property {(node: EventTarget) => node is HTMLElement} isEntered - Whether a node is a field that you fill in, not
 *   press.
 * @property {(event: Event) => boolean} isSubmission - Whether an input event is only the Enter that submits a form.
 * @property {(gate: (press: Press) => boolean) => void} onPress - Calls the gate for every gesture on a control. If it
 *   returns false, the gesture is suppressed and later gates are not called.
 */
/**
 * @param {Natives} natives
 * @param {SiteView} view
 * @param {(node: Node) => Map<Element, Control>} around - The site's controls by their elements.
 * @param {Replays} replays
 * @param {Listeners["listen"]} listen
 * @param {(event: Event) => void} block
 * @returns {Gestures}
 */
export const makeGestures = (natives, view, around, replays, listen, block) => {
  const { method, getter, told } = natives;
  const { tagOf } = view;
  const wait = setTimeout;
  const pathOf = method(Event, "composedPath");
  const typeOf = getter(Event, "type");
  const targetOf = getter(Event, "target");
  const detailOf = told(UIEvent, "detail");
  const buttonOf = told(MouseEvent, "button");
  const submitterOf = told(SubmitEvent, "submitter");
  const inputTypeOf = told(InputEvent, "inputType");
  const spaceOf = getter(Element, "namespaceURI");
  const find = method(Element, "querySelector");
  const controlOfLabel = getter(HTMLLabelElement, "control");
  const kindOfInput = getter(HTMLInputElement, "type");
  const isEditable = getter(HTMLElement, "isContentEditable");
  const hasAttribute = method(Element, "hasAttribute");

  const HTML = "http://www.w3.org/1999/xhtml";
  const PRESSED = new Set(["checkbox", "radio", "submit", "button", "image", "reset"]);

  /** @type {((press: Press) => boolean)[]} */
  const presses = [];
  const decided = new WeakSet();
  /** @type {Element | null} */
  let relayed = null;
  let submitting = false;

  // Every event path ends with the window, which is not a node.
  /** @param {EventTarget} target */
  const isNode = (target) => target !== window;
  /** @param {EventTarget} node @returns {node is Element} */
  const isElement = (node) => node !== window && view.isElement(/** @type {Node} */ (node));
  /** @param {EventTarget} node @param {string} tag @returns {node is HTMLElement} */
  const isHtml = (node, tag) => isElement(node) && tagOf(node) === tag && spaceOf(node) === HTML;

  /** @param {Element} node */
  const isLink = (node) => tagOf(node) === "a" || tagOf(node) === "area";

  // Editable elements inside an editor are part of it.
  /** @param {EventTarget} node @returns {node is HTMLElement} */
  const isEditor = (node) =>
    isElement(node) && spaceOf(node) === HTML && hasAttribute(node, "contenteditable") && isEditable(node);

  // A click on such a field only places the cursor.
  /** @param {EventTarget} node @returns {node is HTMLElement} */
  const isEntered = (node) =>
    isHtml(node, "textarea") ||
    isHtml(node, "select") ||
    (isHtml(node, "input") && !PRESSED.has(kindOfInput(node))) ||
    isEditor(node);

  /** @param {EventTarget} node */
  const labelledBy = (node) => (isHtml(node, "label") ? controlOfLabel(node) : null);

  // The innermost control around an event's target; a label counts as its field.
  /** @param {Event} event */
  const controlOf = (event) => {
    const path = pathOf(event);
    if (!isNode(path[0])) return null;
    const known = around(path[0]);
    for (let i = 0; i < path.length; i += 1) {
      const node = path[i];
      if (!isElement(node)) continue;
      const control = known.get(node) ?? known.get(labelledBy(node));
      if (control) return { control, look: node };
    }
    return null;
  };

  /** @param {Control} control @param {Element} look @param {number} detail @param {() => void} again */
  const passes = (control, look, detail, again) => {
    const { key, pressed, element } = control;
    const press = { key, pressed, element, look, detail, keyed: !detail, again };
    for (let i = 0; i < presses.length; i += 1) if (!presses[i](press)) return false;
    return true;
  };

  /** @param {Event} event */
  const onClick = (event) => {
    // Of the other mouse buttons, only the middle one acts: it opens a link in a tab.
    if (replays.isRunning() || (typeOf(event) === "auxclick" && buttonOf(event) !== 1)) return;
    const target = controlOf(event);
    if (!target || isEntered(target.control.element)) return;
    // A middle click on anything but a link does nothing, so there is nothing to suppress.
    if (typeOf(event) === "auxclick" && !isLink(target.control.element)) return;
    // An event may arrive twice if it began in a closed shadow root.
    if (decided.has(event)) return;
    decided.add(event);
    const { control, look } = target;
    if (relayed === control.element && look === control.element) {
      relayed = null;
      return;
    }
    if (!passes(control, look, detailOf(event), replays.clickAgain(event))) {
      block(event);
      return;
    }
    // A label's click is followed by a click on its field, and a submit button's by the submission: one action.
    relayed = look === control.element ? null : control.element;
    submitting = true;
    // The submission comes in the same task as its click; a later one is another gesture.
    wait(() => (submitting = false));
  };

  /** @param {Element} form */
  const defaultButton = (form) => find(form, "button:not([type]), [type=submit], [type=image]") ?? form;

  /** @param {Event} event */
  const onSubmit = (event) => {
    // The click that caused this submission has already been decided.
    if (submitting || replays.isRunning()) return;
    const target = targetOf(event);
    if (!isElement(target)) return;
    const submitter = submitterOf(event);
    const control = around(target).get(submitter ?? defaultButton(target));
    if (control && !passes(control, control.element, 0, replays.submitAgain(target, submitter))) block(event);
  };

  // A new gesture begins, even if the second click of a label has not come.
  listen(["pointerdown", "keydown"], () => (relayed = null));
  listen(["click", "auxclick"], onClick);
  listen(["submit"], onSubmit);

  return {
    isEntered,
    // Enter in a single-line field fires an input event, too, although it only submits.
    isSubmission: (event) => inputTypeOf(event) === "insertLineBreak" && isHtml(pathOf(event)[0], "input"),
    onPress: (gate) => (presses[presses.length] = gate),
  };
};
