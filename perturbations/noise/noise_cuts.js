// Cuts a text into pieces, with comments between them, spans around them, and zero-width characters in them.

/**
 * A drawn position below a size.
 *
 * @typedef {(operator: string, number: number, size: number) => number} Place
 */
/**
 * The draws for one text: a span contains the piece from `from` to `to`, a comment is at `comment`, and the zero-width
 * character `kind` is at each position of `widths`.
 *
 * @typedef {{from: number, to: number, comment: number, widths: number[], kind: string}} Chosen
 */
/**
 * A piece of a text: the site's version and ours.
 *
 * @typedef {{site: string, ours: string, comment?: undefined, span?: undefined}} TextRun
 */
/**
 * A piece of a text, a comment, or a span that contains such items.
 *
 * @typedef {TextRun | {comment: string, span?: undefined} | {span: TextItem[], comment?: undefined}} TextItem
 */
/**
 * Returns the items of a trimmed text; the first one is a piece of text. `does` says which of wrap, split, widen and
 * comment to do; it is set to false for those that are impossible. `place` returns a drawn position below a size.
 *
 * @typedef {(core: string, does: Record<string, boolean>, place: (operator: string, number: number, size: number) =>
 *   number) => TextItem[]} Cut
 */
/** @returns {Cut} */
export const makeCut = () => {
  // Characters that allow no line break and do not count as blanks, so the page looks the same and words stay whole.
  const WIDTHLESS = ["\u200c", "\u200d", "\u2060"];
  // In other scripts letters join or combine, so that a cut would be visible.
  const CUTTABLE = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{N}\p{P}\s]/u;

  /** @param {string} text @param {number} position */
  const stands = (text, position) => text.charCodeAt(position) < 128 || CUTTABLE.test(text[position]);
  // The first position at or after `from` between two independent characters; -1 for none.
  /** @param {string} text @param {number} from */
  const cutFrom = (text, from) => {
    for (let i = from; i < text.length; i += 1) if (stands(text, i - 1) && stands(text, i)) return i;
    return -1;
  };
  /** @param {number} code */
  const isLetter = (code) => (code > 96 && code < 123) || (code > 64 && code < 91) || (code > 191 && code < 256);

  // Positions for zero-width characters: between two letters whose shapes they do not change.
  /** @param {string} core @param {number} step */
  const widths = (core, step) => {
    const places = [];
    for (let [i, from] = [step, 0]; i < core.length; i += 1) {
      if (i - from < step || !isLetter(core.charCodeAt(i)) || !isLetter(core.charCodeAt(i - 1))) continue;
      places[places.length] = i;
      from = i;
    }
    return places;
  };

  // Draws the cuts and the positions of zero-width characters. The operators draw independently, so that an operator
  // makes the same change at a higher severity, where other operators act, too.
  /** @type {(core: string, does: Record<string, boolean>, place: Place) => Chosen} */
  const choose = (core, does, place) => {
    const { length } = core;
    /** @type {Chosen} */
    const chosen = { from: 0, to: 0, comment: 0, widths: [], kind: "" };
    if (does.split && length > 3) {
      chosen.from = cutFrom(core, 1 + place("split", 0, length - 3));
      if (chosen.from > 0) chosen.to = cutFrom(core, chosen.from + 1 + place("split", 1, length - chosen.from - 1));
    }
    does.split = chosen.to > 0;
    if (does.comment && length > 1) chosen.comment = cutFrom(core, 1 + place("comment", 0, length - 1));
    does.comment = chosen.comment > 0;
    if (does.widen) {
      chosen.kind = WIDTHLESS[place("widen", 0, WIDTHLESS.length)];
      chosen.widths = widths(core, 3 + place("widen", 1, 5));
    }
    does.widen = chosen.widths.length > 0;
    return chosen;
  };

  // The site's and our version of a piece.
  /** @type {(core: string, from: number, to: number, chosen: Chosen) => TextRun} */
  const runOf = (core, from, to, { widths: places, kind }) => {
    let [ours, last] = ["", from];
    for (let i = 0; i < places.length; i += 1) {
      if (places[i] < from || places[i] >= to) continue;
      ours += core.slice(last, places[i]) + kind;
      last = places[i];
    }
    return { site: core.slice(from, to), ours: ours + core.slice(last, to) };
  };

  // The items of a text in order: pieces, comments, and spans.
  return (core, does, place) => {
    const chosen = choose(core, does, place);
    /** @type {(from: number, to: number) => TextItem[]} */
    const pieces = (from, to) => {
      const position = chosen.comment;
      // A comment as server-side rendering writes it between two texts.
      if (!does.comment || position <= from || position >= to) return [runOf(core, from, to, chosen)];
      return [runOf(core, from, position, chosen), { comment: " " }, runOf(core, position, to, chosen)];
    };
    const { from, to } = chosen;
    const { length } = core;
    /** @type {TextItem[]} */
    let items = pieces(0, length);
    if (does.split) items = [...pieces(0, from), { span: pieces(from, to) }, ...pieces(to, length)];
    if (does.comment && (chosen.comment === from || chosen.comment === to)) {
      const position = chosen.comment === from ? items.length - 2 : items.length - 1;
      items = [...items.slice(0, position), { comment: " " }, ...items.slice(position)];
    }
    return does.wrap ? [{ site: "", ours: "" }, { span: items }] : items;
  };
};
