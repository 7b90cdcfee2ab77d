// Has the clock of a page stand still, as it does for our own agents: timers and frames run on.
/**
 * @param {string} now - Date and time in ISO form.
 */
(now) => {
  "use strict";
  const Real = Date;
  const fixed = Real.parse(now);
  const FixedDate = new Proxy(Real, {
    construct: (real, given, target) => Reflect.construct(real, given.length ? given : [fixed], target),
    apply: () => new Real(fixed).toString(),
    get: (real, name) => (name === "now" ? () => fixed : Reflect.get(real, name)),
  });
  Real.prototype.constructor = FixedDate;
  globalThis.Date = FixedDate;
}
