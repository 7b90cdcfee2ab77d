// Names of decoys. They combine words of the page's own controls, but never equal the name of one.

/** @import { Control } from "../page/keys.js" */

/**
 * @typedef {object} Phrases
 * @property {(place: (number: number, size: number) => number) => string} phrase - A drawn name; "" if the page has
 *   too few words.
 */
/**
 * @param {Control[]} controls - All controls of the page.
 * @returns {Phrases}
 */
export const makePhrases = (controls) => {
  const [FEWEST, LONGEST, TRIES] = [2, 30, 12];
  const WORD = /^\p{L}[\p{L}'\u2019-]{1,15}$/u;
  /** @param {string} text */
  const folded = (text) => text.toLowerCase();

  /** @type {string[][]} */
  const models = [];
  /** @type {string[][]} */
  const links = [];
  const nouns = new Set();
  const taken = new Set();
  for (let i = 0; i < controls.length; i += 1) {
    const { name, role } = controls[i];
    taken.add(folded(name));
    const words = name.split(" ");
    if (!words.every((word) => WORD.test(word)) || words.length > 4 || name.length > LONGEST) continue;
    const last = words[words.length - 1];
    if (role === "button") models[models.length] = words;
    if (role === "link") links[links.length] = words;
    // The last word of a name is usually a noun; of one-word names, only those of links and fields.
    const isAbout = role === "button" ? words.length > 1 : words.length < 3;
    // A word of up to three letters is seldom a noun, as in "Log in" or "Join us".
    if (isAbout && last.length > 3) nouns.add(last);
  }
  const patterns = models.length ? models : links;
  /** @type {string[]} */
  const nounList = [];
  nouns.forEach((noun) => (nounList[nounList.length] = noun));

  // Whether every word of a name is capitalised; then the new name is, too.
  /** @param {string[]} words */
  const isTitled = (words) => words.length > 1 && words[1] !== folded(words[1]);
  /** @param {string} noun @param {string[]} words */
  const cased = (noun, words) => {
    if (isTitled(words)) return noun[0].toUpperCase() + noun.slice(1);
    // Keeps abbreviations unchanged.
    return noun.slice(1) === folded(noun.slice(1)) ? folded(noun) : noun;
  };
  /** @param {string[]} words @param {string} noun */
  const joined = (words, noun) => {
    const begin = words.length > 1 ? words.slice(0, -1) : words;
    return [...begin, cased(noun, words)].join(" ");
  };

  /** @type {Phrases["phrase"]} */
  const phrase = (place) => {
    if (!patterns.length || nounList.length < FEWEST) return "";
    const first = place(0, patterns.length);
    const second = place(1, nounList.length);
    for (let i = 0; i < TRIES; i += 1) {
      const words = patterns[(first + (i >> 2)) % patterns.length];
      const noun = nounList[(second + i) % nounList.length];
      const name = joined(words, noun);
      const repeats = words.some((word) => folded(word) === folded(noun));
      if (!repeats && !taken.has(folded(name)) && name.length <= LONGEST) return name;
    }
    return "";
  };

  return { phrase };
};
