// Role and accessible name of the site's elements; stressweb/html/accessible_name.py returns the same.

/** @import { Natives } from "./natives.js" */
/** @import { SiteView, Surroundings } from "./site_view.js" */

/**
 * Look-ups in a document, valid until the document changes.
 *
 * @typedef {object} Lookup
 * @property {(element: Element) => Surroundings} around - The surroundings of an element.
 * @property {(id: string) => Element | null} byId - The site's first element with an id.
 * @property {(field: Element) => Element[]} labels - The labels of a form field, in document order.
 * @property {Map<Element, string>} texts - Cached texts of elements. Name inner elements before outer ones.
 */
/**
 * @typedef {object} Names
 * @property {(text: string) => string} clean - Removes zero-width characters from a text, collapses white space, and
 *   trims it.
 * @property {(text: string) => string} withoutUnseen - Removes zero-width characters from a text.
 * @property {(text: string) => string} strip - Removes white space around a text.
 * @property {(element: Element, tag: string, lookup: Lookup) => string} role - ARIA role, explicit or implicit; "" if
 *   it has none.
 * @property {(element: Element, tag: string, lookup: Lookup) => string} name - Accessible name; "" if it has none.
 */
/**
 * @param {SiteView} view
 * @param {Natives} natives
 * @returns {Names}
 */
export const makeNames = (view, natives) => {
  const { attribute, isElement, tagOf, textOf, walk } = view;
  // A page may replace methods of strings, patterns and arrays. `exec` is the only pattern method that calls no other.
  const { method } = natives;
  const exec = method(RegExp, "exec");
  const slice = method(String, "slice");
  const trim = method(String, "trim");
  const lower = method(String, "toLowerCase");
  /** @param {string} text */
  const words = (text) => /** @type {string[]} */ (text.split(" "));
  /** @type {(text: string) => [string, string][]} */
  const pairs = (text) => words(text).map((pair) => /** @type {[string, string]} */ (pair.split(":")));

  const ROLES = new Map(
    pairs(
      "article:article aside:complementary button:button datalist:listbox dd:definition details:group dialog:dialog " +
        "dt:term fieldset:group figure:figure form:form h1:heading h2:heading h3:heading h4:heading h5:heading " +
        "h6:heading hr:separator li:listitem main:main menu:list meter:meter nav:navigation ol:list optgroup:group " +
        "option:option output:status progress:progressbar search:search summary:button table:table tbody:rowgroup " +
        "td:cell textarea:textbox tfoot:rowgroup thead:rowgroup tr:row ul:list",
    ),
  );
  const INPUTS = new Map(
    pairs(
      "button:button checkbox:checkbox email:textbox file:button hidden: image:button number:spinbutton " +
        "password:textbox radio:radio range:slider reset:button search:searchbox submit:button tel:textbox " +
        "text:textbox url:textbox",
    ),
  );
  const NAMED_BY_CONTENT = new Set(
    words(
      "button cell checkbox columnheader gridcell heading link menuitem option radio row rowheader switch tab " +
        "tooltip treeitem",
    ),
  );
  const FIELDS = new Set(words("input select textarea meter progress output button"));
  const VALUES = new Set(words("input select textarea"));
  const SILENT = new Set(words("script style template noscript head datalist"));
  const BLOCKS = new Set(
    words(
      "address article aside blockquote body button caption dd details dialog div dl dt fieldset figcaption figure " +
        "footer form h1 h2 h3 h4 h5 h6 header hr input legend li main menu nav ol optgroup option p pre search " +
        "section select summary table tbody td textarea tfoot th thead tr ul",
    ),
  );
  const TITLES = new Map(pairs("fieldset:legend table:caption figure:figcaption"));
  const PRESS = new Map(pairs("submit:Submit reset:Reset image:Submit button:"));

  // biome-ignore lint/suspicious/noMisleadingCharacterClass: the characters are separate alternatives
  const UNSEEN = /[\u200b\u200c\u200d\u2060\ufeff\u00ad]/g;
  // White space as in Python: includes the ASCII separators and NEL, excludes the byte order mark. A single blank does
  // not match, because it would be replaced by itself.
  const BLANKS = /(?! (?!(?!\ufeff)[\s\x1c-\x1f\x85]))(?:(?!\ufeff)[\s\x1c-\x1f\x85])+/g;
  const BLANK = /^(?!\ufeff)[\s\x1c-\x1f\x85]/;
  const WORD = /(?:\ufeff|[^\s\x1c-\x1f\x85])+/g;

  /** @param {string} text @param {RegExp} pattern @param {string} by */
  const replaced = (text, pattern, by) => {
    pattern.lastIndex = 0;
    let hit = exec(pattern, text);
    if (!hit) return text;
    let output = "";
    let from = 0;
    for (; hit; hit = exec(pattern, text)) {
      output += slice(text, from, hit.index) + by;
      from = pattern.lastIndex;
    }
    return output + slice(text, from);
  };
  /** @type {Names["withoutUnseen"]} */
  const withoutUnseen = (text) => replaced(text, UNSEEN, "");
  /** @type {Names["clean"]} */
  const clean = (text) => trim(replaced(withoutUnseen(text), BLANKS, " "));
  /** @param {string} text */
  const split = (text) => {
    const words = [];
    WORD.lastIndex = 0;
    for (let word = exec(WORD, text); word; word = exec(WORD, text)) words[words.length] = word[0];
    return words;
  };
  /** @type {Names["strip"]} */
  const strip = (text) => {
    let from = 0;
    let to = text.length;
    while (from < to && exec(BLANK, text[from])) from += 1;
    while (from < to && exec(BLANK, text[to - 1])) to -= 1;
    return slice(text, from, to);
  };

  /** @param {Element} element */
  const link = (element) => (attribute(element, "href") === null ? "" : "link");
  /** @param {string} name */
  const landmark = (name) => (/** @type {Element} */ element, /** @type {Lookup} */ lookup) =>
    lookup.around(element).sectioned ? "" : name;
  /** @param {Element} element */
  const kindOfInput = (element) => lower(attribute(element, "type") || "text");
  /** @param {string | null} text @param {string} first @param {string} second */
  const isOne = (text, first, second) => text === first || text === second;
  /** @param {Element} element */
  const isLarge = (element) => !isOne(attribute(element, "size") || "1", "0", "1");
  /** @param {Element} element */
  const isNamed = (element) => Boolean(attribute(element, "aria-label") || attribute(element, "aria-labelledby"));
  const SPECIAL = new Map([
    ["a", link],
    ["area", link],
    ["footer", landmark("contentinfo")],
    ["header", landmark("banner")],
    ["img", (element) => (attribute(element, "alt") === "" ? "" : "img")],
    ["input", (element) => INPUTS.get(kindOfInput(element)) ?? "textbox"],
    ["section", (element) => (isNamed(element) ? "region" : "")],
    ["select", (element) => (attribute(element, "multiple") !== null || isLarge(element) ? "listbox" : "combobox")],
    ["th", (element) => (isOne(attribute(element, "scope"), "row", "rowgroup") ? "rowheader" : "columnheader")],
  ]);

  /** @type {Names["role"]} */
  const role = (element, tag, lookup) => {
    const explicit = attribute(element, "role");
    const word = explicit ? split(explicit)[0] : "";
    if (word) return word === "none" || word === "presentation" ? "" : lower(word);
    return SPECIAL.get(tag)?.(element, lookup) ?? ROLES.get(tag) ?? "";
  };

  /** @param {Element} element @param {string} tag */
  const isOut = (element, tag) =>
    SILENT.has(tag) || attribute(element, "aria-hidden") === "true" || attribute(element, "hidden") !== null;

  // What an element contributes to the name of an ancestor; null if that is its contents.
  /** @param {Element} element @param {string} tag @param {Lookup} lookup */
  const ownName = (element, tag, lookup) => {
    const label = attribute(element, "aria-label");
    if (tag === "img") return label || attribute(element, "alt") || "";
    if (label && role(element, tag, lookup)) return label;
    // The value of a field is not part of a name: typing must not change it.
    return VALUES.has(tag) ? "" : null;
  };

  /** @param {Element} element @param {Lookup} lookup */
  const textIn = (element, lookup) => {
    let text = "";
    /** @param {Node} node */
    const enter = (node) => {
      const piece = textOf(node);
      if (piece !== null) text += piece;
      if (piece !== null || !isElement(node)) return false;
      const tag = tagOf(node);
      if (tag === "br") text += " ";
      if (tag === "br" || isOut(node, tag)) return false;
      // Uses the cached texts of inner elements, which are named first.
      const own = ownName(node, tag, lookup) ?? lookup.texts.get(node) ?? null;
      // Blanks around blocks, so that "Red" and "shoe" in two blocks are not one word.
      const blank = BLOCKS.has(tag) ? " " : "";
      text += own === null ? blank : `${blank}${own}${blank}`;
      return own === null;
    };
    walk(element, enter, (node) => BLOCKS.has(tagOf(node)) && (text += " "));
    return text;
  };

  /** @param {Element} element @param {Lookup} lookup */
  const textOnce = (element, lookup) => {
    if (!lookup.texts.has(element)) lookup.texts.set(element, textIn(element, lookup));
    return /** @type {string} */ (lookup.texts.get(element));
  };

  /** @param {Element} element @param {Lookup} lookup */
  const referred = (element, lookup) => {
    const ids = attribute(element, "aria-labelledby");
    if (!ids) return "";
    const named = split(ids);
    let text = "";
    for (let i = 0; i < named.length; i += 1) {
      const label = lookup.byId(named[i]);
      if (label) text += ` ${attribute(label, "aria-label") || attribute(label, "alt") || textOnce(label, lookup)}`;
    }
    return clean(text);
  };

  /** @param {Element} element @param {Lookup} lookup */
  const labelled = (element, lookup) => {
    const labels = lookup.labels(element);
    // A hidden label names a field only if the field has no visible one.
    let isDrawn = false;
    for (let i = 0; i < labels.length; i += 1) isDrawn ||= !isOut(labels[i], "label");
    let text = "";
    // From last to first, because inner labels must be named before outer ones.
    for (let i = labels.length - 1; i >= 0; i -= 1) {
      if (!isDrawn || !isOut(labels[i], "label")) text = `${textOnce(labels[i], lookup)} ${text}`;
    }
    return clean(text);
  };

  /** @param {Element} element */
  const ofInput = (element) => {
    const kind = kindOfInput(element);
    const alt = kind === "image" ? clean(attribute(element, "alt") || "") : "";
    if (kind === "file") return attribute(element, "multiple") === null ? "Choose File" : "Choose Files";
    if (alt || !PRESS.has(kind)) return alt;
    // A button with an empty value has no words; a button without a value has the browser's.
    return clean(attribute(element, "value") ?? /** @type {string} */ (PRESS.get(kind)));
  };

  /** @param {Element} element @param {string} title @param {Lookup} lookup */
  const titled = (element, title, lookup) => {
    /** @type {Element | null} */
    let heading = null;
    walk(element, (node) => {
      if (!isElement(node) || tagOf(node) !== title) return false;
      heading = node;
      return null;
    });
    return heading ? clean(textOnce(heading, lookup)) : "";
  };

  /** @param {Element} element @param {string} tag @param {Lookup} lookup */
  const native = (element, tag, lookup) => {
    const label = FIELDS.has(tag) ? labelled(element, lookup) : "";
    if (label) return label;
    if (tag === "input") return ofInput(element);
    if (tag === "img" || tag === "area") return clean(attribute(element, "alt") || "");
    if (tag === "optgroup") return clean(attribute(element, "label") || "");
    if (TITLES.has(tag)) return titled(element, /** @type {string} */ (TITLES.get(tag)), lookup);
    return NAMED_BY_CONTENT.has(role(element, tag, lookup)) ? clean(textOnce(element, lookup)) : "";
  };

  // The order of the accname specification: referenced elements, `aria-label`, labels and contents, tooltip.
  /** @type {Names["name"]} */
  const name = (element, tag, lookup) =>
    referred(element, lookup) ||
    clean(attribute(element, "aria-label") || "") ||
    native(element, tag, lookup) ||
    clean(attribute(element, "title") || attribute(element, "placeholder") || "");

  return { clean, withoutUnseen, strip, role, name };
};
