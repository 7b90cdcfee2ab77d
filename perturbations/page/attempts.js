// How often the agent has tried each control, by mode; the program keeps the count over page loads.
/**
 * @typedef {object} Attempts
 * @property {(told: Record<string, Record<string, number>>) => void} take - Takes what the program has counted, by mode
 *   and key.
 * @property {(mode: string, key: string) => number} next - Number of this attempt at a control, from 0; counts one.
 */
/** @returns {Attempts} */
() => {
  "use strict";
  const { keys: keysOf } = Object;
  const { max } = Math;
  const attempts = new Map();

  const countsFor = (mode) => {
    let counts = attempts.get(mode);
    if (!counts) attempts.set(mode, (counts = new Map()));
    return counts;
  };

  // A report may still be on its way when the program says what it knows: the larger number is the later one.
  const take = (told) => {
    const modes = keysOf(told);
    for (let at = 0; at < modes.length; at += 1) {
      const counts = countsFor(modes[at]);
      const counted = told[modes[at]];
      const about = keysOf(counted);
      for (let one = 0; one < about.length; one += 1) {
        counts.set(about[one], max(counted[about[one]], counts.get(about[one]) ?? 0));
      }
    }
  };

  const next = (mode, key) => {
    const counts = countsFor(mode);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };

  return { take, next };
}
