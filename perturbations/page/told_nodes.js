// What is not as the site made it, told to the recorder by numbers that stressweb/html/notes.js explains.
/**
 * @typedef {() => string} TellNodes - Returns the members of a JSON object: the nodes of each root, by their numbers.
 */
/**
 * @param {Natives} natives
 * @param {SiteView} view
 * @param {Changes} changes
 * @returns {TellNodes}
 */
(natives, view, changes) => {
  "use strict";
  const { method, getter } = natives;
  const { stringify } = JSON;
  const { keys: keysOf } = Object;
  const walkerOf = method(Document, "createTreeWalker");
  const nextOf = method(TreeWalker, "nextNode");
  const shadowOf = getter(Element, "shadowRoot");

  // Written piece by piece: a script of the page may have given objects a `toJSON`.
  const toldAs = ({ kind, was, text }) => {
    let said = `{"kind":"${kind}"`;
    if (text !== undefined) said += `,"text":${stringify(text)}`;
    const names = was ? keysOf(was) : [];
    for (let at = 0; at < names.length; at += 1) {
      said += `${at ? "," : ',"was":{'}${stringify(names[at])}:${stringify(was[names[at]])}`;
    }
    return `${said}${names.length ? "}" : ""}}`;
  };

  return () => {
    if (!changes.any()) return '"":{}';
    const ways = [{ root: document, way: "" }];
    let text = "";
    // The list grows while it is gone through: a root may have further roots in it.
    for (let at = 0; at < ways.length; at += 1) {
      const { root, way } = ways[at];
      const walker = walkerOf(document, root);
      let found = "";
      for (let number = 0, node = nextOf(walker); node; number += 1, node = nextOf(walker)) {
        const told = changes.toldOf(node);
        if (told) found += `${found && ","}"${number}":${toldAs(told)}`;
        const inner = view.isElement(node) ? shadowOf(node) : null;
        if (inner) ways[ways.length] = { root: inner, way: `${way && `${way} `}${number}` };
      }
      text += `${text && ","}"${way}":{${found}}`;
    }
    return text;
  };
}
