// What of the document is ours, and what the site wrote where we changed what is its own.

/** @import { Natives } from "./natives.js" */
/** @import { KindOf } from "./site_view.js" */

/**
 * How a node differs from what the site wrote, for the recorder (stressweb/html/notes.js): a node that we added, or a
 * node of the site that we changed. `was` has the site's values of changed attributes (null: there was none), and
 * `text` the site's text.
 *
 * @typedef {object} ToldNode
 * @property {"added" | "wrapper" | "rewritten"} kind
 * @property {Record<string, string | null>} [was]
 * @property {string} [text]
 */
/**
 * @typedef {object} Changes
 * @property {() => Node[]} told - All nodes that differ from the site's markup, also those outside the document.
 * @property {KindOf} kindOf - What a node of ours is.
 * @property {(node: Node, kind: "added" | "wrapper") => void} own - Makes a node known as one of ours.
 * @property {(node: Node) => void} disown - Registers a node as the site's, because the page has taken it over.
 * @property {(node: Node, site: {was?: Record<string, string | null>, text?: string}) => void} changed - Makes known
 *   what a node of the site was before a change of ours. To be called right behind the change.
 * @property {(node: Node) => ToldNode | undefined} toldOf - Returns how a node differs from what the site wrote;
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
  // Weak, so that what the page has thrown away is not kept for our sake.
  /** @type {WeakRef<Node>[]} */
  let listed = [];
  /** @param {Node} node */
  const list = (node) => (listed[listed.length] = new Weak(node));

  // The first value is the site's, and stays so through further changes of ours. If the page has written since, what it
  // wrote is the site's.
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
      list(node);
    }
    const site = sites.get(node);
    const names = keysOf(was);
    for (let i = 0; i < names.length; i += 1) {
      const name = names[i];
      site.was[name] = recorded(site.was[name], was[name], attribute(node, name));
    }
    if (text !== undefined) site.text = recorded(site.text, text, dataOf(node));
  };

  /** @type {Changes["toldOf"]} */
  const toldOf = (node) => {
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

  const told = () => {
    const nodes = [];
    const alive = [];
    for (let i = 0; i < listed.length; i += 1) {
      const node = deref(listed[i]);
      if (!node) continue;
      alive[alive.length] = listed[i];
      if (toldOf(node)) nodes[nodes.length] = node;
    }
    listed = alive;
    return nodes;
  };

  return {
    kindOf: (node) => kinds.get(node),
    told,
    own: (node, kind) => {
      if (!kinds.has(node)) list(node);
      kinds.set(node, kind);
    },
    disown: (node) => kinds.delete(node),
    changed,
    toldOf,
  };
};
