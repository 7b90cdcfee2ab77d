// The nodes of a dialog. They have no id, class or style attribute, which could identify them; looks style them.

/** @import { DialogLook } from "./dialog_look.js" */
/** @import { DialogWords } from "./dialog_words.js" */
/** @import { Runtime } from "../page/runtime.js" */

/**
 * @typedef {object} DialogBox
 * @property {HTMLDialogElement} dialog
 * @property {HTMLInputElement | null} field - The text field, or null.
 * @property {HTMLInputElement[]} radios - The answers to choose from.
 * @property {HTMLButtonElement[]} buttons - In the order of `DialogWords.buttons`.
 * @property {HTMLElement | null} cue - The message that the action was cancelled, or null.
 */
/**
 * @typedef {object} DialogBoxes
 * @property {(words: DialogWords) => DialogBox} make - Makes a dialog without adding it to the page.
 * @property {(box: DialogBox) => boolean} open - Adds it to the page and opens it; returns whether it is visible.
 * @property {(box: DialogBox) => void} take - Removes it from the page.
 * @property {(box: DialogBox, text: string) => void} say - Shows a message in the dialog.
 * @property {(text: string) => () => void} toast - Shows a message on the page; returns the function that removes it.
 */
/**
 * @param {Runtime} runtime
 * @param {() => DialogLook} lookOf
 * @returns {DialogBoxes}
 */
export const makeDialogBoxes = (runtime, lookOf) => {
  const { method, getter, setter } = runtime.natives;
  const create = method(Document, "createElement");
  const append = method(Node, "appendChild");
  const remove = method(Element, "remove");
  const setText = setter(Node, "textContent");
  const setAttribute = method(Element, "setAttribute");
  const dropAttribute = method(Element, "removeAttribute");
  const showModal = method(HTMLDialogElement, "showModal");
  const close = method(HTMLDialogElement, "close");
  const isVisible = method(Element, "checkVisibility");
  const matches = method(Element, "matches");
  const boxOf = method(Element, "getBoundingClientRect");
  const [left, top, right, bottom] = ["left", "top", "right", "bottom"].map((name) => getter(DOMRectReadOnly, name));
  // Getters, because a page may replace the properties.
  const [wide, high] = ["innerWidth", "innerHeight"].map((name) => getter({ prototype: window }, name));
  // Sizes of the dialog's visible part, and of all its contents.
  const [roomWide, roomHigh] = ["clientWidth", "clientHeight"].map((name) => getter(Element, name));
  const [allWide, allHigh] = ["scrollWidth", "scrollHeight"].map((name) => getter(Element, name));
  const body = getter(Document, "body");
  const root = getter(Document, "documentElement");

  // Pixels of a dialog that must be visible at once; in a smaller frame, an agent could not read and answer it.
  const ROOM = 160;
  const SEEN = { opacityProperty: true, visibilityProperty: true };
  const MARGINS = {
    centre: "auto",
    top: "48px auto auto",
    bottom: "auto auto 32px",
    corner: "auto 24px 24px auto",
  };
  /** @type {DialogLook} */
  let look;

  /** @param {string} tag @param {Keyframe | null} [worn] @param {string} [text] */
  const make = (tag, worn, text) => {
    const node = create(document, tag);
    if (text) setText(node, text);
    if (worn) runtime.wear(node, worn);
    return node;
  };
  /** @template {Element} E @param {E} node @param {string} type */
  const typed = (node, type) => {
    setAttribute(node, "type", type);
    return node;
  };

  /** @param {Element} dialog @param {string} text */
  const fieldIn = (dialog, text) => {
    const label = append(dialog, make("label", look.label, text));
    return append(label, typed(make("input", look.field), "text"));
  };
  /** @param {Element} dialog @param {string} text @param {string} group */
  const choiceIn = (dialog, text, group) => {
    const row = append(dialog, make("label", look.row));
    const radio = typed(make("input", look.radio), "radio");
    // Answers to one question exclude each other. A group of this name on the page is in a form, so it is another
    // group.
    setAttribute(radio, "name", group);
    append(row, radio);
    append(row, make("span", null, text));
    return radio;
  };

  /** @type {DialogBoxes["make"]} */
  const makeBox = (words) => {
    look = lookOf();
    const dialog = make("dialog", {
      ...look.dialog,
      position: "fixed",
      inset: "0px",
      width: `${words.width}px`,
      margin: MARGINS[words.place],
    });
    runtime.own(dialog, "added");
    setAttribute(dialog, "aria-label", words.heading);
    append(dialog, make("h2", look.heading, words.heading));
    append(dialog, make("p", look.text, words.text));
    const field = words.field ? fieldIn(dialog, words.field) : null;
    const radios = [];
    for (let i = 0; i < words.choices.length; i += 1) radios[i] = choiceIn(dialog, words.choices[i], words.group);
    const bar = append(dialog, make("div", look.bar));
    const buttons = [];
    for (let i = 0; i < words.buttons.length; i += 1) {
      buttons[i] = append(bar, typed(make("button", look.button, words.buttons[i][0]), "button"));
    }
    return { dialog, field, radios, buttons, cue: null };
  };

  /** @param {Element} node */
  const isInSight = (node) => {
    const box = boxOf(node);
    const inWidth = right(box) > 0 && left(box) < wide(window) && right(box) - left(box) > 1;
    return inWidth && bottom(box) > 0 && top(box) < high(window) && bottom(box) - top(box) > 1;
  };
  /** @param {number} room @param {number} all */
  const isRoom = (room, all) => room >= ROOM || room >= all;
  /** @param {Element} dialog */
  const hasRoom = (dialog) => isRoom(roomWide(dialog), allWide(dialog)) && isRoom(roomHigh(dialog), allHigh(dialog));
  /** @type {(box: DialogBox) => boolean} */
  const isShown = ({ dialog, buttons }) => {
    if (!matches(dialog, ":modal") || !isVisible(dialog, SEEN) || !isInSight(dialog) || !hasRoom(dialog)) return false;
    // Buttons may require scrolling, but must exist.
    for (let i = 0; i < buttons.length; i += 1) if (!isVisible(buttons[i], SEEN)) return false;
    return true;
  };

  /** @type {DialogBoxes["open"]} */
  const openBox = (box) => {
    const holders = [body(document), root(document)];
    for (let i = 0; i < holders.length; i += 1) {
      if (!holders[i]) continue;
      // A removed dialog still has `open` set, and cannot be opened again.
      dropAttribute(box.dialog, "open");
      append(holders[i], box.dialog);
      showModal(box.dialog);
      runtime.wear(box.dialog, { backgroundColor: "rgba(0, 0, 0, 0.5)" }, "::backdrop");
      if (isShown(box)) return true;
    }
    return false;
  };

  /** @type {DialogBoxes["take"]} */
  const take = ({ dialog }) => {
    close(dialog);
    remove(dialog);
  };

  /** @param {Keyframe} worn */
  const status = (worn) => {
    const node = make("p", worn);
    setAttribute(node, "role", "status");
    return node;
  };

  return {
    make: makeBox,
    open: openBox,
    take,
    say: (box, text) => {
      box.cue ??= append(box.dialog, status(look.cue));
      setText(box.cue, text);
    },
    toast: (text) => {
      const node = status(look.toast);
      runtime.own(node, "added");
      setText(node, text);
      append(body(document) ?? root(document), node);
      return () => remove(node);
    },
  };
};
