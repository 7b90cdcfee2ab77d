// Keys of controls and elements, on which draws depend; stressweb/html/page.py computes the same keys.
// An element keeps the key that it gets when it is first seen, so later changes of the element change no draw.

import { makeNames } from "./names.js";

/** @import { Natives } from "./natives.js" */
/** @import { SiteView, Surroundings } from "./site_view.js" */
/** @import { Lookup } from "./names.js" */

/**
 * The contents of a root, read before its controls get keys.
 *
 * @typedef {object} Surveyed
 * @property {{element: Element, tag: string}[]} candidates - Elements that may be controls.
 * @property {Set<Element>} withButton - Forms with a button.
 * @property {Lookup} lookup
 */
/**
 * A control that has no key yet.
 *
 * @typedef {{element: Element, tag: string, role: string, page: Surveyed, name?: string}} Candidate
 */

/**
 * @typedef {object} KeySettings
 * @property {string} site - The site's id.
 * @property {string[]} hosts - Hosts of the site, with the port if it is not 80; keys do not depend on them.
 */
/**
 * An element to press or to fill in, as it was when it was first seen.
 *
 * @typedef {object} Control
 * @property {Element} element
 * @property {string} role - Its ARIA role, or "entry" for input types without one.
 * @property {boolean} pressed - Whether you press it (by its role); otherwise you fill it in.
 * @property {string} name - Accessible name.
 * @property {string} key - Site, path template, role, name, target, and a number to distinguish equals.
 */
/**
 * An element of the site in the body, with its key.
 *
 * @typedef {object} KeyedNode
 * @property {Element} element
 * @property {string} key - Tag, first text, href, and a number to distinguish equals.
 */
/**
 * @typedef {object} Keys
 * @property {(roots: (Document | ShadowRoot)[], path: string) => Control[]} controls - The site's controls in these
 *   roots, in the order of the roots and of each document. `path` is the page's path.
 * @property {(roots: (Document | ShadowRoot)[], most?: number) => KeyedNode[]} nodes - The site's elements in these
 *   roots, in the same order; the first `most` of each root.
 * @property {(frame: Element, address: string, path: string) => string} inner - The path with which the keys in a frame
 *   begin. `address` is the URL of its document, `path` the path of the page around it. A document that was not
 *   requested from the site is named after its frame.
 * @property {(path: string) => string} place - Site and path template of the page at a path, with which the keys of its
 *   controls begin.
 * @property {(text: string) => string} clean - Removes zero-width characters from a text, collapses white space, and
 *   trims it.
 */
/**
 * @param {SiteView} view
 * @param {KeySettings} settings
 * @param {Natives} natives
 * @returns {Keys}
 */
export const makeKeys = (view, settings, natives) => {
  const CANDIDATES = new Set(["a", "area", "button", "input", "select", "textarea", "summary", "form"]);
  const FIELDS = new Set(["input", "select", "textarea", "meter", "progress", "output", "button"]);
  const ASKED = [...new Set([...CANDIDATES, ...FIELDS, "label", "[role]", "[onclick]"])].join();
  const PLAIN = new Set(["date", "time", "datetime-local", "month", "week", "color", "file"]);
  const PRESSED = new Set(["link", "button", "checkbox", "radio", "switch", "menuitem", "tab"]);
  const ENTERED = ["textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider", "entry"];
  const CONTROLS = new Set([...PRESSED, ...ENTERED]);
  const LONGEST = 48;
  const HALF = /[\ud800-\udbff]/;

  const { attribute, isElement, isUntouched, kindOf, tagOf, textOf } = view;
  const { clean, withoutUnseen, strip, role, name } = makeNames(view, natives);
  // A page may replace methods of strings, patterns and arrays. `exec` is the only pattern method that calls no other.
  const { method } = natives;
  const exec = method(RegExp, "exec");
  const indexOf = method(String, "indexOf");
  const slice = method(String, "slice");
  const lower = method(String, "toLowerCase");
  const codeAt = method(String, "codePointAt");
  const controlOf = new WeakMap();
  const keyOf = new WeakMap();

  const escaped = settings.hosts.map((host) => host.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  // The lookahead rejects longer host names and other ports with the same beginning.
  const own = new RegExp(`(?:https?:)?//(?:${escaped.join("|")})(?::80)?(?![\\p{L}\\p{N}_.:-])/?`, "giu");
  /** @param {string} text */
  const relative = (text) => {
    if (!escaped.length || indexOf(text, "//") < 0) return text;
    own.lastIndex = 0;
    let paths = "";
    let from = 0;
    for (let host = exec(own, text); host; host = exec(own, text)) {
      paths += `${slice(text, from, host.index)}/`;
      from = own.lastIndex;
    }
    return paths + slice(text, from);
  };

  // All pages of a template share this beginning of their controls' keys.
  /** @param {string} path */
  const template = (path) => {
    const question = indexOf(path, "?");
    const end = question < 0 ? path.length : question;
    let joined = "";
    for (let from = 0; from <= end; ) {
      const slash = indexOf(path, "/", from);
      const to = slash < 0 || slash > end ? end : slash;
      const segment = slice(path, from, to);
      joined += `${from ? "/" : ""}${exec(/[0-9]/, segment) ? "*" : segment}`;
      from = to + 1;
    }
    return joined;
  };

  /** @type {Keys["place"]} */
  const place = (path) => `${settings.site} ${template(path)}`;

  const isConnected = natives.getter(Node, "isConnected");
  const framed = new Map();

  // Frames with equal names are distinguished by more `~`; a removed frame's name is free again.
  /** @param {Element} frame @param {string} base */
  const frameName = (frame, base) => {
    const before = framed.get(base) ?? [];
    const beside = [];
    const taken = new Set();
    for (let i = 0; i < before.length; i += 1) {
      const entry = before[i];
      if (entry.frame === frame) return entry.name;
      if (!isConnected(entry.frame)) continue;
      beside[beside.length] = entry;
      taken.add(entry.name);
    }
    let name = `~${base}`;
    while (taken.has(name)) name = `~${name}`;
    beside[beside.length] = { frame, name };
    framed.set(base, beside);
    return name;
  };

  /** @type {Keys["inner"]} */
  const inner = (frame, address, path) => {
    const source = (attribute(frame, "src") ?? "").trim().toLowerCase();
    const served = source && !/^(?:about|javascript|blob|data):/.test(source) && attribute(frame, "srcdoc") === null;
    if (served) return address.replace(/^[a-z-]+:\/\/[^/?#]*/i, "").split(/[?#]/)[0] || "/";
    const called = attribute(frame, "name") || attribute(frame, "id") || attribute(frame, "title") || "";
    // Replace digits, because a path template treats all segments with a digit as the same.
    const base = called
      .toLowerCase()
      .replace(/[0-9]/g, (digit) => "abcdefghij"[/** @type {`${number}`} */ (digit)])
      .replace(/[^a-z]+/g, "-");
    return `${path.split("?")[0].replace(/\/$/, "")}/${frameName(frame, base)}`;
  };

  /** @param {Element} element @param {string} tag */
  const isCandidate = (element, tag) =>
    CANDIDATES.has(tag) ||
    (!isUntouched(tag) && (attribute(element, "role") !== null || attribute(element, "onclick") !== null));

  // One pass over a root collects all that keys may need; the surroundings of each element are read once.
  /** @param {Document | ShadowRoot} root */
  const survey = (root) => {
    const around = view.surroundings();
    const candidates = [];
    const labels = [];
    const firstField = new Map();
    const withButton = new Set();
    const queried = view.all(root, ASKED);
    for (let i = 0; i < queried.length; i += 1) {
      const element = queried[i];
      const place = around(element);
      if (place.added || kindOf(element)) continue;
      const tag = tagOf(element);
      if (tag === "label") labels[labels.length] = element;
      if (FIELDS.has(tag) && attribute(element, "type") !== "hidden") {
        // A label around a label with a field labels that field, too.
        for (let label = place.label; label && !firstField.has(label); label = around(label).label) {
          firstField.set(label, element);
        }
      }
      if (tag === "button") {
        for (let form = place.form; form && !withButton.has(form); form = around(form).form) withButton.add(form);
      }
      if (!place.untouched && isCandidate(element, tag)) candidates[candidates.length] = { element, tag };
    }
    return { candidates, withButton, lookup: { around, ...lookups(root, around, labels, firstField) } };
  };

  /**
   * @param {Document | ShadowRoot} root
   * @param {(element: Element) => Surroundings} around
   * @param {Element[]} labels
   * @param {Map<Element, Element>} firstField
   */
  const lookups = (root, around, labels, firstField) => {
    /** @type {Map<string | null, Element> | null} */
    let ids = null;
    /** @type {Map<Element, Element[]> | null} */
    let byField = null;
    /** @param {Element} element */
    const isOurs = (element) => kindOf(element) || around(element).added;
    const readIds = () => {
      const ids = new Map();
      const elements = view.all(root, "[id]");
      for (let i = 0; i < elements.length; i += 1) {
        const id = attribute(elements[i], "id");
        if (!ids.has(id) && !isOurs(elements[i])) ids.set(id, elements[i]);
      }
      return ids;
    };
    /** @param {string} id */
    const byId = (id) => {
      const labelled = view.byId(root, id);
      if (!labelled || !isOurs(labelled)) return labelled;
      // The browser returns only the first node with an id, which may be ours.
      ids ??= readIds();
      return ids.get(id) ?? null;
    };
    const readLabels = () => {
      const byField = new Map();
      for (let i = 0; i < labels.length; i += 1) {
        const id = attribute(labels[i], "for");
        const field = id === null ? firstField.get(labels[i]) : byId(id);
        if (!field) continue;
        if (!byField.has(field)) byField.set(field, []);
        const labelsOfField = byField.get(field);
        labelsOfField[labelsOfField.length] = labels[i];
      }
      return byField;
    };
    return {
      byId,
      texts: new Map(),
      /** @param {Element} field */
      labels: (field) => {
        byField ??= readLabels();
        return byField.get(field) ?? [];
      },
    };
  };

  // A form without a button is itself pressed, by Enter in a field.
  /** @param {Element} element @param {string} tag @param {Surveyed} page */
  const controlRole = (element, tag, page) => {
    if (tag === "form") return page.withButton.has(element) ? "" : "button";
    if (tag === "input" && PLAIN.has(lower(attribute(element, "type") || ""))) return "entry";
    return role(element, tag, page.lookup);
  };

  /** @param {Element} element @param {Surveyed} page */
  const target = (element, page) => {
    const href = attribute(element, "href");
    if (href !== null) return strip(href);
    const { form } = page.lookup.around(element);
    return form ? clean(attribute(form, "action") || "") : "";
  };

  // Numbers equal elements in document order. No two elements of a page get the same key.
  /** @param {Set<string>} taken */
  const numbering = (taken) => {
    const counts = new Map();
    return (/** @type {string} */ base, /** @type {string} */ sign) => {
      let key;
      let count = counts.get(base) ?? 0;
      do key = `${base} ${sign}${(count += 1)}`;
      while (taken.has(key));
      counts.set(base, count);
      return key;
    };
  };

  /** @type {(entry: Candidate & {name: string}, start: string, number: (base: string, sign: string) => string) => Control} */
  const keyed = ({ element, role, name: called, page }, start, number) => {
    // Keys contain no markup, so that a mode's changes to markup change no draw.
    const key = number(`${start} ${role} ${relative(called)} ${relative(target(element, page))}`, "#");
    const control = { element, role, pressed: PRESSED.has(role), name: called, key };
    controlOf.set(element, control);
    return control;
  };

  /** @type {Keys["controls"]} */
  const controls = (roots, path) => {
    const start = place(path);
    const entries = [];
    const taken = new Set();
    for (let i = 0; i < roots.length; i += 1) {
      const page = survey(roots[i]);
      for (let j = 0; j < page.candidates.length; j += 1) {
        const { element, tag } = page.candidates[j];
        const known = controlOf.get(element);
        // Reserve its key even if it is not a control now, because it may become one again.
        if (known) taken.add(known.key);
        const roleNow = controlRole(element, tag, page);
        if (CONTROLS.has(roleNow)) entries[entries.length] = known ?? { element, tag, role: roleNow, page };
      }
    }
    for (let i = entries.length - 1; i >= 0; i -= 1) {
      const entry = entries[i];
      entry.name ??= name(entry.element, entry.tag, entry.page.lookup);
    }
    const number = numbering(taken);
    for (let i = 0; i < entries.length; i += 1) {
      if (!("key" in entries[i])) entries[i] = keyed(entries[i], start, number);
    }
    return entries;
  };

  // Counts characters as Python does: a surrogate pair is one.
  /** @param {string} text */
  const firstCharacters = (text) => {
    if (text.length <= LONGEST || !exec(HALF, slice(text, 0, LONGEST))) return slice(text, 0, LONGEST);
    let end = 0;
    for (let count = 0; count < LONGEST && end < text.length; count += 1) end += codeAt(text, end) > 0xffff ? 2 : 1;
    return slice(text, 0, end);
  };

  /** @param {Element} element */
  const opening = (element) => {
    const node = view.first(element);
    if (!node || (textOf(node) === null && !kindOf(node))) return "";
    let text = "";
    view.walk(element, (descendant) => {
      const piece = textOf(descendant);
      text += piece ?? "";
      return piece === null ? null : false;
    });
    return strip(firstCharacters(relative(withoutUnseen(text))));
  };

  /** @type {Keys["nodes"]} */
  const nodes = (roots, most = Infinity) => {
    /** @type {{element: Element, key: string | null, tag: string}[]} */
    const entries = [];
    const taken = new Set();
    let end = most;
    /** @param {Node} node */
    const enter = (node) => {
      if (!isElement(node)) return false;
      if (entries.length >= end) return null;
      const tag = tagOf(node);
      if (isUntouched(tag)) return false;
      const key = keyOf.get(node);
      if (key !== undefined) taken.add(key);
      entries[entries.length] = { element: node, key: key ?? null, tag };
      return true;
    };
    for (let i = 0; i < roots.length; i += 1) {
      const body = view.bodyOf(roots[i]);
      end = entries.length + most;
      if (body) view.walk(body, enter);
    }
    const number = numbering(taken);
    for (let i = 0; i < entries.length; i += 1) {
      const entry = entries[i];
      if (entry.key !== null) continue;
      const address = relative(attribute(entry.element, "href") || "");
      entry.key = number(`${entry.tag} ${opening(entry.element)} ${address}`, "");
      keyOf.set(entry.element, entry.key);
    }
    return /** @type {KeyedNode[]} */ (entries);
  };

  return { controls, nodes, inner, place, clean };
};
