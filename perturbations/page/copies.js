// Copies of what is ours: what the page copies, or reads as markup and writes back, stays known as what it is.
// A clone is followed node by node. Markup has no memory: there a copy is known by its own markup, between neighbours
// that say the same. One whose neighbours the page rewrote in between is taken for the page's own.

/** @import { Runtime } from "./runtime.js" */

/**
 * What is known of an element of ours.
 *
 * @typedef {Made & {markup: string, says: string}} Known
 */

/**
 * @typedef {object} Made
 * @property {"added" | "wrapper"} kind
 * @property {"between" | "behind" | "before"} stands - Which of its neighbours tells its place from others: both, the
 *   one in front of it, or the one after it.
 * @property {Keyframe | null} look - What it wears.
 * @property {(copy: Element) => void} [copied] - Called for each copy.
 * @property {(element: Element) => void} [released] - Called when the page has taken it over.
 */
/**
 * @typedef {object} Copies
 * @property {(element: Element, made: Made, worn?: () => void) => void} register - Registers an element of ours once it
 *   has its place and its final form, and gives it its look; `worn` takes off one that it already has.
 * @property {(node: Text, site: string) => void} rewrote - Makes a changed text known, and what the site wrote.
 * @property {(element: Element, name: string, site: string | null) => void} dressed - The same for an attribute whose
 *   new value stands nowhere else.
 * @property {(drawn: Element) => void} follow - Looks for copies in what the page has drawn.
 * @property {() => void} check - Releases elements that the page has taken over: an update that compares trees may
 *   reuse an element of ours.
 * @property {(heard: (copied: Map<Node, Node>) => void) => void} onCloned - Calls `heard` for each clone of something
 *   of ours, with all its nodes by their originals.
 */

/**
 * @param {Runtime} runtime
 * @param {WeakSet<Element>} done - Elements that have had their share of noise; copies of them are added.
 * @returns {Copies}
 */
export const makeCopies = (runtime, done) => {
  const { method, getter } = runtime.natives;
  const { kindOf, attribute, isElement, tagOf, textOf } = runtime.view;
  const [firstOf, nextOf, previousOf, parentOf] = ["firstChild", "nextSibling", "previousSibling", "parentNode"].map(
    (name) => getter(Node, name),
  );
  const isConnected = getter(Node, "isConnected");
  const contentOf = getter(Node, "textContent");
  const typeOf = getter(Node, "nodeType");
  const documentOf = getter(Node, "ownerDocument");
  const markupOf = getter(Element, "outerHTML");
  const namesOf = method(Element, "getAttributeNames");
  const LONGEST = 200;
  // Tag names of our elements: the markup of others, which may be long, need not be read.
  const TAGS = new Set(["span", "a", "button"]);

  const infos = new WeakMap();
  const looks = new WeakMap();
  const [markups, places, texts, values] = [new Set(), new Map(), new Map(), new Map()];
  /** @type {((copied: Map<Node, Node>) => void)[]} */
  const heard = [];
  /** @type {Element[]} */
  let live = [];
  let some = false;

  // Comments are not part of an element's text.
  /** @param {Node} node */
  const isWritten = (node) => typeOf(node) === 3 || typeOf(node) === 4;
  // The first characters of a node's text, without blanks around it. Reads no further, because the text
  // beside a node may be half the page.
  /** @param {Node} root */
  const beginning = (root) => {
    if (!firstOf(root)) return contentOf(root).trim().slice(0, LONGEST);
    let text = "";
    for (let node = firstOf(root); node; ) {
      const piece = isWritten(node) ? contentOf(node) : "";
      text = text ? text + piece : piece.trimStart();
      // A blank may be the last one: then it does not count.
      if (text.length > LONGEST && text.trimEnd().length >= LONGEST) break;
      let next = firstOf(node);
      while (!next && node && node !== root) {
        next = nextOf(node);
        if (!next) node = parentOf(node);
      }
      node = node === root ? null : next;
    }
    return text.trim().slice(0, LONGEST);
  };
  // A node's visible neighbour on a side; empty texts do not survive as markup.
  /** @param {Node} node @param {(node: Node) => Node | null} side */
  const neighbour = (node, side) => {
    let beside = side(node);
    while (beside && textOf(beside)?.trim() === "") beside = side(beside);
    if (!beside) return "";
    return `${isElement(beside) ? tagOf(beside) : ""}:${beginning(beside)}`;
  };
  // Names of a node's place, by its neighbours.
  /** @param {Node} node @param {string} markup */
  const placesOf = (node, markup) => {
    const holder = parentOf(node);
    const around = holder && isElement(holder) ? tagOf(holder) : "";
    const [before, behind] = [neighbour(node, previousOf), neighbour(node, nextOf)];
    return {
      between: `${around}|${before}|${behind}|${markup}`,
      behind: `${around}|<|${before}|${markup}`,
      before: `${around}|>|${behind}|${markup}`,
    };
  };

  /** @param {Element} element @param {Known} info */
  const know = (element, info) => {
    infos.set(element, info);
    live[live.length] = element;
    some = true;
  };

  /** @type {Copies["register"]} */
  const register = (element, info, worn) => {
    const whole = { ...info, markup: markupOf(element), says: contentOf(element) };
    if (info.look) looks.set(element, worn ?? runtime.wear(element, info.look));
    know(element, whole);
    markups.add(whole.markup);
    places.set(placesOf(element, whole.markup)[whole.stands], whole);
  };

  /** @param {Element} copy @param {Known} info */
  const take = (copy, info) => {
    runtime.own(copy, info.kind);
    if (info.look && !looks.has(copy)) looks.set(copy, runtime.wear(copy, info.look));
    info.copied?.(copy);
    know(copy, info);
    const holder = parentOf(copy);
    if (holder && isElement(holder)) done.add(holder);
  };

  /** @param {Element} element */
  const findElement = (element) => {
    if (values.size) {
      const names = namesOf(element);
      for (let i = 0; i < names.length; i += 1) {
        const known = values.get(`${names[i]} ${attribute(element, names[i])}`);
        if (known === undefined) continue;
        runtime.changed(element, { was: { [names[i]]: known } });
        done.add(element);
      }
    }
    const markup = TAGS.has(tagOf(element)) ? markupOf(element) : "";
    if (!markups.has(markup)) return;
    const { between, behind, before } = placesOf(element, markup);
    const info = places.get(between) ?? places.get(behind) ?? places.get(before);
    if (info) take(element, info);
  };

  /** @param {Node} node */
  const find = (node) => {
    const data = textOf(node);
    if (data === null) {
      if (isElement(node)) findElement(node);
    } else if (texts.has(data)) runtime.changed(node, { text: texts.get(data) });
  };

  // Walks all nodes, ours and the site's, without recursion.
  /** @param {Node} root @param {(node: Node) => void} see */
  const walk = (root, see) => {
    for (let node = root; node; ) {
      see(node);
      let next = firstOf(node);
      while (!next && node !== root) {
        next = nextOf(node);
        if (!next) node = parentOf(node);
      }
      node = next;
    }
  };

  /** @type {Copies["follow"]} */
  const follow = (drawn) => {
    if (!some) return;
    walk(drawn, (/** @type {Node} */ node) => kindOf(node) || runtime.toldOf(node) || find(node));
  };

  /** @param {Node} source @param {Node} copy */
  const cloned = (source, copy) => {
    const copied = new Map();
    /** @type {Node[]} */
    const originals = [];
    walk(source, (/** @type {Node} */ node) => (originals[originals.length] = node));
    let i = 0;
    walk(copy, (/** @type {Node} */ node) => {
      copied.set(originals[i], node);
      i += 1;
    });
    copied.forEach((node, original) => {
      const difference = runtime.toldOf(original);
      if (infos.has(original)) take(node, infos.get(original));
      else if (difference?.kind === "rewritten") runtime.changed(node, difference);
      else if (difference) runtime.own(node, difference.kind);
      if (done.has(original)) done.add(node);
    });
    for (let j = 0; j < heard.length; j += 1) heard[j](copied);
  };

  const tell = runtime.guarded(({ source, copy, deep }) => {
    // What a template holds belongs to a document of its own, in which nothing is ours.
    if (some && deep && documentOf(source) === document) cloned(source, copy);
  });
  runtime.mask(Node.prototype, "cloneNode", (self, args, copy) => tell({ source: self, copy, deep: args[0] }));
  runtime.mask(Document.prototype, "importNode", (_self, args, copy) => {
    tell({ source: args[0], copy, deep: args[1] });
  });

  // Scripts change attributes of all links or spans at once; one that makes something else of an element also changes
  // what it says. Words are exchanged in wrappers too, whose words are the site's.
  /** @param {Element} element @param {Known} info */
  const isOurs = (element, info) =>
    contentOf(element) === info.says || (info.kind === "wrapper" && !namesOf(element).length);

  const check = () => {
    const alive = [];
    for (let i = 0; i < live.length; i += 1) {
      const element = live[i];
      if (!isConnected(element)) continue;
      if (isOurs(element, infos.get(element))) alive[alive.length] = element;
      else release(element);
    }
    live = alive;
  };
  /** @param {Element} element */
  const release = (element) => {
    const info = infos.get(element);
    infos.delete(element);
    runtime.disown(element);
    info.released?.(element);
    looks.get(element)?.();
  };

  return {
    register,
    rewrote: (node, site) => {
      texts.set(textOf(node), site);
      some = true;
    },
    dressed: (element, name, site) => {
      values.set(`${name} ${attribute(element, name)}`, site);
      some = true;
    },
    follow,
    check,
    onCloned: (act) => (heard[heard.length] = act),
  };
};
