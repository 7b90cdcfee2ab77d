// Noise: the page shows the same text with more nodes, split texts, renamed ids, and decoys.
// Noise is added at the recorder's first read, after the page has settled, and at each later read to elements that were
// added since. Without reads it is added by a timer, later than a read would come. Templates are compiled and
// components hydrated by then.

import { makeCopies } from "./copies.js";
import { makeCut } from "./noise_cuts.js";
import { makeNoiseDecoys } from "./noise_decoys.js";
import { makeNoiseNames } from "./noise_names.js";
import { makeNoiseTexts } from "./noise_texts.js";

/** @import { Narrowing, Runtime } from "../page/runtime.js" */
/** @import { DecoyWish } from "./noise_decoys.js" */
/** @import { TextWish } from "./noise_texts.js" */

/**
 * An element without noise so far, with the operators that act on it.
 *
 * @typedef {{element: Element, key: string, operators: string[]}} FreshNode
 */
/**
 * Planned changes of texts, decoys and classes.
 *
 * @typedef {object} Wishes
 * @property {(TextWish & {key: string})[]} texts
 * @property {(DecoyWish & {key: string})[]} decoys
 * @property {{element: Element, key: string}[]} dress
 */

/**
 * @typedef {object} NoiseRule
 * @property {string} mode
 * @property {[number, number]} rule - Words of the mode's draws.
 * @property {Narrowing | null} allowed - Injections allowed in a search for a cause, by operator and element key; null:
 *   all.
 * @property {number} density - Share of the possible places that an operator changes.
 * @property {string[]} operators - Names of the operators, in the order of the lanes of their draws.
 * @property {boolean} tells - Whether to report each changed place, not only their number.
 */

/**
 * @param {Runtime} runtime
 * @param {NoiseRule} settings
 */
export const startNoise = (runtime, settings) => {
  if (!settings.density) return;
  const { method, getter } = runtime.natives;
  const { floor } = Math;
  const wait = setTimeout;
  const { kindOf, tagOf } = runtime.view;
  const namesOf = method(Element, "getAttributeNames");
  const closest = method(Element, "closest");
  const find = method(Document, "querySelector");
  const ask = method(Document, "evaluate");
  const isTrue = getter(XPathResult, "booleanValue");
  const BOOLEAN = XPathResult.BOOLEAN_TYPE;
  const isConnected = getter(Node, "isConnected");

  /** @param {string} text */
  const words = (text) => new Set(text.split(" "));
  const HOLDERS = words(
    "a b button caption cite dd dt em figcaption h1 h2 h3 h4 h5 h6 label legend li p small span strong summary td th " +
      "time",
  );
  /** @type {Record<string, Set<string> | null>} */
  const TAGS = {
    wrap: HOLDERS,
    split: HOLDERS,
    widen: HOLDERS,
    comment: HOLDERS,
    hide_decoy: words("p li a h2 h3 button"),
    show_decoy: words("h1 h2 h3 h4 p button"),
    duplicate: words("a button"),
    dress: null,
  };
  // Editable elements submit their contents, and cloaked ones are not compiled yet.
  const CLOSED = "[contenteditable]:not([contenteditable=false]), [v-cloak], [x-cloak], [ng-cloak]";
  // A template that is not compiled yet has attributes such as `@click`, `:value`, `v-if` or `x-data`.
  const BINDS = `//@*[${["@", ":", "v-", "x-"].map((start) => `starts-with(name(), "${start}")`).join(" or ")}]`;
  // Longer than the recorder waits for a page to settle (at most 2 s), so that its read comes first.
  const PATIENCE_MS = 2500;
  // Only this many elements of a root are changed, so that a large page stays responsive. A time limit would make the
  // changes depend on the machine's speed.
  const MOST = 8000;
  const WITHIN = 16;

  const done = new WeakSet();
  const copies = makeCopies(runtime, done);
  const names = makeNoiseNames(runtime, copies);
  const texts = makeNoiseTexts(runtime, copies, makeCut());
  const decoys = makeNoiseDecoys(runtime, copies, names.isScripted);
  const lanes = new Map();
  for (let i = 0; i < settings.operators.length; i += 1) lanes.set(settings.operators[i], i);
  const acting = Object.keys(TAGS).filter((operator) => lanes.has(operator));
  let [isFresh, isWaiting, isLoaded] = [true, false, false];

  /** @param {string} key @param {number} lane */
  const drawn = (key, lane) => runtime.draw(settings.rule, key, 0, lane);
  /** @param {string} operator @param {string} key */
  const acts = (operator, key) =>
    drawn(key, lanes.get(operator)) < settings.density && runtime.lets(settings.allowed, `${operator} ${key}`, 0);
  // Choices of an operator have their own lanes, independent of whether it acts.
  /** @param {string} operator @param {string} key @param {number} number */
  const within = (operator, key, number) => drawn(key, WITHIN * (1 + lanes.get(operator)) + number);
  /** @param {string} operator @param {string} key */
  const placing = (operator, key) => (/** @type {number} */ number, /** @type {number} */ size) =>
    floor(within(operator, key, number) * size);
  /** @param {string} operator @param {string} key */
  const tokenOf = (operator, key) => names.token(within(operator, key, 8));

  /** @param {Element} element */
  const isBound = (element) => {
    const attrs = namesOf(element);
    for (let i = 0; i < attrs.length; i += 1) {
      const first = attrs[i][0];
      if (first === "@" || first === ":" || attrs[i].startsWith("v-") || attrs[i].startsWith("x-")) return true;
    }
    return false;
  };

  /** @type {[string, string][]} */
  const places = [];
  // The changed nodes that have not been reported yet, one entry for each change.
  /** @type {Node[]} */
  let unreported = [];
  /** @param {string} operator @param {string} key @param {Node} node */
  const happened = (operator, key, node) => {
    places[places.length] = [operator, key];
    unreported[unreported.length] = node;
  };
  // Counts only nodes that are still in the page: no read has seen the others.
  const reportCount = () => {
    let count = 0;
    for (let i = 0; i < unreported.length; i += 1) if (isConnected(unreported[i])) count += 1;
    unreported = [];
    if (count) runtime.report(settings.mode, runtime.page, "moved", count);
  };

  /** @param {string} key @param {string} tag */
  const chosen = (key, tag) => {
    const operators = [];
    for (let i = 0; i < acting.length; i += 1) {
      const open = TAGS[acting[i]];
      if ((!open || open.has(tag)) && acts(acting[i], key)) operators[operators.length] = acting[i];
    }
    return operators;
  };

  const freshNodes = () => {
    const fresh = [];
    const nodes = runtime.nodes(MOST);
    let binds;
    // Searches the whole document only if an element looks like a template, because it takes long on a large page.
    /** @param {Element} element */
    const isTemplate = (element) =>
      isBound(element) && (binds ??= isTrue(ask(document, BINDS, document, null, BOOLEAN, null)));
    const isClosed = find(document, CLOSED)
      ? (/** @type {Element} */ element) => closest(element, CLOSED) !== null
      : () => false;
    for (let i = 0; i < nodes.length; i += 1) {
      const { element, key } = nodes[i];
      if (done.has(element)) continue;
      const operators = chosen(key, tagOf(element));
      if (operators.length && (isTemplate(element) || isClosed(element))) continue;
      done.add(element);
      if (operators.length) fresh[fresh.length] = { element, key, operators };
    }
    return fresh;
  };

  /** @type {(nodes: FreshNode[]) => Wishes} */
  const wishesFor = (nodes) => {
    /** @type {Wishes} */
    const wishes = { texts: [], decoys: [], dress: [] };
    for (let i = 0; i < nodes.length; i += 1) {
      const { element, key, operators } = nodes[i];
      /** @type {Record<string, boolean>} */
      const does = { wrap: false, split: false, widen: false, comment: false };
      let isText = false;
      operators.forEach((/** @type {string} */ operator) => {
        if (operator in does) isText = does[operator] = true;
        else if (operator === "dress") wishes.dress.push({ element, key });
        else {
          // Our nodes get such a class as often as the site's, so that it does not identify them.
          const token = () => (within(operator, key, 7) < settings.density ? tokenOf(operator, key) : null);
          wishes.decoys.push({
            element,
            key,
            operator: /** @type {DecoyWish["operator"]} */ (operator),
            place: placing(operator, key),
            token,
          });
        }
      });
      /** @param {string} operator @param {number} number @param {number} size */
      const place = (operator, number, size) => placing(operator, key)(number, size);
      if (isText) wishes.texts.push({ element, key, does, place });
    }
    return wishes;
  };

  /** @param {Wishes["dress"]} wishes */
  const dress = (wishes) => {
    for (let i = 0; i < wishes.length; i += 1) {
      const { element, key } = wishes[i];
      names.dress(element, tokenOf("dress", key), within("dress", key, 0) < 0.5);
      happened("dress", key, element);
    }
  };

  const renameIds = () => {
    if (!lanes.has("rename_ids")) return;
    const renamed = names.rename((id) => (acts("rename_ids", id) ? tokenOf("rename_ids", id) : null));
    for (let i = 0; i < renamed.length; i += 1) happened("rename_ids", renamed[i], document);
  };

  const disturb = () => {
    isFresh = false;
    const roots = runtime.roots();
    for (let i = 0; i < roots.length; i += 1) texts.watch(roots[i]);
    const nodes = freshNodes();
    places.length = 0;
    // First read all styles, then make all changes, then check them, so that the browser computes styles and layout
    // only twice. Decoys are made before classes are added, with the site's classes.
    const wishes = wishesFor(nodes);
    const texted = texts.plan(wishes.texts);
    const decoyed = wishes.decoys.length ? decoys.plan(wishes.decoys, runtime.controls()) : [];
    texts.write(texted);
    decoys.write(decoyed);
    dress(wishes.dress);
    renameIds();
    const added = decoys.check(decoyed);
    for (let i = 0; i < added.length; i += 1) {
      const { operator, key, element } = wishes.decoys[i];
      if (added[i]) happened(operator, key, element);
    }
    const did = texts.check(texted);
    for (let i = 0; i < did.length; i += 1) {
      const { key, element } = wishes.texts[i];
      for (let j = 0; j < did[i].length; j += 1) happened(did[i][j], key, element);
    }
    if (runtime.watched) reportCount();
    if (!settings.tells) return;
    /** @type {Record<string, number>} */
    const fitted = {};
    for (let i = 0; i < places.length; i += 1) fitted[`${places[i][0]} ${places[i][1]}`] = 1;
    runtime.report(settings.mode, runtime.page, "fitted", fitted);
  };

  const guarded = runtime.guarded(() => {
    copies.check();
    texts.mend();
    if (isFresh) disturb();
  });
  const act = () => guarded(null);

  const later = () => {
    if (isWaiting || !isLoaded) return;
    isWaiting = true;
    wait(() => {
      isWaiting = false;
      act();
    }, PATIENCE_MS);
  };

  copies.onCloned(texts.adopt);
  runtime.onDrawn((element) => {
    if (kindOf(element)) return;
    copies.follow(element);
    isFresh = true;
    later();
  });
  runtime.onRead(act);
  runtime.onCount(reportCount);
  runtime.listen(["load"], () => {
    isLoaded = true;
    later();
  });
};
