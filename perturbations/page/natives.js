// Functions of the browser that our scripts use, saved before any script of the page can replace them.
/**
 * A class, or an object whose prototype is the owner of the property.
 *
 * @typedef {{prototype: object}} Class
 */
// any: a name finds these functions, and callers check by name what they pass, so TypeScript cannot know the types.
/** @typedef {(self: any, ...args: any[]) => any} Method */
// any: as for a method.
/** @typedef {(self: any) => any} Getter */
/** @typedef {(self: unknown, value: unknown) => void} Setter */
/**
 * @typedef {object} Natives
 * @property {(type: Class, name: string) => Method} method - A method of a class, as a function that takes the object
 *   first.
 * @property {(type: Class, name: string) => Getter} getter - The getter of a property, likewise.
 * @property {(type: Class, name: string) => Setter} setter - The setter of a property, likewise.
 * @property {(type: Class, name: string) => Getter} told - The getter of an event's property. It returns undefined for
 *   an event of another class, such as a click that a script made of a plain event.
 * @property {{Map: MapConstructor, Set: SetConstructor, WeakMap: WeakMapConstructor, WeakSet: WeakSetConstructor}}
 *   collections - Copies of the classes, with the browser's own methods.
 */
/** @returns {Natives} */
export const makeNatives = () => {
  const { call } = Function.prototype;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  /** @type {Natives["method"]} */
  const method = (type, name) => call.bind(/** @type {Record<string, () => unknown>} */ (type.prototype)[name]);
  /** @type {Natives["getter"]} */
  const getter = (type, name) =>
    call.bind(/** @type {() => unknown} */ (getOwnPropertyDescriptor(type.prototype, name)?.get));
  /** @type {Natives["setter"]} */
  const setter = (type, name) =>
    call.bind(/** @type {(value: unknown) => void} */ (getOwnPropertyDescriptor(type.prototype, name)?.set));
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
  // any: TypeScript requires it of a class that is extended like this.
  /** @template {new (...args: any[]) => object} T @param {T} type */
  const copied = (type) => {
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
