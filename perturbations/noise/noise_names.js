// Noise in names: adds meaningless classes to elements, and renames ids with all references to them.
// The site's classes are not renamed: finding out which of them style sheets and scripts use would take longer than all
// other noise together.

/** @import { Copies } from "./copies.js" */
/** @import { Runtime } from "../page/runtime.js" */

/**
 * @typedef {object} NoiseNames
 * @property {() => boolean} isScripted - Whether scripts run on the page.
 * @property {(draw: number) => string} token - A meaningless name, made from a number of at least 0 and below 1.
 * @property {(element: Element, token: string, inFront: boolean) => boolean} dress - Adds such a class to an element.
 * @property {(drawn: (id: string) => string | null) => string[]} rename - Renames ids; `drawn` returns the new id, or
 *   null to keep it. Returns the renamed ids.
 */

/**
 * @param {Runtime} runtime
 * @param {Copies} copies
 * @returns {NoiseNames}
 */
export const makeNoiseNames = (runtime, copies) => {
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
  // Attributes that never refer to ids.
  const PLAIN = new Set(
    (
      "id class style name value type placeholder title alt lang dir role width height rows cols min max step size " +
      "maxlength autocomplete rel media content charset property datetime itemtype itemprop aria-label src srcset " +
      "action method colspan rowspan scope loading"
    ).split(" "),
  );
  const WORD = /[\p{L}_][\p{L}\p{N}_:.-]*/gu;

  const newIds = new Set();

  const isScripted = () => {
    const elements = scripts(document);
    for (let i = 0; i < elements.length; i += 1) {
      if (CODE.has((attribute(elements[i], "type") || "").toLowerCase())) return true;
    }
    return false;
  };

  /** @type {NoiseNames["token"]} */
  const token = (draw) => {
    let number = floor(draw * 26 * LETTERS.length ** 5);
    let letters = LETTERS[number % 26];
    for (number = floor(number / 26); letters.length < 6; number = floor(number / LETTERS.length)) {
      letters += LETTERS[number % LETTERS.length];
    }
    return letters;
  };

  /** @param {Element} element @param {string} name @param {string} value */
  const change = (element, name, value) => {
    const was = attribute(element, name);
    setAttribute(element, name, value);
    runtime.changed(element, { was: { [name]: was } });
    return was;
  };

  /** @type {NoiseNames["dress"]} */
  const dress = (element, addedClasses, inFront) => {
    const own = attribute(element, "class");
    const value = [inFront ? addedClasses : own, inFront ? own : addedClasses].filter(Boolean).join(" ");
    copies.dressed(element, "class", change(element, "class", value));
    return true;
  };

  /** @param {string} text @param {Set<string>} words */
  const wordsIn = (text, words) => (text.match(WORD) ?? []).forEach((/** @type {string} */ word) => words.add(word));

  // Collects words of selectors; returns false if a style sheet cannot be read because it is from another origin.
  /** @param {Set<string>} words */
  const readSheets = (words) => {
    /** @param {CSSRuleList} rules */
    const read = (rules) => {
      for (let i = 0; i < rules.length; i += 1) {
        const rule = rules[i];
        if (rule instanceof CSSStyleRule) {
          const selector = selectorOf(rule);
          if (selector.includes("#") || selector.includes("[")) wordsIn(selector, words);
          read(nestedOf(rule));
        } else if (rule instanceof CSSGroupingRule) read(innerOf(rule));
        else if (rule instanceof CSSImportRule) read(rulesOf(importedBy(rule)));
      }
    };
    /** @param {ArrayLike<CSSStyleSheet>} list */
    const readAll = (list) => {
      for (let i = 0; i < list.length; i += 1) read(rulesOf(list[i]));
    };
    try {
      readAll(sheets(document));
      readAll(adopted(document));
      return true;
    } catch {
      return false;
    }
  };

  // Collects words of other attributes that may refer to ids: in-page links, drawings, attributes that libraries read.
  // Returns false if an attribute has code.
  /** @param {Set<string>} words */
  const readAttributes = (words) => {
    const elements = inDocument(document, "*");
    for (let i = 0; i < elements.length; i += 1) {
      const names = namesOf(elements[i]);
      for (let j = 0; j < names.length; j += 1) {
        const name = names[j];
        if (name.startsWith("on")) return false;
        if (PLAIN.has(name) || REFERENCES.has(name)) continue;
        const value = attribute(elements[i], name) ?? "";
        if (value.startsWith("javascript:")) return false;
        // The address of a link is not an id; its fragment may be one.
        wordsIn(name === "href" ? value.slice(value.indexOf("#") + 1 || value.length) : value, words);
      }
    }
    return true;
  };

  /** @param {Map<string, string>} renamed */
  const refer = (renamed) => {
    const elements = inDocument(document, [...REFERENCES].map((name) => `[${name}]`).join());
    for (let i = 0; i < elements.length; i += 1) {
      const names = namesOf(elements[i]);
      for (let j = 0; j < names.length; j += 1) {
        if (!REFERENCES.has(names[j])) continue;
        const value = attribute(elements[i], names[j]) ?? "";
        const now = value
          .split(" ")
          .map((id) => renamed.get(id) ?? id)
          .join(" ");
        if (now !== value) copies.dressed(elements[i], names[j], change(elements[i], names[j], now));
      }
    }
  };

  // Renames no id on a page with scripts, because a script may query any id, even a composed one.
  /** @type {NoiseNames["rename"]} */
  const rename = (drawn) => {
    if (isScripted()) return [];
    /** @type {{element: Element, id: string, named: string}[]} */
    const wanted = [];
    const counts = new Map();
    const around = surroundings();
    const elements = all(document, "[id]");
    for (let i = 0; i < elements.length; i += 1) {
      const [element, id] = [elements[i], attribute(elements[i], "id")];
      counts.set(id, (counts.get(id) ?? 0) + 1);
      const place = around(element);
      const ours = kindOf(element) || place.added;
      if (!id || ours || place.untouched || tagOf(element) === "svg") continue;
      const named = newIds.has(id) ? null : drawn(id);
      if (named) wanted[wanted.length] = { element, id, named };
    }
    if (!wanted.length) return [];
    const words = new Set();
    if (!readAttributes(words) || !readSheets(words)) return [];
    const renamed = new Map();
    for (let i = 0; i < wanted.length; i += 1) {
      const { element, id, named } = wanted[i];
      // If two elements have the same id, references mean the first, so keep both.
      if (words.has(id) || counts.get(id) > 1 || !isElement(element)) continue;
      renamed.set(id, named);
      newIds.add(named);
      copies.dressed(element, "id", change(element, "id", named));
    }
    if (renamed.size) refer(renamed);
    /** @type {string[]} */
    const ids = [];
    renamed.forEach((_, id) => (ids[ids.length] = id));
    return ids;
  };

  return { isScripted, token, dress, rename };
};
