// Noise: the page shows the same text with more nodes, more runs of text, other names, and decoys.
// Nothing is touched before the page's scripts have had their time: the first read of the recorder, which waits until
// the page has settled, brings the noise, and each later read brings it to what has been drawn since. Where nobody
// reads, it comes by itself, later than a read would have. Templates are compiled and components hydrated by then.

import { makeCopies } from "./copies.js";
import { makeCut } from "./noise_cuts.js";
import { makeNoiseDecoys } from "./noise_decoys.js";
import { makeNoiseNames } from "./noise_names.js";
import { makeNoiseTexts } from "./noise_texts.js";

/** @import { Narrowing, Runtime } from "./runtime.js" */
/** @import { DecoyWish } from "./noise_decoys.js" */
/** @import { TextWish } from "./noise_texts.js" */

/**
 * An element that has had no noise yet, with the operators that act at it.
 *
 * @typedef {{element: Element, key: string, operators: string[]}} FreshNode
 */
/**
 * What is to be done to texts, with decoys, and to classes.
 *
 * @typedef {object} Wishes
 * @property {(TextWish & {key: string})[]} texts
 * @property {(DecoyWish & {key: string})[]} decoys
 * @property {{element: Element, key: string}[]} dress
 */

/**
 * @typedef {object} NoiseRule
 * @property {string} mode
 * @property {[number, number]} rule - What its draws start from.
 * @property {Narrowing | null} allowed - Which operators may act at which elements where a cause is looked for; null:
 *   all. A place is called by operator and key of the element.
 * @property {number} density - Share of the places open to an operator that it changes.
 * @property {string[]} operators - Names of the operators, by the lane of their draws.
 * @property {boolean} tells - Whether to report each place, and not only their number.
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
  // Editable elements are submitted with their contents; cloaked ones are still to be compiled.
  const CLOSED = "[contenteditable]:not([contenteditable=false]), [v-cloak], [x-cloak], [ng-cloak]";
  // A template that a script is still to compile names what it binds in attributes that no element of HTML has.
  const BINDS = `//@*[${["@", ":", "v-", "x-"].map((start) => `starts-with(name(), "${start}")`).join(" or ")}]`;
  // The recorder waits 2 s at most for a page to settle. Where there is one, its read decides when.
  const PATIENCE_MS = 2500;
  // Of a larger page only the beginning is disturbed: it must not stand still, nor may it depend on how fast it is.
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
  // Independent of whether the operator acts: each has lanes of its own for what it chooses.
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
  // What was changed of the page since a read, by the node that it was done to.
  /** @type {Node[]} */
  let untold = [];
  /** @param {string} operator @param {string} key @param {Node} node */
  const happened = (operator, key, node) => {
    places[places.length] = [operator, key];
    untold[untold.length] = node;
  };
  // What a page has replaced by then, no read has seen: it was not delivered.
  const tell = () => {
    let count = 0;
    for (let i = 0; i < untold.length; i += 1) if (isConnected(untold[i])) count += 1;
    untold = [];
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
    // To ask the whole document takes long on a large page, and few pages have an element that looks like it.
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
          // As many of ours bear such a class as of the site's.
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
    // First all questions about looks, then all changes, then what has come of them: the browser works out styles and
    // layout once. Decoys are made before the page is dressed, with the classes that it had.
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
    if (runtime.watched) tell();
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
  runtime.onCount(tell);
  runtime.listen(["load"], () => {
    isLoaded = true;
    later();
  });
};
