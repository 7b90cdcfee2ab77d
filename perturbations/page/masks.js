// Observes calls of the browser's functions. The page cannot see it: name, length and source text of a masked function
// are those of the native one.
/**
 * Calls `listener` after each call of a method that does not raise.
 *
 * @typedef {(owner: object, name: string, listener: (self: unknown, args: unknown[], returned: unknown) => void) =>
 *   void} Mask
 */
/** @returns {Mask} */
export const makeMask = () => {
  const { apply } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const masks = new WeakMap();

  /** @type {Mask} */
  const mask = (owner, name, listener) => {
    const descriptor = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(owner, name));
    const masked = new Proxy(descriptor.value, {
      apply: (native, self, args) => {
        const returned = apply(native, self, args);
        listener(self, args, returned);
        return returned;
      },
    });
    masks.set(masked, descriptor.value);
    defineProperty(owner, name, { ...descriptor, value: masked });
  };

  const print = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(Function.prototype, "toString"));
  const printed = new Proxy(print.value, {
    apply: (native, self, args) => apply(native, masks.get(self) ?? self, args),
  });
  masks.set(printed, print.value);
  defineProperty(Function.prototype, "toString", { ...print, value: printed });
  return mask;
};
