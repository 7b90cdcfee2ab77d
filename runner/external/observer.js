// Tells what a client of the browser does to a page. Evaluated in each document before anything of the document, so
// that its listeners hear an event first: in a world of its own, or, in a browser that is not ours, among the page's
// scripts.
/**
 * @typedef {object} Doing
 * @property {string} [kind] - The kind of action that begins; without one, `more` is about the action that runs.
 * @property {object} [more] - Parameters of the action, as in `stressweb.plugins.actions.Action`.
 */
/**
 * @typedef {object} Calls
 * @property {() => Promise<string | null>} rest - Gives the page when it has settled; null if something happens before.
 * @property {() => string | null} now - Gives the page as it is.
 * @property {(attempts: object) => void} attempted - Takes the attempts of the episode so far.
 */
/**
 * @param {(options: object) => string | null} read - Reads the page; every read ends an entry that runs.
 * @param {(act: () => any) => Promise<any>} settled - Calls `act` when the page has settled.
 * @param {object} options - What `read` takes.
 * @param {(doing: string, page?: string | null) => void} tell - Takes a `Doing` as JSON, and the page before an action
 *   that begins, as `read` gives it; null in a frame.
 * @param {(calls: Calls) => void} publish - Takes what can be asked of the document that a tab shows.
 */
(read, settled, options, tell, publish) => {
  "use strict";
  const isTop = window === top;
  const LONGEST = 60;
  const CONTROLS = "a[href], button, input, select, textarea, summary, label, [role], [contenteditable], [onclick]";
  const PRESSED = ["checkbox", "radio", "submit", "button", "image", "reset"];
  const MODIFIERS = ["Control", "Alt", "Shift", "Meta"];

  let happened = 0;
  // The press of a pointer whose click is still to come.
  let pressing = false;
  // The task of an event that belongs to the action: what else happens in it belongs to the action, too.
  let acting = false;
  let entered = null;
  // The field whose next input was announced, in this task.
  let announced = null;
  // The last entry: its field, and what the field held after it.
  let latest = { field: null, value: "" };
  let held = null;
  let scrolled = 0;

  const say = (doing, page) => tell(JSON.stringify(doing), page);
  const hold = () => {
    acting = true;
    setTimeout(() => (acting = false));
  };
  const begin = (kind, more) => {
    happened += 1;
    entered = null;
    scrolled = 0;
    hearWithin(document);
    say({ kind, more }, isTop ? read({ ...options, acting: true }) : null);
    hold();
  };

  const origin = (event) => event.composedPath()[0];
  const isElement = (node) => node instanceof Element;
  const isEntered = (node) =>
    isElement(node) &&
    (node.localName === "textarea" ||
      node.localName === "select" ||
      (node.localName === "input" && !PRESSED.includes(node.type)) ||
      node.isContentEditable === true);
  const fieldOf = (node) => (isElement(node) && node.isContentEditable && node.closest("[contenteditable]")) || node;

  const quoted = (text) => JSON.stringify(text.replace(/\s+/g, " ").trim().slice(0, LONGEST));
  const selectorOf = (node) => {
    const element = isElement(node) ? (node.closest(CONTROLS) ?? node) : document.documentElement;
    const name = element.localName;
    const given = element.getAttribute("name");
    if (["input", "select", "textarea"].includes(name) && given) {
      const value = ["radio", "checkbox", "submit"].includes(element.type) ? element.getAttribute("value") : null;
      return `${name}[name=${quoted(given)}]${value === null ? "" : `[value=${quoted(value)}]`}`;
    }
    const label = element.getAttribute("aria-label");
    if (label) return `${name}[aria-label=${quoted(label)}]`;
    const text = (element.textContent ?? "").trim();
    return text && text.length < 4 * LONGEST ? `${name}:has-text(${quoted(text)})` : name;
  };

  const valueOf = (field) => {
    if (field.type === "password") return "\u2022".repeat(field.value.length);
    if (field.localName === "select") return field.selectedOptions[0]?.textContent.trim() ?? "";
    return field.isContentEditable ? field.textContent : field.value;
  };
  const filled = (field) => {
    const selector = selectorOf(field);
    if (field.localName === "select") return ["SELECT", { selector, option: valueOf(field) }];
    if (field.type === "file") return ["UPLOAD", { selector, files: Array.from(field.files, ({ name }) => name) }];
    return ["FILL", { selector, text: valueOf(field) }];
  };

  // What comes without a key that is held down was put in whole, unless it goes on where typing has left off.
  const isWhole = (event) => held === null && !(event.data?.length === 1 && isCollapsed(origin(event)));
  const isCollapsed = (field) =>
    typeof field.selectionStart === "number"
      ? field.selectionStart === field.selectionEnd
      : (getSelection()?.isCollapsed ?? true);

  const remember = (field) => (latest = { field, value: valueOf(field) });
  const enter = (field) => {
    begin(...filled(field));
    remember(field);
    // The page may have put back what the field held: the same entry is a new attempt then.
    setTimeout(() => latest.field === field && remember(field));
    // What is chosen is chosen whole, and the page is read after it; what is typed may go on.
    entered = field.localName === "select" || field.type === "file" ? null : field;
  };

  const onPointer = (event) => {
    pressing = true;
    const { clientX: x, clientY: y, detail } = event;
    // The second click of a double click belongs to the first.
    if (detail > 1) say({ more: { click_count: Math.min(3, detail) } });
    else begin("CLICK", { selector: selectorOf(origin(event)), x, y });
  };
  const onClick = (event) => {
    const belongs = acting || pressing || (event.isTrusted && event.detail === 0 && held !== null);
    pressing = false;
    if (!belongs) begin("CLICK", { selector: selectorOf(origin(event)) });
    else hold();
  };
  const onKey = (event) => {
    if (MODIFIERS.includes(event.key)) return;
    const target = fieldOf(origin(event));
    const chord = MODIFIERS.filter((name) => event.getModifierState(name) && name !== "Shift");
    const types = event.key.length === 1 || event.key === "Backspace" || event.key === "Delete";
    held = event.code || event.key;
    // A key that writes is part of the entry, which `beforeinput` begins.
    if (isEntered(target) && target.localName !== "select" && types && !chord.length) return;
    if (chord.length) begin("HOTKEY", { keys: [...chord, event.key].join("+") });
    else begin("PRESS", { key: event.key });
  };
  const onKeyUp = () => {
    // The click by which Space presses a control follows in this task.
    if (held !== null) hold();
    held = null;
  };
  const onBeforeInput = (event) => {
    const field = fieldOf(origin(event));
    if (acting || !isEntered(field) || event.inputType === "insertLineBreak") return;
    if (entered !== field || isWhole(event)) enter(field);
    announced = field;
    setTimeout(() => (announced = null));
  };
  const onInput = (event) => {
    const field = fieldOf(origin(event));
    if (!isEntered(field)) return;
    const runs = acting || (entered === field && (announced === field || held !== null));
    // Lists, dates and files come without an announcement. To leave a field tells of an entry that is over; a script
    // that says `change` may have said nothing before.
    const tells = event.type === "input" || !event.isTrusted;
    if (!runs && tells && !isRepeated(event, field)) enter(field);
    else if (entered === field) {
      say({ more: filled(field)[1] });
      remember(field);
    }
  };
  // Scripts of clients say once more what was typed, for pages that heed no keys.
  const isRepeated = (event, field) =>
    !event.isTrusted && latest.field === field && latest.value === valueOf(field);
  // What a script dispatches in a shadow root, no window hears; of a form there, not even what it sends.
  const submitted = new WeakSet();
  const heard = new WeakSet();
  const hear = (root) => {
    if (heard.has(root)) return;
    heard.add(root);
    for (const type of ["input", "change"]) {
      root.addEventListener(type, (inner) => inner.composed || onInput(inner), { capture: true, passive: true });
    }
    const onFormSent = (inner) => submitted.has(inner) || onSubmit(inner);
    root.addEventListener("submit", onFormSent, { capture: true, passive: true });
    hearWithin(root);
  };
  const hearWithin = (tree) => {
    const elements = tree.querySelectorAll("*");
    // By index: an iterator is slower, and this is done before every action.
    for (let index = 0; index < elements.length; index += 1) {
      const { shadowRoot } = elements[index];
      if (shadowRoot) hear(shadowRoot);
    }
  };
  const onFocus = (event) => {
    for (const root of event.composedPath()) if (root instanceof ShadowRoot) hear(root);
  };
  const onSubmit = (event) => {
    submitted.add(event);
    if (!acting && !pressing && held === null) begin("PRESS", { key: "Enter" });
  };
  const onLeave = () => (entered = null);
  const onWheel = (event) => {
    const sum = scrolled + event.deltaY;
    if (scrolled === 0) begin("SCROLL", { delta: sum });
    else say({ more: { delta: sum } });
    scrolled = sum;
  };
  const onDrop = (event) => say({ more: { kind: "DRAG", to_x: event.clientX, to_y: event.clientY } });

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
