// Performs a suppressed gesture again, without another decision.

/** @import { Natives } from "./natives.js" */

/**
 * @typedef {object} Replays
 * @property {(event: Event) => () => void} clickAgain - Returns a function that repeats a click.
 * @property {(form: Element, submitter: Element | null) => () => void} submitAgain - Returns a function that submits a
 *   form again.
 * @property {() => boolean} isRunning - Whether a gesture is being repeated.
 */
/**
 * @param {Natives} natives
 * @returns {Replays}
 */
export const makeReplays = (natives) => {
  const { method, getter, told } = natives;
  const addListener = method(EventTarget, "addEventListener");
  const removeListener = method(EventTarget, "removeEventListener");
  const dispatch = method(EventTarget, "dispatchEvent");
  const pathOf = method(Event, "composedPath");
  const stop = method(Event, "stopImmediatePropagation");
  const typeOf = getter(Event, "type");
  const buttonOf = told(MouseEvent, "button");
  const pointerOf = told(PointerEvent, "pointerId");
  const closest = method(Element, "closest");
  const submit = method(HTMLFormElement, "requestSubmit");
  const [Plain, Click, Pointer] = [Event, MouseEvent, PointerEvent];
  // The properties from which to create an event again.
  const members = [Event, UIEvent, MouseEvent, PointerEvent].flatMap((type) =>
    Object.entries(Object.getOwnPropertyDescriptors(type.prototype))
      .filter(([, property]) => property.get)
      .map(([name]) => ({ name, get: told(type, name) })),
  );
  let running = false;

  /** @param {() => void} act */
  const replay = (act) => {
    running = true;
    try {
      act();
    } finally {
      running = false;
    }
  };

  // By the event's properties, because the page may have replaced its `constructor`.
  /** @param {Event} event */
  const classOf = (event) => {
    if (pointerOf(event) !== undefined) return Pointer;
    return buttonOf(event) === undefined ? Plain : Click;
  };

  /** @param {Event} event */
  const copyOf = (event) => {
    /** @type {Record<string, unknown>} */
    const init = {};
    for (let i = 0; i < members.length; i += 1) {
      const value = members[i].get(event);
      if (value !== undefined) init[members[i].name] = value;
    }
    return new (classOf(event))(typeOf(event), /** @type {PointerEventInit} */ (init));
  };

  // A scripted middle click opens no tab, so the link also gets a Ctrl click, hidden from the page.
  /** @param {Element | null} link */
  const openAside = (link) => {
    if (!link) return;
    const event = new Click("click", { bubbles: true, cancelable: true, ctrlKey: true, metaKey: true });
    /** @param {Event} click */
    const hide = (click) => stop(click);
    addListener(window, "click", hide, true);
    dispatch(link, event);
    removeListener(window, "click", hide, true);
  };

  /** @type {Replays["clickAgain"]} */
  const clickAgain = (event) => {
    // An event has no path after its dispatch.
    const target = pathOf(event)[0];
    const act = () => {
      const copy = copyOf(event);
      if (dispatch(target, copy) && typeOf(copy) === "auxclick") openAside(closest(target, "a[href]"));
    };
    return () => replay(act);
  };

  /** @type {Replays["submitAgain"]} */
  const submitAgain = (form, submitter) => () => replay(() => submit(form, submitter));

  return { clickAgain, submitAgain, isRunning: () => running };
};
