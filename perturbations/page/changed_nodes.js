// Reports all nodes that differ from the site's markup to the recorder; stressweb/html/notes.js explains the numbers.

/** @import { Changes, ToldNode } from "./changes.js" */
/** @import { Natives } from "./natives.js" */
/** @import { SiteView } from "./site_view.js" */

/**
 * @typedef {() => string} ChangedNodes - Returns the members of a JSON object: the nodes of each root, by their
 *   numbers.
 */
/**
 * @param {Natives} natives
 * @param {SiteView} view
 * @param {Changes} changes
 * @returns {ChangedNodes}
 */
export const makeChangedNodes = (natives, view, changes) => {
  const { method, getter } = natives;
  const { stringify } = JSON;
  const { keys: keysOf } = Object;
  const walkerOf = method(Document, "createTreeWalker");
  const nextOf = method(TreeWalker, "nextNode");
  const shadowOf = getter(Element, "shadowRoot");
  const hostOf = getter(ShadowRoot, "host");
  const rootOf = method(Node, "getRootNode");
  const typeOf = getter(Node, "nodeType");
  const isConnected = getter(Node, "isConnected");

  // Serialised piece by piece, because a script of the page may have added a `toJSON` to objects.
  /** @type {(difference: ToldNode) => string} */
  const serialised = ({ kind, was, text }) => {
    let json = `{"kind":"${kind}"`;
    if (text !== undefined) json += `,"text":${stringify(text)}`;
    const names = was ? keysOf(was) : [];
    for (let i = 0; was && i < names.length; i += 1) {
      json += `${i ? "," : ',"was":{'}${stringify(names[i])}:${stringify(was[names[i]])}`;
    }
    return `${json}${names.length ? "}" : ""}}`;
  };

  // The nodes to number in each root: changed nodes, and hosts of roots with changed nodes.
  /** @param {Node[]} nodes */
  const wantedIn = (nodes) => {
    const wanted = new Map();
    /** @param {Node} node */
    const want = (node) => {
      const root = rootOf(node);
      if (!wanted.has(root)) {
        wanted.set(root, new Set());
        const host = typeOf(root) === 11 ? hostOf(root) : null;
        // The recorder cannot read closed roots.
        if (host && shadowOf(host) === root) want(host);
      }
      wanted.get(root).add(node);
    };
    for (let i = 0; i < nodes.length; i += 1) if (isConnected(nodes[i])) want(nodes[i]);
    return wanted;
  };

  return () => {
    const wanted = wantedIn(changes.changedNodes());
    if (!wanted.has(document)) return '"":{}';
    const ways = [{ root: document, way: "" }];
    let text = "";
    // The list grows during the loop, because a root may contain further roots.
    for (let i = 0; i < ways.length; i += 1) {
      const { root, way } = ways[i];
      const nodes = wanted.get(root);
      const walker = walkerOf(document, root);
      let entries = "";
      let remaining = nodes.size;
      // Stops after the last changed node, because only the beginning of a large page is changed.
      for (let number = 0, node = nextOf(walker); node && remaining; number += 1, node = nextOf(walker)) {
        if (!nodes.has(node)) continue;
        remaining -= 1;
        const difference = changes.differenceOf(node);
        if (difference) entries += `${entries && ","}"${number}":${serialised(difference)}`;
        const inner = view.isElement(node) ? shadowOf(node) : null;
        if (inner && wanted.has(inner)) ways[ways.length] = { root: inner, way: `${way && `${way} `}${number}` };
      }
      text += `${text && ","}"${way}":{${entries}}`;
    }
    return text;
  };
};
