// A dialog stands between a press, or the load of the page, and what comes of it. What it says is drawn here, and the
// action that it holds back goes through once it is answered rightly.

import { makeDialogBoxes } from "./dialog_box.js";
import { makeDialogLook } from "./dialog_look.js";
import { makeDialogWords } from "./dialog_words.js";
import catalogue from "./dialogs.json" with { type: "json" };

/** @import { Narrowing, Press, Runtime } from "./runtime.js" */
/** @import { DialogBox } from "./dialog_box.js" */
/** @import { DialogWords } from "./dialog_words.js" */

/**
 * @typedef {object} PopupRule
 * @property {string} mode
 * @property {[number, number]} rule - What its draws start from.
 * @property {Narrowing | null} allowed - Which attempts may be interrupted where a cause is looked for; null: all.
 * @property {number} rate - Share of presses, or of loads, that a dialog interrupts: those whose draw is below it.
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
  // So often a dialog comes back on a page that takes it away, as one does that draws itself anew.
  const RETURNS = 3;
  const isKey = new Set(KEYS);
  const say = makeDialogWords(catalogue);
  const box = makeDialogBoxes(runtime, makeDialogLook(runtime));
  const onLoad = runtime.draw(rule, `class ${runtime.place}`, 0) < 0.5;
  // Null while no dialog is open; what answers one is called only while one is.
  /**
   * @type {{box: DialogBox, words: DialogWords, about: string, attempt: number, again: (() => void) | null,
   *   returns: number, begun: boolean, keyed: boolean}}
   */
  let open = /** @type {any} */ (null);
  /** @type {(() => void) | null} */
  let dropToast = null;
  let loaded = false;

  const endToast = () => {
    dropToast?.();
    dropToast = null;
  };

  const close = () => {
    const closed = open;
    open = /** @type {any} */ (null);
    box.take(closed.box);
    return closed;
  };

  const right = () => {
    const { about, attempt, again } = close();
    runtime.report(mode, about, "passed", attempt);
    again?.();
  };

  const wrong = () => {
    // After a load there is no action to give up: the dialog stays until it gets the right answer.
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

  // Opens the dialog drawn for a key, and reports it under `about`; returns whether a person sees it.
  /** @param {string} key @param {string} about @param {number} attempt @param {(() => void) | null} again */
  const show = (key, about, attempt, again) => {
    endToast();
    const words = say((lane) => runtime.draw(rule, key, attempt, lane));
    const dialogBox = box.make(words);
    open = { box: dialogBox, words, about, attempt, again, returns: 0, begun: false, keyed: false };
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
      // A press that no dialog interrupted is counted, too: the next one has another draw.
      if (!isShown) runtime.report(mode, key, "clear", attempt);
    }
    return isShown;
  };

  const greet = () => {
    const key = `load ${runtime.place}`;
    const { page: about, loads: attempt } = runtime;
    if (isDrawn(key, about, attempt)) show(key, about, attempt, null);
  };

  // A page that draws itself anew takes the dialog away without an answer.
  const comeBack = () => {
    if (!open || isConnected(open.box.dialog)) return;
    open.returns += 1;
    if (open.returns <= RETURNS && box.open(open.box)) return;
    const { again, words } = open;
    open = /** @type {any} */ (null);
    if (again) dropToast = box.toast(words.cue);
  };

  const sending = () => {
    const { buttons } = open.words;
    for (let i = 0; i < buttons.length; i += 1) {
      if (buttons[i][1] === "mail" || buttons[i][1] === "word") return buttons[i][1];
    }
    return null;
  };

  /** @param {KeyboardEvent} event */
  const onKeydown = (event) => {
    // A key that is held down since before the dialog came is not meant for it.
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

  /** @param {MouseEvent} event */
  const onClick = (event) => {
    // The second click of a double click that opened the dialog is not meant for what lies under the pointer now.
    if (detailOf(event) > 1 && !open.begun) {
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

  /** @type {Record<string, (event: any) => void>} */
  const ACTS = {
    keydown: onKeydown,
    click: onClick,
    /** @param {MouseEvent} event */
    mousedown: (event) => (open.begun ||= detailOf(event) < 2),
    /** @param {Event} event */
    cancel: (event) => {
      runtime.block(event);
      wrong();
    },
    // A browser closes a dialog that does not let itself be cancelled twice.
    close: () => isOpen(open.box.dialog) || box.open(open.box),
  };

  // Ends here what is about the dialog, and every key while it is open: no listener of the page is to know.
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
    // The dialog is modal, so no user can press anything behind it: this press comes from a script.
    if (open) return false;
    return onLoad || !press.pressed || !interrupts(press);
  });
  // A part of a page has no load of its own that the ledger could name.
  if (onLoad && !runtime.isPart) {
    runtime.listen(["load"], (event) => {
      // Every picture and every script loads as well, and what a page writes anew does so a second time. A load that a
      // script makes up has another target.
      if (loaded || targetOf(event) !== document) return;
      loaded = true;
      greet();
    });
  }
};
