// A click or an entry has no effect. An entry is all input to a field until blur, pointer-down, Tab, Enter (unless it
// inserts a line break), or the recorder's read.

/** @import { Narrowing, Runtime } from "../page/runtime.js" */

/**
 * @typedef {object} FailureRule
 * @property {string} mode
 * @property {[number, number]} rule - Words of the mode's draws.
 * @property {Narrowing | null} allowed - Attempts that may fail in a search for a cause; null: all.
 * @property {number} rate - Share of attempts that fail: attempts whose draw is below this.
 */
/**
 * What a field contains: the files of a file field, the text of any other.
 *
 * @typedef {string | FileList} Content
 */
/**
 * The functions that read and write the text of a field.
 *
 * @typedef {[(field: Element) => string, (field: Element, text: string) => void]} Accessors
 */

/**
 * @param {Runtime} runtime
 * @param {FailureRule} settings
 */
export const startFailure = (runtime, settings) => {
  const { method, getter, setter, told } = runtime.natives;
  const { isEntered, isSubmission, origin } = runtime;
  const [inDocument, inRoot, inElement] = [Document, DocumentFragment, Element].map((type) =>
    method(type, "querySelectorAll"),
  );
  const tagOf = getter(Element, "localName");
  const typeOf = getter(Event, "type");
  const keyOf = told(KeyboardEvent, "key");
  const optionsOf = getter(HTMLSelectElement, "options");
  const isChosen = getter(HTMLOptionElement, "selected");
  const choose = setter(HTMLOptionElement, "selected");
  // The browser's own accessors, because frameworks define properties on the fields themselves.
  /** @type {Record<string, Accessors>} */
  const values = {
    input: [getter(HTMLInputElement, "value"), setter(HTMLInputElement, "value")],
    textarea: [getter(HTMLTextAreaElement, "value"), setter(HTMLTextAreaElement, "value")],
  };
  // The value of a file field is a copy of its file list, because the browser empties the list object itself.
  const [filesOf, putFiles] = [getter(HTMLInputElement, "files"), setter(HTMLInputElement, "files")];
  const kindOf = getter(HTMLInputElement, "type");
  const itemsOf = getter(DataTransfer, "items");
  const add = method(DataTransferItemList, "add");
  const fileAt = method(FileList, "item");
  const countOf = getter(FileList, "length");
  const listOf = getter(DataTransfer, "files");
  const Carrier = DataTransfer;
  // The value of an editor is its content.
  /** @type {Accessors} */
  const content = [getter(Element, "innerHTML"), setter(Element, "innerHTML")];
  // The value of each field after its last successful entry, to restore when a later entry fails.
  const accepted = new WeakMap();
  /** @typedef {{field: Element, before: Content | undefined, failed: boolean}} Entry */
  /** @type {Entry | null} */
  let entry = null;

  /** @param {string} key */
  const fails = (key) => {
    const attempt = runtime.attempt(settings.mode, key);
    const drawn = runtime.draw(settings.rule, key, attempt);
    const hit = drawn < settings.rate && runtime.lets(settings.allowed, key, attempt);
    runtime.report(settings.mode, key, hit ? "hit" : "passed", attempt);
    return hit;
  };

  // The value of a list as a string, one letter for each option.
  /** @param {HTMLSelectElement} list */
  const chosen = (list) => {
    const options = optionsOf(list);
    let choices = "";
    for (let i = 0; i < options.length; i += 1) choices += isChosen(options[i]) ? "x" : "-";
    return choices;
  };
  /** @param {Element} field */
  const isFiles = (field) => tagOf(field) === "input" && kindOf(field) === "file";
  /** @param {FileList} files */
  const copied = (files) => {
    const carrier = new Carrier();
    for (let i = 0; i < countOf(files); i += 1) add(itemsOf(carrier), fileAt(files, i));
    return listOf(carrier);
  };
  // Whether two values of a field are equal; file lists are, if they have the same objects in the same order.
  /** @param {Content | undefined} first @param {Content | undefined} second */
  const same = (first, second) => {
    if (typeof first !== "object" || typeof second !== "object") return first === second;
    let equal = countOf(first) === countOf(second);
    for (let i = 0; equal && i < countOf(first); i += 1) equal = fileAt(first, i) === fileAt(second, i);
    return equal;
  };
  /** @param {Element} field */
  const isEditor = (field) => tagOf(field) !== "select" && !values[tagOf(field)];
  /** @param {Element} field */
  const read = (field) => {
    if (isFiles(field)) return copied(filesOf(field));
    return tagOf(field) === "select"
      ? chosen(/** @type {HTMLSelectElement} */ (field))
      : (values[tagOf(field)] ?? content)[0](field);
  };
  /** @param {Element} field @param {Content} value */
  const write = (field, value) => {
    if (isFiles(field)) putFiles(field, copied(/** @type {FileList} */ (value)));
    else if (tagOf(field) !== "select") (values[tagOf(field)] ?? content)[1](field, /** @type {string} */ (value));
    else {
      const options = optionsOf(field);
      for (let i = 0; i < options.length; i += 1) choose(options[i], value[i] === "x");
    }
  };
  /** @param {Element} field */
  const remember = (field) => accepted.set(field, read(field));

  /** @type {(field: Element, before: Content | undefined) => Entry} */
  const begin = (field, before) => {
    if (entry && entry.field === field) return entry;
    const key = runtime.keyOf(field);
    // Ignore fields without a key, such as those in another mode's dialog.
    const entered = { field, before, failed: key !== undefined && fails(key) };
    entry = entered;
    return entered;
  };
  const end = () => (entry = null);

  // If each line were an entry, one of the lines of a long text would nearly always fail.
  /** @param {EventTarget} field */
  const hasLines = (field) => isEntered(field) && (tagOf(field) === "textarea" || isEditor(field));
  /** @param {Event} event */
  const onKey = (event) => {
    const key = keyOf(event);
    if (key === "Tab" || (key === "Enter" && !hasLines(origin(event)))) end();
  };

  /** @param {Event} event */
  const onBeforeInput = (event) => {
    const field = origin(event);
    if (isEntered(field) && !isSubmission(event) && begin(field, read(field)).failed) runtime.block(event);
  };

  // Lists, dates and values set by a script fire no beforeinput, so the changed value is restored afterwards.
  /** @param {Event} event */
  const onInput = (event) => {
    const field = origin(event);
    if (!isEntered(field)) return;
    // A script changed the editor, for example a formatting button, whose press has already been decided.
    if (isEditor(field) && entry?.field !== field) {
      remember(field);
      return;
    }
    // Leaving a field fires a change event for an entry that has already been decided.
    if (typeOf(event) === "change" && entry?.field !== field && same(read(field), accepted.get(field))) return;
    const { before, failed } = begin(field, accepted.get(field));
    if (failed) {
      if (before !== undefined) write(field, before);
      runtime.block(event);
    } else remember(field);
  };

  const FIELDS = "input, select, textarea, [contenteditable]";
  const rememberAll = () => {
    const roots = runtime.roots();
    for (let i = 0; i < roots.length; i += 1) {
      const fields = (i ? inRoot : inDocument)(roots[i], FIELDS);
      for (let j = 0; j < fields.length; j += 1) if (isEntered(fields[j])) remember(fields[j]);
    }
  };
  // A known field keeps its remembered value, because its current one may be an undecided entry.
  /** @param {Element} field */
  const rememberNew = (field) => isEntered(field) && !accepted.has(field) && remember(field);
  /** @param {Element} element */
  const onDrawn = (element) => {
    rememberNew(element);
    const fields = inElement(element, FIELDS);
    for (let i = 0; i < fields.length; i += 1) rememberNew(fields[i]);
  };

  runtime.onPress((press) => !fails(press.key));
  runtime.listen(["beforeinput"], onBeforeInput);
  runtime.listen(["input", "change"], onInput);
  runtime.listen(["focusout", "pointerdown"], end);
  runtime.listen(["keydown"], onKey);
  runtime.onBoundary(end);
  runtime.listen(["focusin"], (event) => isEntered(origin(event)) && remember(/** @type {Element} */ (origin(event))));
  runtime.listen(["DOMContentLoaded", "pageshow"], rememberAll);
  runtime.onDrawn(onDrawn);
};
