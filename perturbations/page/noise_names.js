// Noise in names: elements get a class that means nothing, and ids other names, with all that refers to them.
// Classes of the site keep their names: which of them a style sheet or a script asks for would take longer to find out
// than all other noise together.
/**
 * @typedef {object} NoiseNames
 * @property {() => boolean} isScripted - Whether scripts run on the page.
 * @property {(draw: number) => string} token - A name that means nothing, of a number of at least 0 and below 1.
 * @property {(element: Element, token: string, inFront: boolean) => boolean} dress - Gives an element such a class.
 * @property {(drawn: (id: string) => string | null) => string[]} rename - Renames ids: `drawn` says to what, or null.
 *   Returns those that it has renamed.
 */

/**
 * @param {Runtime} runtime
 * @param {Copies} copies
 * @returns {NoiseNames}
 */
(runtime, copies) => {
  "use strict";
  const { method, getter } = runtime.natives;
  const { all, attribute, isElement, kindOf, surroundings, tagOf } = runtime.view;
  const setAttribute = method(Element, "setAttribute");
  const namesOf = method(Element, "getAttributeNames");
  const inDocument = method(Document, "querySelectorAll");
  const scripts = getter(Document, "scripts");
  const sheets = getter(Document, "styleSheets");
  const adopted = getter(Document, "adoptedStyleSheets");
  const rulesOf = getter(CSSStyleSheet, "cssRules");
  const innerOf = getter(CSSGroupingRule, "cssRules");
  const nestedOf = getter(CSSStyleRule, "cssRules");
  const importedBy = getter(CSSImportRule, "styleSheet");
  const selectorOf = getter(CSSStyleRule, "selectorText");

  const { floor } = Math;
  const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
  const CODE = new Set(["", "module", "text/javascript", "application/javascript"]);
  const REFERENCES = new Set(
    (
      "for form list headers aria-labelledby aria-describedby aria-controls aria-owns aria-details aria-flowto " +
      "aria-activedescendant aria-errormessage popovertarget commandfor"
    ).split(" "),
  );
  // What neither the browser nor a script takes for an id.
  const PLAIN = new Set(
    (
      "id class style name value type placeholder title alt lang dir role width height rows cols min max step size " +
      "maxlength autocomplete rel media content charset property datetime itemtype itemprop aria-label src srcset " +
      "action method colspan rowspan scope loading"
    ).split(" "),
  );
  const WORD = /[\p{L}_][\p{L}\p{N}_:.-]*/gu;

  const given = new Set();

  const isScripted = () => {
    const found = scripts(document);
    for (let at = 0; at < found.length; at += 1) {
      if (CODE.has((attribute(found[at], "type") || "").toLowerCase())) return true;
    }
    return false;
  };

  const token = (draw) => {
    let number = floor(draw * 26 * LETTERS.length ** 5);
    let made = LETTERS[number % 26];
    for (number = floor(number / 26); made.length < 6; number = floor(number / LETTERS.length)) {
      made += LETTERS[number % LETTERS.length];
    }
    return made;
  };

  const change = (element, name, value) => {
    const was = attribute(element, name);
    setAttribute(element, name, value);
    runtime.changed(element, { was: { [name]: was } });
    return was;
  };

  const dress = (element, given, inFront) => {
    const own = attribute(element, "class");
    const value = [inFront ? given : own, inFront ? own : given].filter(Boolean).join(" ");
    copies.dressed(element, "class", change(element, "class", value));
    return true;
  };

  const wordsIn = (text, words) => (text.match(WORD) ?? []).forEach((word) => words.add(word));

  // False where a style sheet cannot be read: it comes from elsewhere.
  const readSheets = (words) => {
    const read = (rules) => {
      for (let at = 0; at < rules.length; at += 1) {
        const rule = rules[at];
        if (rule instanceof CSSStyleRule) {
          const selector = selectorOf(rule);
          if (selector.includes("#") || selector.includes("[")) wordsIn(selector, words);
          read(nestedOf(rule));
        } else if (rule instanceof CSSGroupingRule) read(innerOf(rule));
        else if (rule instanceof CSSImportRule) read(rulesOf(importedBy(rule)));
      }
    };
    const readAll = (list) => {
      for (let at = 0; at < list.length; at += 1) read(rulesOf(list[at]));
    };
    try {
      readAll(sheets(document));
      readAll(adopted(document));
      return true;
    } catch {
      return false;
    }
  };

  // All that may be an id wherever else it stands: links within the page, drawings, attributes that libraries read.
  const readAttributes = (words) => {
    const found = inDocument(document, "*");
    for (let at = 0; at < found.length; at += 1) {
      const names = namesOf(found[at]);
      for (let one = 0; one < names.length; one += 1) {
        const name = names[one];
        if (name.startsWith("on")) return false;
        if (PLAIN.has(name) || REFERENCES.has(name)) continue;
        const value = attribute(found[at], name);
        if (value.startsWith("javascript:")) return false;
        // Where a link leads is no id; what stands behind its `#` may be one.
        wordsIn(name === "href" ? value.slice(value.indexOf("#") + 1 || value.length) : value, words);
      }
    }
    return true;
  };

  const refer = (renamed) => {
    const found = inDocument(document, [...REFERENCES].map((name) => `[${name}]`).join());
    for (let at = 0; at < found.length; at += 1) {
      const names = namesOf(found[at]);
      for (let one = 0; one < names.length; one += 1) {
        if (!REFERENCES.has(names[one])) continue;
        const value = attribute(found[at], names[one]);
        const now = value.split(" ").map((id) => renamed.get(id) ?? id).join(" ");
        if (now !== value) copies.dressed(found[at], names[one], change(found[at], names[one], now));
      }
    }
  };

  // A script may ask for any id, also one that it puts together: where scripts run, ids stay.
  const rename = (drawn) => {
    if (isScripted()) return [];
    const [wanted, counts] = [[], new Map()];
    const around = surroundings();
    const found = all(document, "[id]");
    for (let at = 0; at < found.length; at += 1) {
      const [element, id] = [found[at], attribute(found[at], "id")];
      counts.set(id, (counts.get(id) ?? 0) + 1);
      const place = around(element);
      const ours = kindOf(element) || place.added;
      if (!id || ours || place.untouched || tagOf(element) === "svg") continue;
      const named = given.has(id) ? null : drawn(id);
      if (named) wanted[wanted.length] = { element, id, named };
    }
    if (!wanted.length) return [];
    const words = new Set();
    if (!readAttributes(words) || !readSheets(words)) return [];
    const renamed = new Map();
    for (let at = 0; at < wanted.length; at += 1) {
      const { element, id, named } = wanted[at];
      // Of two elements with one id references mean the first.
      if (words.has(id) || counts.get(id) > 1 || !isElement(element)) continue;
      renamed.set(id, named);
      given.add(named);
      copies.dressed(element, "id", change(element, "id", named));
    }
    if (renamed.size) refer(renamed);
    const ids = [];
    renamed.forEach((_, id) => (ids[ids.length] = id));
    return ids;
  };

  return { isScripted, token, dress, rename };
}
