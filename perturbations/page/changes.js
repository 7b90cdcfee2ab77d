// Our changes to the document: the nodes that we added, and the original attributes and texts of nodes that we changed.

/** @import { Natives } from "./natives.js" */
/** @import { KindOf } from "./site_view.js" */

/**
 * How a node differs from the site's markup, for the recorder (stressweb/html/notes.js): we added it, or we changed it.
 * `was` has the site's values of changed attributes (null: none), and `text` the site's text.
 *
 * @typedef {object} ToldNode
 * @property {"added" | "wrapper" | "rewritten"} kind
 * @property {Record<string, string | null>} [was]
 * @property {string} [text]
 */
/**
 * @typedef {object} Changes
 * @property {() => Node[]} changedNodes - All nodes that differ from the site's markup, also those outside the
 *   document.
 * @property {KindOf} kindOf - The kind of a node of ours; undefined for a node of the site.
 * @property {(node: Node, kind: "added" | "wrapper") => void} own - Registers a node as ours.
 * @property {(node: Node) => void} disown - Registers a node as the site's, because the page has taken it over.
 * @property {(node: Node, site: {was?: Record<string, string | null>, text?: string}) => void} changed - Registers the
 *   site's attributes and text of a node that we changed. Call it right after the change.
 * @property {(node: Node) => ToldNode | undefined} differenceOf - Returns how a node differs from the site's markup;
 *   undefined if it does not, or if the page has overwritten our change.
 */
/**
 * @param {Natives} natives
 * @returns {Changes}
 */
export const makeChanges = (natives) => {
  const { method, getter } = natives;
  const { keys: keysOf } = Object;
  const Weak = WeakRef;
  const deref = method(WeakRef, "deref");
  const attribute = method(Element, "getAttribute");
  const dataOf = getter(CharacterData, "data");
  const kinds = new WeakMap();
  const sites = new WeakMap();
  // Weak references, so that we do not keep alive what the page has discarded.
  /** @type {WeakRef<Node>[]} */
  let tracked = [];
  /** @param {Node} node */
  const track = (node) => (tracked[tracked.length] = new Weak(node));

  // The value before our first change is the site's. If the page has written since, its new value is the site's.
  /**
   * @param {{site: string | null, ours: string | null} | undefined} known
   * @param {string | null} before
   * @param {string | null} now
   */
  const recorded = (known, before, now) => ({ site: known && known.ours === before ? known.site : before, ours: now });

  /** @type {Changes["changed"]} */
  const changed = (node, { was = {}, text }) => {
    if (!sites.has(node)) {
      sites.set(node, { was: {}, text: undefined });
      track(node);
    }
    const site = sites.get(node);
    const names = keysOf(was);
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i];
      site.was[name] = recorded(site.was[name], was[name], attribute(node, name));
    }
    if (text !== undefined) site.text = recorded(site.text, text, dataOf(node));
  };

  /** @type {Changes["differenceOf"]} */
  const differenceOf = (node) => {
    const kind = kinds.get(node);
    if (kind) return { kind };
    const site = sites.get(node);
    if (!site) return undefined;
    if (site.text) {
      return site.text.ours === dataOf(node) ? { kind: "rewritten", text: site.text.site } : undefined;
    }
    /** @type {Record<string, string | null>} */
    const was = {};
    /** @type {ToldNode | undefined} */
    let difference;
    const names = keysOf(site.was);
    for (let i = 0; i < names.length; i += 1) {
      const { site: before, ours } = site.was[names[i]];
      if (ours === attribute(node, names[i]) && ours !== before) {
        was[names[i]] = before;
        difference = { kind: "rewritten", was };
      }
    }
    return difference;
  };

  const changedNodes = () => {
    const nodes = [];
    const alive = [];
    for (let i = 0; i < tracked.length; i += 1) {
      const node = deref(tracked[i]);
      if (!node) continue;
      alive[alive.length] = tracked[i];
      if (differenceOf(node)) nodes[nodes.length] = node;
    }
    tracked = alive;
    return nodes;
  };

  return {
    kindOf: (node) => kinds.get(node),
    changedNodes,
    own: (node, kind) => {
      if (!kinds.has(node)) track(node);
      kinds.set(node, kind);
    },
    disown: (node) => kinds.delete(node),
    changed,
    differenceOf,
  };
};
