// Functions of the browser that our scripts use, saved before any script of the page can replace them.
/**
 * @typedef {object} Natives
 * @property {(type: any, name: string) => (self: any, ...args: any[]) => any} method - A method of a class, as a
 *   function that takes the object first.
 * @property {(type: any, name: string) => (self: any) => any} getter - The getter of a property, likewise.
 * @property {(type: any, name: string) => (self: any, value: any) => void} setter - The setter of a property, likewise.
 * @property {(type: any, name: string) => (event: Event) => any} told - The getter of an event's property. It returns
 *   undefined for an event of another class, such as a click that a script made of a plain event.
 * @property {{Map: MapConstructor, Set: SetConstructor, WeakMap: WeakMapConstructor, WeakSet: WeakSetConstructor}}
 *   collections - Copies of the classes, with the browser's own methods.
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

  // A subclass with its own copies of all methods, so that changes of the browser's classes have no effect.
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
