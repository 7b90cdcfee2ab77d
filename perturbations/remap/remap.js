// Some controls need a double click, or Enter or Space twice with no other user event in between.

/** @import { Narrowing, Press, Runtime } from "../page/runtime.js" */

/**
 * @typedef {object} RemapRule
 * @property {string} mode
 * @property {[number, number]} rule - Words of the mode's draws.
 * @property {Narrowing | null} allowed - Controls that may be remapped in a search for a cause; null: all.
 * @property {number} share - Share of controls that are remapped: controls whose draw is below this.
 * @property {string} hint - Text of the instruction at the top of the page; empty for none.
 */

/**
 * @param {Runtime} runtime
 * @param {RemapRule} settings
 */
export const startRemap = (runtime, settings) => {
  const keyOf = runtime.natives.told(KeyboardEvent, "key");
  const isRepeated = runtime.natives.told(KeyboardEvent, "repeat");
  const { method, getter } = runtime.natives;
  const make = method(Document, "createElement");
  const write = method(Node, "appendChild");
  const putFirst = method(Element, "prepend");
  const bodyOf = getter(Document, "body");
  const textOf = method(Document, "createTextNode");
  const HINT = {
    display: "block",
    margin: "0",
    padding: "10px 24px",
    background: "#fff3cd",
    color: "#5c4400",
    font: "600 15px/1.4 system-ui, sans-serif",
    borderBottom: "2px solid #e0b000",
  };
  /** @type {string | null} */
  let armed = null;
  let repeating = false;

  // A control has one draw for all attempts.
  /** @type {(press: Press) => boolean} */
  const isRemapped = ({ key, pressed }) =>
    pressed && runtime.draw(settings.rule, key, 0) < settings.share && runtime.lets(settings.allowed, key, 0);

  /** @param {Event} event */
  const disarm = (event) => {
    // Enter in a single-line field also fires an input event, which belongs to the press.
    if (!runtime.isSubmission(event)) armed = null;
  };
  /** @param {Event} event */
  const onKey = (event) => {
    // The repeats of a held key belong to one press.
    repeating = isRepeated(event);
    const key = keyOf(event);
    if (key !== "Enter" && key !== " ") armed = null;
  };

  runtime.onPress((press) => {
    if (!isRemapped(press)) return true;
    if (press.keyed && repeating) return false;
    const acts = press.keyed ? armed === press.key : press.detail === 2;
    armed = press.keyed && !acts ? press.key : null;
    runtime.report(settings.mode, press.key, acts ? "passed" : "hit", 0);
    if (!acts) runtime.select(press.look);
    return acts;
  });

  const instruct = () => {
    const body = bodyOf(document);
    // A part of a page has no instruction of its own: whether this script runs before its load depends on timing.
    if (!settings.hint || runtime.isPart || !body || !runtime.lets(settings.allowed, runtime.page, 0)) return;
    const line = make(document, "p");
    write(line, textOf(document, settings.hint));
    runtime.own(line, "added");
    runtime.wear(line, HINT);
    putFirst(body, line);
    runtime.report(settings.mode, runtime.page, "moved", 1);
  };

  runtime.listen(["DOMContentLoaded"], instruct);
  runtime.listen(["pointerdown", "beforeinput", "wheel"], disarm);
  runtime.listen(["keydown"], onKey);
};
