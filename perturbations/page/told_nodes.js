// What is not as the site made it, told to the recorder by numbers that stressweb/html/notes.js explains.

/** @import { Changes, ToldNode } from "./changes.js" */
/** @import { Natives } from "./natives.js" */
/** @import { SiteView } from "./site_view.js" */

/**
 * @typedef {() => string} TellNodes - Returns the members of a JSON object: the nodes of each root, by their numbers.
 */
/**
 * @param {Natives} natives
 * @param {SiteView} view
 * @param {Changes} changes
 * @returns {TellNodes}
 */
export const makeNodeTeller = (natives, view, changes) => {
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

  // Serialised piece by piece: a script of the page may have added a `toJSON` to objects.
  /** @type {(difference: ToldNode) => string} */
  const toldAs = ({ kind, was, text }) => {
    let json = `{"kind":"${kind}"`;
    if (text !== undefined) json += `,"text":${stringify(text)}`;
    const names = was ? keysOf(was) : [];
    for (let i = 0; was && i < names.length; i += 1) {
      json += `${i ? "," : ',"was":{'}${stringify(names[i])}:${stringify(was[names[i]])}`;
    }
    return `${json}${names.length ? "}" : ""}}`;
  };

  // The nodes that are to be numbered in each root: those that the answer is about, and hosts of roots with such nodes.
  /** @param {Node[]} nodes */
  const wantedIn = (nodes) => {
    const wanted = new Map();
    /** @param {Node} node */
    const want = (node) => {
      const root = rootOf(node);
      if (!wanted.has(root)) {
        wanted.set(root, new Set());
        const host = typeOf(root) === 11 ? hostOf(root) : null;
        // No recorder gets into a root that is closed.
        if (host && shadowOf(host) === root) want(host);
      }
      wanted.get(root).add(node);
    };
    for (let i = 0; i < nodes.length; i += 1) if (isConnected(nodes[i])) want(nodes[i]);
    return wanted;
  };

  return () => {
    const wanted = wantedIn(changes.told());
    if (!wanted.has(document)) return '"":{}';
    const ways = [{ root: document, way: "" }];
    let text = "";
    // The list grows while it is gone through: a root may have further roots in it.
    for (let i = 0; i < ways.length; i += 1) {
      const { root, way } = ways[i];
      const nodes = wanted.get(root);
      const walker = walkerOf(document, root);
      let entries = "";
      let left = nodes.size;
      // No further than to the last one: a large page is changed at its beginning alone.
      for (let number = 0, node = nextOf(walker); node && left; number += 1, node = nextOf(walker)) {
        if (!nodes.has(node)) continue;
        left -= 1;
        const difference = changes.toldOf(node);
        if (difference) entries += `${entries && ","}"${number}":${toldAs(difference)}`;
        const inner = view.isElement(node) ? shadowOf(node) : null;
        if (inner && wanted.has(inner)) ways[ways.length] = { root: inner, way: `${way && `${way} `}${number}` };
      }
      text += `${text && ","}"${way}":{${entries}}`;
    }
    return text;
  };
};
