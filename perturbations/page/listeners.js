// Listeners of ours: on the window and in the capturing phase, earlier than any listener that the page can have.
/**
 * @typedef {object} Listeners
 * @property {(types: string[], act: (event: any) => void) => void} listen - Calls `act` for events of these types
 *   before any listener of the page.
 * @property {() => void} install - Adds those again that are gone. A listener that is still there is not added a second
 *   time and keeps its place.
 */
/**
 * @param {Natives} natives
 * @param {(act: (event: any) => void) => (event: any) => void} wrapped - What a listener is put into.
 * @returns {Listeners}
 */
(natives, wrapped) => {
  "use strict";
  const addListener = natives.method(EventTarget, "addEventListener");
  const listeners = [];

  const listen = (types, act) => {
    const whole = wrapped(act);
    for (let at = 0; at < types.length; at += 1) {
      listeners[listeners.length] = { type: types[at], act: whole };
      addListener(window, types[at], whole, true);
    }
  };

  const install = () => {
    for (let at = 0; at < listeners.length; at += 1) addListener(window, listeners[at].type, listeners[at].act, true);
  };

  return { listen, install };
}
