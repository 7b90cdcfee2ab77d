// The accessibility tree of a document, by functions of Playwright: what `locator("body").aria_snapshot()` says.
/**
 * @param {(element: Element) => any} boxOf - Whether an element is seen, how it is laid out, and its pointer.
 * @param {(body: Element) => string} write - Writes the tree of an element.
 * @returns {{boxOf: (element: Element) => any, treeOf: (roots: any[]) => {text: string, edited: boolean} | null}}
 *   `boxOf` measures when it is asked. `treeOf` takes the document and its shadow roots; null: Playwright is to be
 *   asked. `edited`: whether anything is an editor, whose content Playwright leaves out.
 */
(boxOf, write) => {
  "use strict";
  // The tree asks for every box, and reads only those of generic elements.
  /** @type {(element: Element) => any} */
  const lazily = (element) => {
    /** @type {any} */
    let box;
    return new Proxy({}, { get: (_, name) => (box ??= boxOf(element))[name] });
  };
  /** @type {(element: any) => boolean} */
  const isEditor = (element) => element.isContentEditable;
  /** @type {(roots: any[]) => {text: string, edited: boolean} | null} */
  const treeOf = (roots) => {
    try {
      const bodies = roots.flatMap((root) => [...root.querySelectorAll("body")]);
      // Playwright waits for a body, and refuses to choose among several.
      if (bodies.length !== 1 || bodies[0] !== document.body) return null;
      const text = write(document.body);
      // Playwright's protocol cannot carry half of a character.
      if (!text.isWellFormed() || /\\u[dD][89a-fA-F]/.test(text)) return null;
      return { text, edited: roots.some((root) => [...root.querySelectorAll("*")].some(isEditor)) };
    } catch {
      return null;
    }
  };
  return { boxOf: lazily, treeOf };
}
