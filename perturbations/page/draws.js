// Keyed random draws, computed in the page.
/**
 * stressweb/core/page_draws.py computes the same numbers: MurmurHash3_x86_32 over UTF-16.
 *
 * @typedef {object} Draws
 * @property {(key: string) => [number, number]} keyWords - Hash of an element's key, two words of 32 bits.
 * @property {(rule: [number, number], key: [number, number], attempt: number, lane: number) => number} draw - A
 *   number of at least 0 and below 1, which depends only on the arguments. Attempts and lanes count from 0; lanes
 *   number the draws of a rule that needs several for one element and attempt.
 * @property {(rule: [number, number], key: [number, number], attempt: number) => number} begin - Hash state shared by
 *   all lanes of an attempt.
 * @property {(rule: [number, number], state: number, lane: number) => number} end - The draw of a lane from that state.
 */
/** @returns {Draws} */
export const makeDraws = () => {
  // Saved before any script of the page can replace them.
  const { imul } = Math;
  const codeAt = Function.prototype.call.bind(String.prototype.charCodeAt);

  /** @param {number} word @param {number} by */
  const rotated = (word, by) => (word << by) | (word >>> (32 - by));
  /** @param {number} word */
  const scattered = (word) => imul(rotated(imul(word, 0xcc9e2d51), 15), 0x1b873593);
  /** @param {number} state @param {number} word */
  const mixed = (state, word) => (imul(rotated(state ^ scattered(word), 13), 5) + 0xe6546b64) | 0;
  /** @param {number} state */
  const finished = (state) => {
    const half = imul(state ^ (state >>> 16), 0x85ebca6b);
    const whole = imul(half ^ (half >>> 13), 0xc2b2ae35);
    return (whole ^ (whole >>> 16)) >>> 0;
  };

  /** @param {string} text @param {number} seed */
  const murmur3 = (text, seed) => {
    const { length } = text;
    let state = seed;
    for (let i = 1; i < length; i += 2) state = mixed(state, codeAt(text, i - 1) | (codeAt(text, i) << 16));
    if (length % 2) state ^= scattered(codeAt(text, length - 1));
    // The length of the text in bytes.
    return finished(state ^ (2 * length));
  };

  /** @type {Draws["begin"]} */
  const begin = (rule, key, attempt) => mixed(mixed(mixed(rule[0], key[0]), key[1]), attempt);
  /** @type {Draws["end"]} */
  const end = (rule, state, lane) => finished(finished(mixed(state, lane) ^ 16) ^ rule[1]) / 2 ** 32;

  return {
    keyWords: (key) => [murmur3(key, 0x2545f491), murmur3(key, 0x9e3779b9)],
    draw: (rule, key, attempt, lane) => end(rule, begin(rule, key, attempt), lane),
    begin,
    end,
  };
};
