// Functions of the browser that tell us of their calls. To the page each is the browser's: it has its name and length,
// and its text is the native one's.
/**
 * @typedef {(owner: object, name: string, told: (self: any, given: any[], result: any) => void) => void} Mask - Calls
 *   `told` after each call of a method that does not raise.
 */
/** @returns {Mask} */
export const makeMask = () => {
  const { apply } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const masks = new WeakMap();

  /** @type {Mask} */
  const mask = (owner, name, listener) => {
    const whole = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(owner, name));
    const seen = new Proxy(whole.value, {
      apply: (native, self, args) => {
        const returned = apply(native, self, args);
        listener(self, args, returned);
        return returned;
      },
    });
    masks.set(seen, whole.value);
    defineProperty(owner, name, { ...whole, value: seen });
  };

  const print = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(Function.prototype, "toString"));
  const printed = new Proxy(print.value, {
    apply: (native, self, args) => apply(native, masks.get(self) ?? self, args),
  });
  masks.set(printed, print.value);
  defineProperty(Function.prototype, "toString", { ...print, value: printed });
  return mask;
};
