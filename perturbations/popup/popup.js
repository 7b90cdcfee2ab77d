// Interrupts a press or the load of the page with a dialog. The dialog's words are drawn here; the right answer lets
// the interrupted action continue.

import { makeDialogBoxes } from "./dialog_box.js";
import { makeDialogLook } from "./dialog_look.js";
import { makeDialogWords } from "./dialog_words.js";
import catalogue from "./dialogs.json" with { type: "json" };

/** @import { Narrowing, Press, Runtime } from "../page/runtime.js" */
/** @import { DialogBox } from "./dialog_box.js" */
/** @import { Catalogue, DialogWords } from "./dialog_words.js" */

/**
 * @typedef {object} PopupRule
 * @property {string} mode
 * @property {[number, number]} rule - Words of the mode's draws.
 * @property {Narrowing | null} allowed - Attempts that may be interrupted in a search for a cause; null: all.
 * @property {number} rate - Share of presses or loads that a dialog interrupts: those whose draw is below this.
 */
/**
 * @typedef {object} OpenDialog
 * @property {DialogBox} box
 * @property {DialogWords} words
 * @property {string} about - Key of the interrupted control, or name of the page.
 * @property {number} attempt
 * @property {(() => void) | null} again - Performs the interrupted action; null after a load of the page.
 * @property {number} returns - How often it was opened again after the page had removed it.
 * @property {boolean} pointed - Whether a new click has begun since it opened.
 * @property {boolean} keyed - Whether a key was pressed since it opened.
 */

/**
 * @param {Runtime} runtime
 * @param {PopupRule} settings
 */
export const startPopup = (runtime, settings) => {
  if (!settings.rate) return;
  const { method, getter, told } = runtime.natives;
  const { rule, mode } = settings;
  const typeOf = getter(Event, "type");
  const targetOf = getter(Event, "target");
  const stop = method(Event, "stopImmediatePropagation");
  const detailOf = told(UIEvent, "detail");
  const keyOf = told(KeyboardEvent, "key");
  const isRepeated = told(KeyboardEvent, "repeat");
  const contains = method(Node, "contains");
  const isConnected = getter(Node, "isConnected");
  const isOpen = getter(HTMLDialogElement, "open");
  const valueOf = getter(HTMLInputElement, "value");
  const isChecked = getter(HTMLInputElement, "checked");
  const trim = method(String, "trim");
  const lower = method(String, "toLowerCase");
  const match = method(RegExp, "exec");

  const KEYS = ["keydown", "keyup", "keypress"];
  // biome-ignore format: a long list
  const INSIDE = [
    ...KEYS, "click", "dblclick", "auxclick", "contextmenu", "mousedown", "mouseup", "mousemove", "mouseover",
    "mouseout", "mouseenter", "mouseleave", "pointerdown", "pointerup", "pointermove", "pointerover", "pointerout",
    "pointerenter", "pointerleave", "pointercancel", "touchstart", "touchmove", "touchend", "touchcancel", "wheel",
    "scroll", "beforeinput", "input", "change", "select", "focus", "blur", "focusin", "focusout", "compositionstart",
    "compositionupdate", "compositionend", "copy", "cut", "paste", "beforecopy", "beforecut", "beforepaste",
    "drag", "dragstart", "dragend", "dragenter", "dragover", "dragleave", "drop", "selectstart", "selectionchange",
    "gotpointercapture", "lostpointercapture", "invalid", "toggle", "beforetoggle", "cancel", "close", "scrollend",
    "mousewheel", "transitionrun", "transitionstart", "transitionend", "transitioncancel", "animationstart",
    "animationiteration", "animationend", "animationcancel",
  ];
  const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
  // How often to reopen a dialog that the page removes by rendering itself again.
  const RETURNS = 3;
  const isKey = new Set(KEYS);
  const say = makeDialogWords(/** @type {Catalogue} */ (catalogue));
  const box = makeDialogBoxes(runtime, makeDialogLook(runtime));
  const onLoad = runtime.draw(rule, `class ${runtime.place}`, 0) < 0.5;
  // Null while no dialog is open; functions that answer a dialog are called only while one is.
  let open = /** @type {OpenDialog} */ (/** @type {unknown} */ (null));
  /** @type {(() => void) | null} */
  let dropToast = null;
  let loaded = false;

  const endToast = () => {
    dropToast?.();
    dropToast = null;
  };

  const close = () => {
    const closed = open;
    open = /** @type {OpenDialog} */ (/** @type {unknown} */ (null));
    box.take(closed.box);
    return closed;
  };

  const right = () => {
    const { about, attempt, again } = close();
    runtime.report(mode, about, "passed", attempt);
    again?.();
  };

  const wrong = () => {
    // After a page load there is no action to cancel, so the dialog stays open until the right answer.
    if (!open.again) box.say(open.box, open.words.stays);
    else dropToast = box.toast(close().words.cue);
  };

  /** @type {Record<string, () => boolean>} */
  const RULES = {
    go: () => true,
    stop: () => false,
    mail: () => match(MAIL, trim(valueOf(open.box.field))) !== null,
    choice: () => {
      const { radios } = open.box;
      for (let i = 0; i < radios.length; i += 1) if (isChecked(radios[i])) return true;
      return false;
    },
    word: () => lower(trim(valueOf(open.box.field))) === lower(open.words.word),
  };
  /** @param {string} meaning */
  const decide = (meaning) => (RULES[meaning]() ? right() : wrong());

  // Opens the dialog drawn for a key, and reports it under `about`; returns whether it is visible.
  /** @param {string} key @param {string} about @param {number} attempt @param {(() => void) | null} again */
  const show = (key, about, attempt, again) => {
    endToast();
    const words = say((lane) => runtime.draw(rule, key, attempt, lane));
    const dialogBox = box.make(words);
    open = { box: dialogBox, words, about, attempt, again, returns: 0, pointed: false, keyed: false };
    let isShown = false;
    try {
      isShown = box.open(dialogBox);
    } finally {
      // A dialog that cannot be seen or used must not block the page.
      if (!isShown) close();
    }
    if (isShown) runtime.report(mode, about, "hit", attempt);
    return isShown;
  };

  /** @param {string} key @param {string} about @param {number} attempt */
  const isDrawn = (key, about, attempt) =>
    runtime.draw(rule, key, attempt) < settings.rate && runtime.lets(settings.allowed, about, attempt);

  /** @type {(press: Press) => boolean} */
  const interrupts = ({ key, again }) => {
    const attempt = runtime.attempt(mode, key);
    let isShown = false;
    try {
      isShown = isDrawn(key, key, attempt) && show(key, key, attempt, again);
    } finally {
      // An uninterrupted press counts as an attempt, too, so that the next one has another draw.
      if (!isShown) runtime.report(mode, key, "clear", attempt);
    }
    return isShown;
  };

  const greet = () => {
    const key = `load ${runtime.place}`;
    const { page: about, loads: attempt } = runtime;
    if (isDrawn(key, about, attempt)) show(key, about, attempt, null);
  };

  // Reopens a dialog that the page has removed by rendering itself again.
  const comeBack = () => {
    if (!open || isConnected(open.box.dialog)) return;
    open.returns += 1;
    if (open.returns <= RETURNS && box.open(open.box)) return;
    const { again, words } = open;
    open = /** @type {OpenDialog} */ (/** @type {unknown} */ (null));
    if (again) dropToast = box.toast(words.cue);
  };

  const sending = () => {
    const { buttons } = open.words;
    for (let i = 0; i < buttons.length; i += 1) {
      if (buttons[i][1] === "mail" || buttons[i][1] === "word") return buttons[i][1];
    }
    return null;
  };

  /** @param {Event} event */
  const onKeydown = (event) => {
    // A key that was held down when the dialog opened is not meant for it.
    open.keyed ||= !isRepeated(event);
    const key = keyOf(event);
    if (!open.keyed) runtime.block(event);
    else if (key === "Escape") {
      runtime.block(event);
      wrong();
    } else if (key === "Enter" && targetOf(event) === open.box.field && sending()) {
      runtime.block(event);
      decide(/** @type {string} */ (sending()));
    }
  };

  /** @param {Event} event */
  const onClick = (event) => {
    // The second click of the double click that opened the dialog is not meant for it.
    if (detailOf(event) > 1 && !open.pointed) {
      runtime.block(event);
      return;
    }
    const { buttons } = open.box;
    for (let i = 0; i < buttons.length; i += 1) {
      if (!contains(buttons[i], targetOf(event))) continue;
      decide(open.words.buttons[i][1]);
      return;
    }
  };

  /** @type {Record<string, (event: Event) => void>} */
  const ACTS = {
    keydown: onKeydown,
    click: onClick,
    mousedown: (event) => (open.pointed ||= detailOf(event) < 2),
    cancel: (event) => {
      runtime.block(event);
      wrong();
    },
    // The browser closes a dialog at the second cancel event, even if both were prevented.
    close: () => isOpen(open.box.dialog) || box.open(open.box),
  };

  // Hides from the page all events in the dialog, and all keys while it is open.
  /** @param {Event} event */
  const onInside = (event) => {
    if (!open) return;
    const type = typeOf(event);
    const origin = runtime.origin(event);
    if (!isKey.has(type) && (origin === window || !contains(open.box.dialog, origin))) return;
    stop(event);
    ACTS[type]?.(event);
  };

  runtime.listen(INSIDE, onInside);
  runtime.listen(["pointerdown", "keydown"], endToast);
  runtime.onAnyDrawn(comeBack);
  runtime.onPress((press) => {
    comeBack();
    // The dialog is modal, so this press behind it comes from a script.
    if (open) return false;
    return onLoad || !press.pressed || !interrupts(press);
  });
  // Loads of documents in frames that count as parts of the page are not drawn.
  if (onLoad && !runtime.isPart) {
    runtime.listen(["load"], (event) => {
      // Ignore the load events of pictures and scripts, those created by scripts, and a second one after
      // `document.open`.
      if (loaded || targetOf(event) !== document) return;
      loaded = true;
      greet();
    });
  }
};
