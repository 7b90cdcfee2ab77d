// The page's runtime: one decision for one gesture, by whatever path it came.
// Called with the page's configuration and the scripts of the active modes; leaves nothing behind in the document.
/**
 * What the search for the cause of a failure adds to the settings of a script; nothing of it is there otherwise.
 * @typedef {object} Narrowed
 * @property {Record<string, [boolean, number[]]> | undefined} allowed - Which attempts at a control may be disturbed,
 *   by token: only these with true, all but these with false.
 * @property {Record<string, number> | undefined} strengths - How much of its draw each block keeps, 0 to 1, by token.
 * @property {boolean | undefined} tells - Whether the strengths are reported that came of fitting.
 */

/**
 * A click, a key press or a submission on a control, before it has any effect.
 *
 * @typedef {object} Gesture
 * @property {string} token - Token of the control.
 * @property {HTMLElement} element - The control.
 * @property {HTMLElement} look - What was acted on: the control itself, or the label that stands for it.
 * @property {number} detail - How many clicks in a row it is, from 1; 0 where no pointer clicked.
 * @property {boolean} keyed - Whether no pointer clicked: it came from a key or from a script.
 * @property {() => void} again - Lets the gesture go through after all; it is not decided a second time.
 */

/**
 * What a script that draws on the page later is told about it, by the proxy.
 *
 * @typedef {object} Drawn
 * @property {string[]} tokens - Tokens of the elements that were drawn, in the order in which they were reported.
 * @property {string[]} controls - Those that are controls.
 * @property {Record<string, Record<string, number>>} attempts - Attempts at them so far, by mode and token.
 * @property {Record<string, object>} modes - For each mode its settings, about these elements alone.
 */

/**
 * What the runtime gives the script of a mode.
 *
 * The script is a function of this, of its settings and of its parts, called once before any script of the page runs.
 * It may return a function that takes its settings for elements which the page's own scripts draw later.
 *
 * @typedef {object} Api
 * @property {(element: Element) => string | null} tokenOf - Token of a control; null for an element that is none.
 * @property {(element: Element) => boolean} isEntered - Whether a control is filled in rather than pressed.
 * @property {(event: InputEvent & {target: Element}) => boolean} isSubmission - Whether an input event is
 *   only the Enter that sends a form.
 * @property {(words: [number, number], attempt: number) => number} draw - A number of at least 0 and below 1, the same
 *   for the same two words of 32 bits and the same attempt, from 0.
 * @property {(mode: string, token: string) => number} attempt - Number of this attempt at a control, from 0. Each call
 *   counts one; the count goes on over page loads.
 * @property {string} page - Token of the page: a report with it is about the page as a whole.
 * @property {(mode: string | null, token: string, event: "hit" | "passed" | "moved" | "drawn", value: any) => any}
 *   report - Tells the proxy what was decided, which writes it into the ledger before anything comes of the gesture.
 *   "hit": the mode disturbs attempt number `value`, from 0. "passed": it lets this attempt pass. "moved": it moved
 *   `value` places of the page. "drawn" is for the runtime alone. Returns the proxy's answer, null if there is none.
 * @property {(mode: string, token: string) => any} ask - Returns what `Perturbation.answer` says about this press, with
 *   its number as `attempt`; null lets the press pass. The proxy counts the press and reports the hit itself.
 * @property {(gate: (gesture: Gesture) => boolean) => void} onPress - Calls the gate for every gesture on a control.
 *   One that returns false holds the gesture back, and the gates of later modes are not asked.
 * @property {(act: () => void) => void} onRead - Calls `act` before the recorder reads the page.
 * @property {(act: () => void) => void} onClosed - Calls `act` when a dialog of a mode has been closed.
 * @property {() => void} closed - Tells the other modes that a dialog was closed.
 * @property {(more: Drawn) => void} extend - Takes elements that were drawn later; for the runtime alone.
 * @property {(element: Element) => void} select - Outlines an element as selected, and no other one.
 */

/**
 * @param {{controls: string[], attempts: Record<string, Record<string, number>>, page: string, report: string,
 *   read: string, look: string, css: string}} config - Tokens of the controls, attempts so far, the page's token, the
 *   path of reports, the event that announces a read, the class of what is selected, and the rules of all modes.
 * @param {any[]} modes - For each mode its script, its settings and its parts.
 */
(config, modes) => {
  "use strict";
  // No element may stay behind that tells a disturbed page from another one.
  document.currentScript.remove();
  // Kept from before any script of the page ran: a page may put something of its own in their place.
  const Request = XMLHttpRequest;
  const beacon = navigator.sendBeacon.bind(navigator);
  const controls = new Set(config.controls);
  const presses = [];
  const closings = [];
  const reads = [];
  const takers = {};
  let relayed = null;
  let submitting = false;
  let replaying = false;

  const PRESSED = ["checkbox", "radio", "submit", "button", "image", "reset"];

  const tokenOf = (element) => {
    for (const name of element.classList) if (controls.has(name)) return name;
    return null;
  };

  // What is filled in rather than pressed: a click there only puts the cursor.
  const isEntered = (node) =>
    node.matches("textarea, select") || (node.localName === "input" && !PRESSED.includes(node.type));

  /**
   * @param {any} element
   * @returns {element is HTMLLabelElement}
   */
  const isLabel = (element) => element.localName === "label" && element.control !== null;

  // The control that an event is about: the innermost one around the target, a label standing for its field.
  const controlOf = (event) => {
    for (const node of event.composedPath()) {
      if (!(node instanceof Element)) continue;
      if (tokenOf(node)) return { element: node, look: node };
      if (isLabel(node) && tokenOf(node.control)) return { element: node.control, look: node };
    }
    return null;
  };

  // The gesture waits for its line in the ledger: it must stand there before whatever comes of the gesture. Where a
  // policy forbids synchronous requests, a beacon is on its way before any navigation.
  const send = (...message) => {
    const text = JSON.stringify(message);
    const request = new Request();
    try {
      request.open("POST", config.report, false);
      request.send(text);
    } catch {
      beacon(config.report, text);
      return null;
    }
    return request.status === 200 ? JSON.parse(request.responseText) : null;
  };

  /** @type {Api} */
  const api = {
    tokenOf,
    isEntered,
    // Enter in a field of one line comes as input too, though it only submits.
    isSubmission: (event) => event.inputType === "insertLineBreak" && event.target.localName === "input",
    // MurmurHash3's finaliser over seed and attempt; stressweb.core.draws.page_draw gives the same number.
    draw: ([high, low], attempt) => {
      let mixed = high ^ Math.imul(attempt + 1, 0x9e3779b1);
      mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
      mixed = Math.imul(mixed ^ (mixed >>> 13) ^ low, 0xc2b2ae35);
      return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
    },
    // The number of a mode's attempt at an element; the proxy keeps the count over page loads.
    attempt: (mode, token) => {
      const counts = (config.attempts[mode] ??= {});
      counts[token] = (counts[token] ?? 0) + 1;
      return counts[token] - 1;
    },
    page: config.page,
    report: send,
    // What the mode decides about one press; null where it lets it pass.
    ask: (mode, token) => send(mode, token, "ask", 0),
    onPress: (gate) => presses.push(gate),
    onRead: (act) => reads.push(act),
    // A dialog of ours leaves the document before it could tell of its end.
    onClosed: (act) => closings.push(act),
    closed: () => closings.forEach((act) => act()),
    // More controls, and what each mode must know of them.
    extend: (more) => {
      for (const token of more.controls) controls.add(token);
      for (const [mode, counts] of Object.entries(more.attempts)) Object.assign((config.attempts[mode] ??= {}), counts);
      for (const [mode, given] of Object.entries(more.modes)) takers[mode]?.(given);
    },
    select: (element) => {
      for (const other of document.getElementsByClassName(config.look)) other.classList.remove(config.look);
      element.classList.add(config.look);
    },
  };

  const block = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  const passes = (element, look, detail, again) => {
    const gesture = { token: tokenOf(element), element, look, detail, keyed: !detail, again };
    return presses.every((gate) => gate(gesture));
  };

  // A gesture that was held back takes its way once more, and is decided no second time.
  const replay = (act) => {
    replaying = true;
    try {
      act();
    } finally {
      replaying = false;
    }
  };

  // A script's middle click opens no tab: once the page has seen it, the link gets a click that nobody else sees.
  const openAside = (link) => {
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey: true, metaKey: true });
    window.addEventListener("click", (click) => click.stopImmediatePropagation(), { capture: true, once: true });
    link?.dispatchEvent(event);
  };

  const clickAgain = (event) => {
    const [target] = event.composedPath();
    const copy = new event.constructor(event.type, event);
    const act = () => target.dispatchEvent(copy) && copy.type === "auxclick" && openAside(target.closest("a[href]"));
    return () => replay(act);
  };

  const onClick = (event) => {
    // Of the other buttons only the middle one acts on a page: it opens a link in a tab.
    if (replaying || (event.type === "auxclick" && event.button !== 1)) return;
    const found = controlOf(event);
    if (!found || isEntered(found.element)) return;
    if (relayed === found.element && found.look === found.element) {
      relayed = null;
      return;
    }
    if (!passes(found.element, found.look, event.detail, clickAgain(event))) return block(event);
    // A label's click is followed by one on its field, and a submit button's by the submission: the same action.
    relayed = found.look === found.element ? null : found.element;
    submitting = true;
    // The submission comes in the same task as the click that caused it; a later one is a gesture of its own.
    setTimeout(() => (submitting = false));
  };

  const defaultButton = (form) => form.querySelector("button:not([type]), [type=submit], [type=image]") ?? form;

  const onSubmit = (event) => {
    // What the click has already been decided about must not be decided again as a submission.
    if (submitting || replaying) return;
    const { target, submitter } = event;
    const element = submitter ?? defaultButton(target);
    const again = () => replay(() => target.requestSubmit(submitter));
    if (tokenOf(element) && !passes(element, element, 0, again)) block(event);
  };

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(config.css);
  // An adopted sheet has no element in the document, so no markup shows it.
  document.adoptedStyleSheets.push(sheet);
  // A new gesture begins, whether or not the second click of a label has come.
  for (const type of ["pointerdown", "keydown"]) window.addEventListener(type, () => (relayed = null), true);
  // On the window and in the capturing phase: earlier than any listener that the page can have.
  for (const type of ["click", "auxclick"]) window.addEventListener(type, onClick, true);
  window.addEventListener("submit", onSubmit, true);
  // Comes from outside of the page, whose scripts do not know its name.
  const onRead = (event) => {
    event.stopImmediatePropagation();
    reads.forEach((act) => act());
  };
  window.addEventListener(config.read, onRead, true);
  for (const [start, settings, ...parts] of modes) takers[settings.mode] = start(api, settings, ...parts);
}
