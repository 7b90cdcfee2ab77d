// Counts the agent's attempts at each control, by mode; the program keeps the counts over page loads.
/**
 * @typedef {object} Attempts
 * @property {(known: Record<string, Record<string, number>>) => void} take - Takes the program's counts, by mode
 *   and key.
 * @property {(mode: string, key: string) => number} next - Counts an attempt at a control; returns its number, from 0.
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

  // A report may be on its way that the program has not counted yet, so the larger count is the newer one.
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
