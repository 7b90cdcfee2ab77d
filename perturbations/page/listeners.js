// Our event listeners. They are on the window in the capturing phase, so they run before all listeners of the page.

/** @import { Natives } from "./natives.js" */

/**
 * @typedef {object} Listeners
 * @property {<E extends Event>(types: string[], act: (event: E) => void) => void} listen - Calls `act` for events of
 *   these types before any listener of the page.
 * @property {() => void} install - Adds removed listeners again; the others keep their place.
 * @property {(root: ShadowRoot) => void} hearIn - Listens in a shadow root, too: some events do not reach the window,
 *   and those in a closed root reach it with the host as their target. No event is processed twice.
 * @property {() => void} retire - Removes all listeners from the window.
 */
/**
 * @param {Natives} natives
 * @param {<E extends Event>(act: (event: E) => void) => (event: E) => void} wrapped - Wraps a listener.
 * @returns {Listeners}
 */
export const makeListeners = (natives, wrapped) => {
  const addListener = natives.method(EventTarget, "addEventListener");
  const removeListener = natives.method(EventTarget, "removeEventListener");
  const pathOf = natives.method(Event, "composedPath");
  /** @type {{type: string, act: (event: Event) => void}[]} */
  const listeners = [];
  let isDeep = false;

  // An event in a closed shadow root may arrive twice, with two targets; the window sees only the host.
  /** @template {Event} E @param {(event: E) => void} act */
  const once = (act) => {
    const origins = new WeakMap();
    return (/** @type {Event} */ event) => {
      if (isDeep) {
        const origin = pathOf(event)[0];
        if (origins.get(event) === origin) return;
        origins.set(event, origin);
      }
      act(/** @type {E} */ (event));
    };
  };

  /** @type {Listeners["listen"]} */
  const listen = (types, act) => {
    const whole = once(wrapped(act));
    for (let i = 0; i < types.length; i += 1) {
      listeners[listeners.length] = { type: types[i], act: whole };
      addListener(window, types[i], whole, true);
    }
  };

  const install = () => {
    for (let i = 0; i < listeners.length; i += 1) addListener(window, listeners[i].type, listeners[i].act, true);
  };

  /** @type {Listeners["hearIn"]} */
  const hearIn = (root) => {
    isDeep = true;
    for (let i = 0; i < listeners.length; i += 1) addListener(root, listeners[i].type, listeners[i].act, true);
  };

  const retire = () => {
    for (let i = 0; i < listeners.length; i += 1) {
      removeListener(window, listeners[i].type, listeners[i].act, true);
    }
    listeners.length = 0;
  };

  return { listen, install, hearIn, retire };
};
