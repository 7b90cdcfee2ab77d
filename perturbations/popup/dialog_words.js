// The texts of a dialog, drawn from the catalogue; perturbations/page/dialogs.py makes the same draws.
/** @typedef {"go" | "stop" | "mail" | "choice" | "word"} ButtonRule */
/** @typedef {"centre" | "top" | "bottom" | "corner"} Place */
/**
 * @typedef {object} DialogWords
 * @property {string} kind
 * @property {string} heading
 * @property {string} text
 * @property {string} field - Label of a text field; empty for none.
 * @property {string[]} choices - Answers to choose from.
 * @property {string} word - Word to type; empty for none.
 * @property {[string, ButtonRule][]} buttons - Labels and rules of the buttons.
 * @property {string} cue - Sentence after a wrong answer that cancelled the action.
 * @property {string} stays - The same for a dialog that stays open.
 * @property {number} width - In CSS pixels; less in a narrow window.
 * @property {Place} place
 * @property {string} group - The `name` that the radio buttons of the answers share.
 */
/**
 * Which of a dialog's buttons continue, and how the text may say so. dialogs.py describes this and the next two types.
 *
 * @typedef {object} Side
 * @property {ButtonRule[]} rules
 * @property {string[]} [asks]
 * @property {string} forms
 */
/**
 * Dialogs on one subject.
 *
 * @typedef {object} DialogKind
 * @property {string} kind
 * @property {string[]} headings
 * @property {string[]} openings
 * @property {string} labels
 * @property {Side[]} sides
 * @property {string[]} [asks]
 * @property {string[]} [fields]
 * @property {string[][]} [questions]
 * @property {string[]} [words]
 */
/**
 * All wordings.
 *
 * @typedef {object} Catalogue
 * @property {string[]} lanes
 * @property {string[][]} quotes
 * @property {Record<string, number[][]>} orders
 * @property {number[]} widths
 * @property {Place[]} places
 * @property {Record<string, string[][]>} labels
 * @property {Record<string, string[]>} forms
 * @property {string[]} cues
 * @property {string[]} stays
 * @property {DialogKind[]} kinds
 */
/**
 * @param {Catalogue} catalogue - dialogs.json.
 * @returns {(draw: (lane: number) => number) => DialogWords} - `draw` returns a fixed number for each lane, at least 0
 *   and below 1.
 */
export const makeDialogWords = (catalogue) => {
  const { floor } = Math;
  const { lanes, labels, forms, quotes, orders, cues, stays, widths, places } = catalogue;
  const RIGHT = new Set(["go", "choice", "word"]);

  const laneOf = Object.fromEntries(lanes.map((/** @type {string} */ lane, /** @type {number} */ i) => [lane, i + 1]));

  // Letter by letter, because a page may have replaced the string methods.
  /** @param {string} sentence @param {Record<string, string>} slots */
  const filled = (sentence, slots) => {
    let text = "";
    /** @type {string | null} */
    let slot = null;
    for (let i = 0; i < sentence.length; i += 1) {
      const letter = sentence[i];
      if (letter === "{") slot = "";
      else if (letter === "}") {
        text += slots[slot ?? ""];
        slot = null;
      } else if (slot === null) text += letter;
      else slot += letter;
    }
    return text;
  };

  /** @param {string[]} named @param {string[]} rules @param {string} word @param {string[]} quote */
  const slotsOf = (named, rules, word, quote) => {
    const own = { __proto__: null, word: quote[0] + word + quote[1] };
    const slots = /** @type {Record<string, string>} */ (/** @type {unknown} */ (own));
    for (let i = 0; i < named.length; i += 1) {
      const slot = RIGHT.has(rules[i]) ? "right" : "wrong";
      slots[slots[slot] === undefined ? slot : `${slot}2`] = quote[0] + named[i] + quote[1];
    }
    return slots;
  };

  return (draw) => {
    /** @template T @param {T[]} options @param {string} part @returns {T} */
    const pick = (options, part) => options[floor(draw(laneOf[part]) * options.length)];
    /** @template T @param {T[] | undefined} options @param {string} part @param {T} none */
    const maybe = (options, part, none) => (options?.length ? pick(options, part) : none);

    const kind = pick(catalogue.kinds, "kind");
    const side = pick(kind.sides, "side");
    const named = pick(labels[kind.labels], "labels");
    const word = maybe(kind.words, "word", "");
    const question = maybe(kind.questions, "question", [""]);
    const slots = slotsOf(named, side.rules, word, pick(quotes, "quotes"));

    const parts = [
      pick(kind.openings, "opening"),
      question[0],
      filled(maybe(side.asks ?? kind.asks, "ask", ""), slots),
      filled(pick(forms[side.forms], "form"), slots),
    ];
    let text = "";
    for (let i = 0; i < parts.length; i += 1) if (parts[i]) text += text ? ` ${parts[i]}` : parts[i];
    const choices = [];
    for (let i = 1; i < question.length; i += 1) choices[i - 1] = question[i];
    const order = pick(orders[named.length], "order");
    /** @type {DialogWords["buttons"]} */
    const buttons = [];
    for (let i = 0; i < order.length; i += 1) buttons[i] = [named[order[i]], side.rules[order[i]]];

    return {
      kind: kind.kind,
      heading: pick(kind.headings, "heading"),
      text,
      field: maybe(kind.fields, "field", ""),
      choices,
      word,
      buttons,
      cue: pick(cues, "cue"),
      stays: pick(stays, "cue"),
      width: pick(widths, "width"),
      place: pick(places, "place"),
      // A number, as in names that sites generate: a recurring name would identify our answers.
      group: `g${floor(draw(laneOf.group) * 1e7)}`,
    };
  };
};
