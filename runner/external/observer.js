// Reports what a client of the browser does on a page. Evaluated in each document before the document's own scripts,
// so that its listeners run first: in an isolated world, or, in a browser that the agent started, among the page's
// scripts.
/**
 * What fields have that other elements lack.
 *
 * @typedef {object} Special
 * @property {string} type
 * @property {string} name
 * @property {string} value
 * @property {boolean} checked
 * @property {FileList} files
 * @property {HTMLOptionsCollection} options
 * @property {HTMLCollectionOf<HTMLOptionElement>} selectedOptions
 * @property {number | null} selectionStart
 * @property {number | null} selectionEnd
 */
/**
 * An input, select or textarea, or an element whose text can be edited; each uses only what it has.
 *
 * @typedef {HTMLElement & Special} Field
 */
/** @typedef {import("../../stressweb/sources/read.js").ReadOptions} ReadOptions */
/**
 * @typedef {object} Doing
 * @property {string} [kind] - The kind of a new action; if missing, `more` updates the current action.
 * @property {object} [more] - Parameters of the action, as in `stressweb.plugins.actions.Action`.
 */
/**
 * @typedef {object} Calls
 * @property {() => Promise<string | null>} rest - Returns the page once it has settled; null if an action begins first.
 * @property {() => string | null} now - Returns the page in its current state.
 * @property {(attempts: ReadOptions["attempts"]) => void} attempted - Takes the episode's counts of attempts.
 */
/**
 * @param {(options: ReadOptions) => string | null} read - Reads the page; every read ends the current entry.
 * @param {<Given>(act: () => Given) => Promise<Given | null>} settled - Calls `act` when the page has settled.
 * @param {ReadOptions} options - Options for `read`.
 * @param {(doing: string, page?: string | null) => void} tell - Takes a `Doing` as JSON, and for a new action the page
 *   before it, as returned by `read`; null in a frame.
 * @param {(calls: Calls) => void} publish - Takes the functions of the top document, to be called from outside.
 */
(read, settled, options, tell, publish) => {
  "use strict";
  const isTop = window === top;
  const LONGEST = 60;
  const CONTROLS = "a[href], button, input, select, textarea, summary, label, [role], [contenteditable], [onclick]";
  const PRESSED = ["checkbox", "radio", "submit", "button", "image", "reset"];
  const MODIFIERS = ["Control", "Alt", "Shift", "Meta"];

  let happened = 0;
  // Whether a pointer was pressed and its click has not arrived yet.
  let pressing = false;
  // True until the current task ends: further events in the task of an action belong to the same action.
  let acting = false;
  /** @type {Field | null} */
  let entered = null;
  // The field that got a `beforeinput` event in this task.
  /** @type {Field | null} */
  let announced = null;
  // The last entry: its field, and the field's value after it.
  /** @type {{field: Field | null, value: string}} */
  let latest = { field: null, value: "" };
  /** @type {string | null} */
  let held = null;
  let scrolled = 0;

  /** @type {(doing: Doing, page?: string | null) => void} */
  const say = (doing, page) => tell(JSON.stringify(doing), page);
  const hold = () => {
    acting = true;
    setTimeout(() => (acting = false));
  };
  /** @type {(kind: string, more: object) => void} */
  const begin = (kind, more) => {
    happened += 1;
    entered = null;
    scrolled = 0;
    hearWithin(document);
    say({ kind, more }, isTop ? read({ ...options, acting: true }) : null);
    hold();
  };

  /** @type {(event: Event) => EventTarget} */
  const origin = (event) => event.composedPath()[0];
  /** @param {unknown} node @returns {node is HTMLElement & Partial<Special>} */
  const isElement = (node) => node instanceof Element;
  /** @param {unknown} node @returns {node is Field} */
  const isEntered = (node) =>
    isElement(node) &&
    (node.localName === "textarea" ||
      node.localName === "select" ||
      (node.localName === "input" && !PRESSED.includes(/** @type {string} */ (node.type))) ||
      node.isContentEditable === true);
  /** @type {(node: EventTarget) => EventTarget} */
  const fieldOf = (node) => (isElement(node) && node.isContentEditable && node.closest("[contenteditable]")) || node;

  /** @type {(text: string) => string} */
  const quoted = (text) => JSON.stringify(text.replace(/\s+/g, " ").trim().slice(0, LONGEST));
  /** @type {(node: EventTarget) => string} */
  const selectorOf = (node) => {
    const element =
      /** @type {HTMLElement & Pick<Special, "type">} */
      (isElement(node) ? (node.closest(CONTROLS) ?? node) : document.documentElement);
    const name = element.localName;
    const fieldName = element.getAttribute("name");
    if (["input", "select", "textarea"].includes(name) && fieldName) {
      const value = ["radio", "checkbox", "submit"].includes(element.type) ? element.getAttribute("value") : null;
      return `${name}[name=${quoted(fieldName)}]${value === null ? "" : `[value=${quoted(value)}]`}`;
    }
    const label = element.getAttribute("aria-label");
    if (label) return `${name}[aria-label=${quoted(label)}]`;
    const text = (element.textContent ?? "").trim();
    return text && text.length < 4 * LONGEST ? `${name}:has-text(${quoted(text)})` : name;
  };

  /** @type {(field: Field) => string} */
  const valueOf = (field) => {
    if (field.type === "password") return "\u2022".repeat(field.value.length);
    if (field.localName === "select") return field.selectedOptions[0]?.textContent.trim() ?? "";
    return field.isContentEditable ? field.textContent : field.value;
  };
  /** @type {(field: Field) => [kind: string, more: object]} */
  const filled = (field) => {
    const selector = selectorOf(field);
    if (field.localName === "select") return ["SELECT", { selector, option: valueOf(field) }];
    if (field.type === "file") return ["UPLOAD", { selector, files: Array.from(field.files, ({ name }) => name) }];
    return ["FILL", { selector, text: valueOf(field) }];
  };

  // Input without a pressed key replaces the whole text, unless it is a single character at the caret.
  /** @type {(event: InputEvent) => boolean} */
  const isWhole = (event) => held === null && !(event.data?.length === 1 && isCollapsed(origin(event)));
  /** @type {(field: EventTarget & Partial<Special>) => boolean} */
  const isCollapsed = (field) =>
    typeof field.selectionStart === "number"
      ? field.selectionStart === field.selectionEnd
      : (getSelection()?.isCollapsed ?? true);

  /** @type {(field: Field) => void} */
  const remember = (field) => (latest = { field, value: valueOf(field) });
  /** @type {(field: Field) => void} */
  const enter = (field) => {
    begin(...filled(field));
    remember(field);
    // The page may restore the old value. Entering the same text again is then a new attempt.
    setTimeout(() => latest.field === field && remember(field));
    // Choosing an option or a file is complete at once; typing may continue.
    entered = field.localName === "select" || field.type === "file" ? null : field;
  };

  /** @type {(event: MouseEvent) => void} */
  const onPointer = (event) => {
    pressing = true;
    const { clientX: x, clientY: y, detail } = event;
    // The second click of a double click belongs to the first.
    if (detail > 1) say({ more: { click_count: Math.min(3, detail) } });
    else begin("CLICK", { selector: selectorOf(origin(event)), x, y });
  };
  /** @type {(event: MouseEvent) => void} */
  const onClick = (event) => {
    const belongs = acting || pressing || (event.isTrusted && event.detail === 0 && held !== null);
    pressing = false;
    if (!belongs) begin("CLICK", { selector: selectorOf(origin(event)) });
    else hold();
  };
  /** @type {(event: KeyboardEvent) => void} */
  const onKey = (event) => {
    if (MODIFIERS.includes(event.key)) return;
    const target = fieldOf(origin(event));
    const chord = MODIFIERS.filter((name) => event.getModifierState(name) && name !== "Shift");
    const types = event.key.length === 1 || event.key === "Backspace" || event.key === "Delete";
    held = event.code || event.key;
    // A key that types text belongs to an entry, which begins with `beforeinput`.
    if (isEntered(target) && target.localName !== "select" && types && !chord.length) return;
    if (chord.length) begin("HOTKEY", { keys: [...chord, event.key].join("+") });
    else begin("PRESS", { key: event.key });
  };
  const onKeyUp = () => {
    // If Space presses a control, its click follows in this task.
    if (held !== null) hold();
    held = null;
  };
  /** @type {(event: InputEvent) => void} */
  const onBeforeInput = (event) => {
    const field = fieldOf(origin(event));
    if (acting || !isEntered(field) || event.inputType === "insertLineBreak") return;
    if (entered !== field || isWhole(event)) enter(field);
    announced = field;
    setTimeout(() => (announced = null));
  };
  /** @type {(event: Event) => void} */
  const onInput = (event) => {
    const field = fieldOf(origin(event));
    if (!isEntered(field)) return;
    const runs = acting || (entered === field && (announced === field || held !== null));
    // Lists, dates and files have no `beforeinput` event. A trusted `change` only ends an entry when the field loses
    // focus, but a script may dispatch `change` as its only event.
    const tells = event.type === "input" || !event.isTrusted;
    if (!runs && tells && !isRepeated(event, field)) enter(field);
    else if (entered === field) {
      say({ more: filled(field)[1] });
      remember(field);
    }
  };
  // Clients' scripts dispatch the events again after typing, for pages that ignore key events.
  /** @type {(event: Event, field: Field) => boolean} */
  const isRepeated = (event, field) =>
    !event.isTrusted && latest.field === field && latest.value === valueOf(field);
  // Events that a script dispatches in a shadow root do not reach the window; nor does `submit` of a form there.
  const submitted = new WeakSet();
  const heard = new WeakSet();
  /** @type {(root: ShadowRoot) => void} */
  const hear = (root) => {
    if (heard.has(root)) return;
    heard.add(root);
    for (const type of ["input", "change"]) {
      root.addEventListener(type, (inner) => inner.composed || onInput(inner), { capture: true, passive: true });
    }
    /** @type {(inner: Event) => void} */
    const onFormSent = (inner) => submitted.has(inner) || onSubmit(inner);
    root.addEventListener("submit", onFormSent, { capture: true, passive: true });
    hearWithin(root);
  };
  /** @type {(tree: Document | ShadowRoot) => void} */
  const hearWithin = (tree) => {
    const elements = tree.querySelectorAll("*");
    // Use an index: an iterator is slower, and this runs before every action.
    for (let index = 0; index < elements.length; index += 1) {
      const { shadowRoot } = elements[index];
      if (shadowRoot) hear(shadowRoot);
    }
  };
  /** @type {(event: Event) => void} */
  const onFocus = (event) => {
    for (const root of event.composedPath()) if (root instanceof ShadowRoot) hear(root);
  };
  /** @type {(event: Event) => void} */
  const onSubmit = (event) => {
    submitted.add(event);
    if (!acting && !pressing && held === null) begin("PRESS", { key: "Enter" });
  };
  const onLeave = () => (entered = null);
  /** @type {(event: WheelEvent) => void} */
  const onWheel = (event) => {
    const sum = scrolled + event.deltaY;
    if (scrolled === 0) begin("SCROLL", { delta: sum });
    else say({ more: { delta: sum } });
    scrolled = sum;
  };
  /** @type {(event: DragEvent) => void} */
  const onDrop = (event) => say({ more: { kind: "DRAG", to_x: event.clientX, to_y: event.clientY } });

  /** @type {<Type extends keyof WindowEventMap>(type: Type, act: (event: WindowEventMap[Type]) => void) => void} */
  const listen = (type, act) => addEventListener(type, act, { capture: true, passive: true });
  listen("mousedown", onPointer);
  listen("click", onClick);
  listen("keydown", onKey);
  listen("keyup", onKeyUp);
  listen("beforeinput", onBeforeInput);
  listen("input", onInput);
  listen("change", onInput);
  listen("submit", onSubmit);
  listen("focusin", onFocus);
  listen("focusout", onLeave);
  listen("wheel", onWheel);
  listen("drop", onDrop);

  if (!isTop) return;
  /** @type {(before: number) => Promise<string | null>} */
  const atRest = (before) =>
    settled(() => {
      hearWithin(document);
      return entered === null && happened === before ? read(options) : null;
    });
  publish({
    rest: () => atRest(happened),
    now: () => read(options),
    attempted: (attempts) => (options.attempts = attempts),
  });
}
