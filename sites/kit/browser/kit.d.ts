// For the TypeScript compiler, which checks the scripts of the kit: what they share.
import type { ElementTree } from "./draw.js";
import type { Kit } from "./ready.js";

/** What sites that draw their pages in the browser have in addition; elsewhere, all of it is missing. */
interface Drawing {
  /** Replaces the current page by another one; `isNew`: its address differs. */
  draw(page: ElementTree, isNew: boolean): void;
  /** Returns a page as a document that is not shown. */
  made(page: ElementTree): Document;
  /** Marks an element whose content was replaced. */
  lost(element: Element): void;
  /** Handles the forms in a root. */
  hear(root: Document | ShadowRoot): void;
}

/** The element with this tag name. */
export type ElementOf<T extends keyof HTMLElementTagNameMap> = HTMLElementTagNameMap[T];
/** What a site answers to an action whose script requests JSON: whether it was performed, and the messages. */
export type ActionAnswer = { done: boolean; said: string[] };

declare global {
  var kit: Kit & Drawing;
}
