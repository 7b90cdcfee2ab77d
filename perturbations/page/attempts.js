// How often the agent has tried each control, by mode; the program keeps the count over page loads.
/**
 * @typedef {object} Attempts
 * @property {(known: Record<string, Record<string, number>>) => void} take - Takes the program's counts, by mode
 *   and key.
 * @property {(mode: string, key: string) => number} next - Number of this attempt at a control, from 0; counts one.
 */
/** @returns {Attempts} */
export const makeAttempts = () => {
  const { keys: keysOf } = Object;
  const { max } = Math;
  const attempts = new Map();

  /** @param {string} mode */
  const countsFor = (mode) => {
    let counts = attempts.get(mode);
    if (!counts) attempts.set(mode, (counts = new Map()));
    return counts;
  };

  // The program's count may be older than a report that is on its way: the larger number is the newer one.
  /** @type {Attempts["take"]} */
  const take = (known) => {
    const modes = keysOf(known);
    for (let i = 0; i < modes.length; i += 1) {
      const counts = countsFor(modes[i]);
      const counted = known[modes[i]];
      const about = keysOf(counted);
      for (let j = 0; j < about.length; j += 1) {
        counts.set(about[j], max(counted[about[j]], counts.get(about[j]) ?? 0));
      }
    }
  };

  /** @type {Attempts["next"]} */
  const next = (mode, key) => {
    const counts = countsFor(mode);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };

  return { take, next };
};
