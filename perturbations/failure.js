// A click or an entry does not take effect. An entry is all input to a field until blur, pointer-down, Enter, Tab or
// the recorder's read.
/**
 * @typedef {object} FailureSettings
 * @property {string} mode
 * @property {Record<string, [number, number]>} seeds - What the draws of each control start from, by token.
 * @property {number} rate - Share of draws that fail: those below it.
 */

/**
 * @param {Api} api
 * @param {FailureSettings & Narrowed} settings
 */
(api, settings) => {
  "use strict";
  // What each field held when an entry was last let through: the value to put back when a later one fails.
  const accepted = new WeakMap();
  let entry = null;

  // Where the cause of a failure is looked for, only some attempts may fail.
  const mayFail = (token, attempt) => {
    const [listed, attempts] = settings.allowed?.[token] ?? [false, []];
    return attempts.includes(attempt) === listed;
  };

  const fails = (token) => {
    const attempt = api.attempt(settings.mode, token);
    const hit = api.draw(settings.seeds[token], attempt) < settings.rate && mayFail(token, attempt);
    api.report(settings.mode, token, hit ? "hit" : "passed", attempt);
    return hit;
  };

  const isField = (node) => node instanceof Element && api.isEntered(node);

  const read = (field) =>
    field.localName === "select" ? Array.from(field.options, (option) => option.selected) : field.value;
  const write = (field, value) => {
    if (field.localName === "select") Array.from(field.options, (option, at) => (option.selected = value[at]));
    else field.value = value;
  };
  const unchanged = (field) => String(read(field)) === String(accepted.get(field));
  const remember = (field) => accepted.set(field, read(field));

  const begin = (field, before) => {
    if (entry?.field === field) return entry;
    const token = api.tokenOf(field);
    // A field without a seed is not the site's, such as one in a dialog that another mode has opened.
    entry = token in settings.seeds ? { field, before, failed: fails(token) } : null;
    return entry;
  };
  const end = () => (entry = null);

  const stop = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };

  const onBeforeInput = (event) => {
    const field = event.target;
    if (isField(field) && !api.isSubmission(event) && begin(field, read(field))?.failed) stop(event);
  };

  // Lists, dates and what a script sets come without beforeinput, when the value has changed: it is put back.
  const onInput = (event) => {
    const field = event.target;
    if (!isField(field)) return;
    // Leaving a field tells of an entry that was decided before.
    if (event.type === "change" && entry?.field !== field && unchanged(field)) return;
    if (begin(field, accepted.get(field))?.failed) {
      if (entry.before !== undefined) write(field, entry.before);
      stop(event);
    } else remember(field);
  };

  const fields = () => Array.from(document.querySelectorAll("input, select, textarea")).filter(isField);
  const rememberAll = () => fields().forEach(remember);

  api.onPress((gesture) => !(gesture.token in settings.seeds) || !fails(gesture.token));
  window.addEventListener("beforeinput", onBeforeInput, true);
  for (const type of ["input", "change"]) window.addEventListener(type, onInput, true);
  for (const type of ["focusout", "pointerdown"]) window.addEventListener(type, end, true);
  window.addEventListener("keydown", (event) => ["Enter", "Tab"].includes(event.key) && end(), true);
  api.onRead(end);
  window.addEventListener("focusin", (event) => isField(event.target) && remember(event.target), true);
  for (const type of ["DOMContentLoaded", "pageshow"]) window.addEventListener(type, rememberAll, true);
  return (more) => {
    Object.assign(settings.seeds, more.seeds);
    // A field that is known keeps its value: what stands in it now may be an entry that is still to be decided.
    for (const field of fields()) if (!accepted.has(field)) remember(field);
  };
}
