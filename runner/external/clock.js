// Stops the page's clock, as for our own agents. Timers and animation frames keep running.
/**
 * @param {string} now - Date and time in ISO form.
 */
(now) => {
  "use strict";
  const Real = Date;
  const fixed = Real.parse(now);
  const FixedDate = new Proxy(Real, {
    construct: (real, args, target) => Reflect.construct(real, args.length ? args : [fixed], target),
    apply: () => new Real(fixed).toString(),
    get: (real, name) => (name === "now" ? () => fixed : Reflect.get(real, name)),
  });
  Real.prototype.constructor = FixedDate;
  globalThis.Date = FixedDate;
}
