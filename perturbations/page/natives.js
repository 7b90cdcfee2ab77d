// Functions of the browser that our scripts use, saved before any script of the page runs: a page may replace
// them.
/**
 * @typedef {object} Natives
 * @property {(type: any, name: string) => (self: any, ...given: any[]) => any} method - A method of a class, as a
 *   function that takes the object first.
 * @property {(type: any, name: string) => (self: any) => any} getter - The same for a property that is read.
 * @property {(type: any, name: string) => (self: any, value: any) => void} setter - The same for one that is written.
 * @property {(type: any, name: string) => (event: Event) => any} told - The same for a property of events: undefined
 *   for an event of another class, such as a click that a script made of a plain event.
 * @property {{Map: MapConstructor, Set: SetConstructor, WeakMap: WeakMapConstructor, WeakSet: WeakSetConstructor}}
 *   collections - Classes with the methods that the browser's had.
 */
/** @returns {Natives} */
export const makeNatives = () => {
  const { call } = Function.prototype;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  /** @type {Natives["method"]} */
  const method = (type, name) => call.bind(type.prototype[name]);
  /** @type {Natives["getter"]} */
  const getter = (type, name) =>
    call.bind(/** @type {() => any} */ (getOwnPropertyDescriptor(type.prototype, name)?.get));
  /** @type {Natives["setter"]} */
  const setter = (type, name) =>
    call.bind(/** @type {(value: any) => void} */ (getOwnPropertyDescriptor(type.prototype, name)?.set));
  /** @type {Natives["told"]} */
  const told = (type, name) => {
    const get = getter(type, name);
    return (/** @type {Event} */ event) => {
      try {
        return get(event);
      } catch {
        return undefined;
      }
    };
  };

  // Methods are found on our class first, so that changes of the browser's classes have no effect.
  /** @returns {any} */
  const copied = (/** @type {any} */ type) => {
    const own = class extends type {};
    for (const name of Reflect.ownKeys(type.prototype)) {
      const whole = getOwnPropertyDescriptor(type.prototype, name);
      if (whole && name !== "constructor") defineProperty(own.prototype, name, whole);
    }
    return own;
  };
  const collections = { Map: copied(Map), Set: copied(Set), WeakMap: copied(WeakMap), WeakSet: copied(WeakSet) };

  return { method, getter, setter, told, collections };
};
