// Selected controls answer to a double click, or to the second Enter or Space with no other user event between.
/**
 * @typedef {object} RemapSettings
 * @property {string} mode
 * @property {string[]} tokens - The controls that are remapped.
 */

/**
 * @param {Api} api
 * @param {RemapSettings} settings
 */
(api, settings) => {
  "use strict";
  const remapped = new Set(settings.tokens);
  let armed = null;
  let repeating = false;

  const disarm = (event) => {
    // Enter in a field of one line also comes as input: it is part of the press and lies not between two presses.
    if (!api.isSubmission(event)) armed = null;
  };
  const onKey = (event) => {
    // A key that is held down repeats itself: that is one press and must not count as the second one.
    repeating = event.repeat;
    if (event.key !== "Enter" && event.key !== " ") armed = null;
  };

  api.onPress((gesture) => {
    if (!remapped.has(gesture.token)) return true;
    if (gesture.keyed && repeating) return false;
    const acts = gesture.keyed ? armed === gesture.token : gesture.detail === 2;
    armed = gesture.keyed && !acts ? gesture.token : null;
    api.report(settings.mode, gesture.token, acts ? "passed" : "hit", 0);
    if (!acts) api.select(gesture.look);
    return acts;
  });

  for (const type of ["pointerdown", "beforeinput", "wheel"]) window.addEventListener(type, disarm, true);
  window.addEventListener("keydown", onKey, true);
  return (more) => more.tokens.forEach((token) => remapped.add(token));
}
