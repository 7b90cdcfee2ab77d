// Selected controls answer to a double click, or to the second Enter or Space with no other user event between.

/** @import { Narrowing, Press, Runtime } from "./runtime.js" */

/**
 * @typedef {object} RemapRule
 * @property {string} mode
 * @property {[number, number]} rule - What its draws start from.
 * @property {Narrowing | null} allowed - Which controls may be remapped where a cause is looked for; null: all.
 * @property {number} share - Share of controls that are remapped: those whose draw is below it.
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

  // One draw for a control, whatever the number of the attempt.
  /** @type {(press: Press) => boolean} */
  const isRemapped = ({ key, pressed }) =>
    pressed && runtime.draw(settings.rule, key, 0) < settings.share && runtime.lets(settings.allowed, key, 0);

  /** @param {Event} event */
  const disarm = (event) => {
    // Enter in a field of one line also comes as input: it is part of the press and lies not between two presses.
    if (!runtime.isSubmission(event)) armed = null;
  };
  /** @param {Event} event */
  const onKey = (event) => {
    // A key that is held down repeats itself: that is one press and must not count as the second one.
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
    if (!settings.hint || !body || !runtime.lets(settings.allowed, runtime.page, 0)) return;
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
