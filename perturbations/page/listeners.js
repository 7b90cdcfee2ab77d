// Listeners of ours: on the window and in the capturing phase, earlier than any listener that the page can have.

/** @import { Natives } from "./natives.js" */

/**
 * @typedef {object} Listeners
 * @property {(types: string[], act: (event: any) => void) => void} listen - Calls `act` for events of these types
 *   before any listener of the page.
 * @property {() => void} install - Adds those again that are gone. A listener that is still there is not added a second
 *   time and keeps its place.
 * @property {(root: ShadowRoot) => void} hearIn - Listens in a shadow root, too: of some events no window hears, and of
 *   what happens in a closed root only that it was somewhere in its host. No event is heard twice.
 * @property {() => void} retire - Takes all listeners off the window.
 */
/**
 * @param {Natives} natives
 * @param {(act: (event: any) => void) => (event: any) => void} wrapped - What a listener is put into.
 * @returns {Listeners}
 */
export const makeListeners = (natives, wrapped) => {
  const addListener = natives.method(EventTarget, "addEventListener");
  const removeListener = natives.method(EventTarget, "removeEventListener");
  const pathOf = natives.method(Event, "composedPath");
  /** @type {{type: string, act: (event: any) => void}[]} */
  const listeners = [];
  let isDeep = false;

  // What an event began at is another node where a closed root hides the first one.
  /** @param {(event: any) => void} act */
  const once = (act) => {
    const origins = new WeakMap();
    return (/** @type {Event} */ event) => {
      if (isDeep) {
        const origin = pathOf(event)[0];
        if (origins.get(event) === origin) return;
        origins.set(event, origin);
      }
      act(event);
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
