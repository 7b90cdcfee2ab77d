// The accessibility tree of a document, by functions of Playwright: what `locator("body").aria_snapshot()` says.
/** @typedef {(roots: (Document | ShadowRoot)[]) => {text: string, edited: boolean} | null} TreeOf */
/** @typedef {Record<string | symbol, unknown>} Box - Whether an element is seen, its layout and its pointer. */
/**
 * @param {(element: Element) => Box} boxOf
 * @param {(body: Element) => string} write - Writes the tree of an element.
 * @returns {{boxOf: (element: Element) => Box, treeOf: TreeOf}} - `boxOf` measures when it is asked. `treeOf` takes the
 *   document and its shadow roots; null: Playwright is to be asked. `edited`: whether
 *   anything is an editor, whose content Playwright leaves out.
 */
(boxOf, write) => {
  "use strict";
  // The tree asks for every box, and reads only those of generic elements.
  /** @type {(element: Element) => Box} */
  const lazily = (element) => {
    /** @type {Box | undefined} */
    let box;
    return new Proxy({}, { get: (_, name) => (box ??= boxOf(element))[name] });
  };
  /** @type {(element: Element) => boolean} */
  const isEditor = (element) => /** @type {HTMLElement} */ (element).isContentEditable;
  /** @type {TreeOf} */
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
