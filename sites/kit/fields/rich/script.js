// Replaces each rich text area by an editor, which sends its text as markup: see markup.py.
/** @import { ElementOf } from "../../browser/kit.js" */
/**
 * @typedef {object} Run
 * @property {string} text
 * @property {boolean} bold
 * @property {string} address - Target of the link that the text is; empty for none.
 */
/** @typedef {HTMLElement & {dataset: {tool: string}}} Tool */
(() => {
  "use strict";

  /** @type {<T extends keyof HTMLElementTagNameMap>(tag: T, ...inside: (Node | string)[]) => ElementOf<T>} */
  const element = (tag, ...inside) => {
    const node = document.createElement(tag);
    node.append(...inside);
    return node;
  };

  const BLOCKS = new Set(["P", "DIV", "UL", "OL", "LI", "BLOCKQUOTE", "H1", "H2", "H3", "H4", "H5", "H6"]);
  const HEADINGS = "h1, h2, h3, h4, h5, h6";

  // The text of a line as runs, each with one address (or none) and either bold or not.
  /** @type {(node: Node, bold?: boolean, address?: string) => Run[]} */
  const runsOf = (node, bold = false, address = "") => {
    if (node instanceof Text)
      return [{ text: node.data.replaceAll("\u00a0", " ").replace(/\s+/g, " "), bold, address }];
    if (!(node instanceof Element) || node.matches("script, style, template")) return [];
    if (node.localName === "br") return [{ text: "\n", bold: false, address: "" }];
    const inBold = bold || node.matches("b, strong");
    const to = node.localName === "a" ? (node.getAttribute("href") ?? "") : address;
    /** @type {Run[]} */
    const runs = [...node.childNodes].flatMap((child) => runsOf(child, inBold, to));
    // Separate the words of two blocks in one line.
    return BLOCKS.has(node.nodeName) ? [{ text: " ", bold: false, address: "" }, ...runs] : runs;
  };

  /** @type {(runs: Run[]) => Run[]} */
  const joined = (runs) =>
    runs.reduce((/** @type {Run[]} */ merged, run) => {
      const last = merged.at(-1);
      // A space has the weight of the text before it.
      const alike = last && last.address === run.address && (last.bold === run.bold || run.text === " ");
      if (alike && last.text !== "\n" && run.text !== "\n") last.text += run.text;
      else if (run.text) merged.push({ ...run });
      return merged;
    }, []);

  /** @type {(run: Run) => string} */
  const marked = ({ text, bold, address }) => {
    const [, before, words, after] = /** @type {RegExpExecArray} */ (/^(\s*)(.*?)(\s*)$/s.exec(text));
    if (!words) return text;
    const inside = bold ? `**${words}**` : words;
    return before + (address ? `[${inside}](${address})` : inside) + after;
  };

  /** @type {(nodes: Node[]) => string} */
  const line = (nodes) =>
    joined(nodes.flatMap((node) => runsOf(node)))
      .map(marked)
      .join("")
      .split("\n")
      .map((text) => text.replace(/ +/g, " ").trim())
      .join("\n")
      .trim();

  // The text of a heading or an item, without signs that people typed in addition.
  /** @type {(nodes: Node[], signs: RegExp) => string} */
  const words = (nodes, signs) => line(nodes).replace(/\s*\n\s*/g, " ").replace(signs, "");

  /** @type {(list: Element) => string[]} */
  const items = (list) =>
    [...list.childNodes].flatMap((node) => {
      if (!(node instanceof Element)) return node.textContent?.trim() ? [words([node], /^(?:[-*\u2022]\s+)+/)] : [];
      if (node.matches("ul, ol")) return items(node);
      const inner = [...node.children].filter((child) => child.matches("ul, ol"));
      const own = [...node.childNodes].filter((child) => !inner.includes(/** @type {Element} */ (child)));
      return [words(own, /^(?:[-*\u2022]\s+)+/), ...inner.flatMap(items)].filter(Boolean);
    });

  // Blocks of lines: each block element is one, and so are the nodes between two block elements.
  /** @type {(node: Node) => string[]} */
  const blocks = (node) => {
    /** @type {string[]} */
    const texts = [];
    /** @type {Node[]} */
    let loose = [];
    const end = () => {
      const text = line(loose);
      if (text) texts.push(text);
      loose = [];
    };
    for (const child of node.childNodes) {
      // A block may be inside another element, such as a pasted section.
      const holds = child instanceof Element && child.querySelector([...BLOCKS].join(","));
      if (!(child instanceof Element) || (!BLOCKS.has(child.nodeName) && !holds)) {
        loose.push(child);
        continue;
      }
      end();
      if (child.nodeName === "UL" || child.nodeName === "OL") {
        const lines = items(child);
        if (lines.length) texts.push(lines.map((text) => `- ${text}`).join("\n"));
      } else if (child.matches(HEADINGS)) {
        const heading = words([...child.childNodes], /^(?:#{1,6}\s+)+/);
        if (heading) texts.push(`# ${heading}`);
      } else texts.push(...blocks(child));
    }
    end();
    return texts;
  };

  // The reverse, for the initial text: turns the markup of a line into nodes.
  /** @type {(line: string) => (string | HTMLElement)[]} */
  const laidOut = (line) =>
    line.split(/(\*\*\S(?:[^*\n]*\S)?\*\*|\[[^\]\n]+\]\((?:https?:\/\/|mailto:)[^)\s]+\))/).map((piece, index) => {
      if (index % 2 === 0) return piece;
      if (piece.startsWith("**")) return element("strong", ...laidOut(piece.slice(2, -2)));
      const [, text, address] = /** @type {RegExpExecArray} */ (/^\[(.*)\]\((.*)\)$/s.exec(piece));
      const link = element("a", ...laidOut(text));
      link.setAttribute("href", address);
      return link;
    });

  /** @type {(text: string) => HTMLElement} */
  const block = (text) => {
    const lines = text.split("\n");
    if (lines.every((line) => line.startsWith("- ")))
      return element("ul", ...lines.map((line) => element("li", ...laidOut(line.slice(2)))));
    if (text.startsWith("# ")) return element("h2", ...laidOut(text.slice(2)));
    return element("p", ...lines.flatMap((line, index) => (index ? [element("br"), ...laidOut(line)] : laidOut(line))));
  };

  // The element of an editor around the cursor that matches a selector.
  /** @type {(editor: Element, selector: string) => Element | null} */
  const around = (editor, selector) => {
    const node = /** @type {Selection} */ (getSelection()).focusNode;
    const match = (node instanceof Element ? node : node?.parentElement)?.closest(selector);
    return match && match !== editor && editor.contains(match) ? match : null;
  };

  // The matching elements that the selection touches.
  /** @type {(editor: Element, selector: string) => Element[]} */
  const touched = (editor, selector) => {
    const range = /** @type {Selection} */ (getSelection()).getRangeAt(0);
    const inside = [...editor.querySelectorAll(selector)].filter((node) => range.intersectsNode(node));
    const focused = around(editor, selector);
    return inside.length || !focused ? inside : [focused];
  };

  // Puts every line into a block: around lines without a block, Chromium would nest headings.
  /** @type {(editor: Element) => void} */
  const blocked = (editor) => {
    document.execCommand("defaultParagraphSeparator", false, "p");
    const loose = [...editor.childNodes].some((node) => !BLOCKS.has(node.nodeName));
    if (!editor.childNodes.length) editor.append(element("p", element("br")));
    else if (loose && !around(editor, "p, div, h2, li")) document.execCommand("formatBlock", false, "p");
  };

  // Turns each selected line into a block; Chromium would put all lines into one block.
  /** @type {(editor: Element, name: string) => void} */
  const formatted = (editor, name) => {
    const selection = /** @type {Selection} */ (getSelection());
    const lines = touched(editor, "p, div, h2").filter((node) => !node.querySelector("p, div, h2, ul"));
    if (lines.length < 2) {
      document.execCommand("formatBlock", false, name);
      return;
    }
    const formattedLines = lines.map((node) => {
      selection.collapse(node, 0);
      document.execCommand("formatBlock", false, name);
      return around(editor, name);
    });
    // Keep all lines selected for the next tool.
    const [first, last] = [formattedLines.at(0), formattedLines.at(-1)];
    if (first && last) selection.setBaseAndExtent(first, 0, last, last.childNodes.length);
  };

  /** @type {(editor: Element) => void} */
  const unlisted = (editor) => {
    if (touched(editor, "li").length) document.execCommand("insertUnorderedList");
  };

  /** @type {Record<string, (holder: HTMLElement, editor: Element) => void>} */
  const tools = {
    bold: () => document.execCommand("bold"),
    list: (_holder, editor) => {
      const selection = /** @type {Selection} */ (getSelection());
      // The stored markup has no headings inside items.
      if (touched(editor, "h2").length) formatted(editor, "p");
      document.execCommand("insertUnorderedList");
      // Chromium puts the cursor at the beginning of the new item; move it to the end.
      const item = around(editor, "li");
      if (!item || !selection.isCollapsed) return;
      selection.selectAllChildren(item);
      selection.collapseToEnd();
    },
    heading: (_holder, editor) => {
      const listed = touched(editor, "li");
      // Convert one item at a time: Chromium would join them into one line.
      for (const item of listed.length > 1 ? listed : []) {
        /** @type {Selection} */
        (getSelection()).collapse(item, 0);
        document.execCommand("insertUnorderedList");
        document.execCommand("formatBlock", false, "h2");
      }
      if (listed.length > 1) return;
      unlisted(editor);
      const rest = touched(editor, "p, div").filter((node) => node.textContent.trim());
      formatted(editor, touched(editor, "h2").length && !rest.length ? "p" : "h2");
    },
    link: (holder) => {
      const address = window.prompt(holder.dataset.link, "https://");
      if (address && /^(https?:\/\/|mailto:)/.test(address)) document.execCommand("createLink", false, address);
    },
  };

  /** @type {(holder: HTMLElement) => void} */
  const edit = (holder) => {
    const area = /** @type {HTMLTextAreaElement} */ (holder.querySelector("textarea"));
    const root = /** @type {Document | ShadowRoot} */ (holder.getRootNode());
    const label = /** @type {HTMLLabelElement} */ (root.querySelector(`label[for="${area.id}"]`));
    const editor = element("div");
    const sent = element("input");
    editor.className = area.className;
    editor.contentEditable = "true";
    label.id = `${area.id}-label`;
    const attributes = { role: "textbox", "aria-multiline": "true", "aria-labelledby": label.id };
    for (const [name, value] of Object.entries(attributes)) editor.setAttribute(name, value);
    for (const name of ["aria-invalid", "aria-describedby", "lang"])
      if (area.hasAttribute(name)) editor.setAttribute(name, /** @type {string} */ (area.getAttribute(name)));
    if (area.required) editor.setAttribute("aria-required", "true");
    const text = area.value.replaceAll("\r\n", "\n").trim();
    // Begin with an empty line, or the first focus would change the page.
    editor.append(...(text ? text.split(/\n\s*\n/).map(block) : [element("p", element("br"))]));
    Object.assign(sent, { type: "hidden", name: area.name });
    const form = /** @type {HTMLFormElement} */ (area.form);
    editor.id = area.id;
    area.replaceWith(editor, sent);
    const group = /** @type {HTMLElement} */ (holder.querySelector("[role=group]"));
    group.hidden = false;
    editor.addEventListener("focus", () => blocked(editor));
    editor.addEventListener("input", () => blocked(editor));
    // Keep the selection while a tool is pressed.
    group.addEventListener("mousedown", (event) => event.preventDefault());
    group.addEventListener("click", (event) => {
      /** @type {Tool | null} */
      const tool = /** @type {Element} */ (event.target).closest("[data-tool]");
      if (!tool) return;
      editor.focus();
      blocked(editor);
      tools[tool.dataset.tool](holder, editor);
    });
    editor.addEventListener("beforeinput", (event) => {
      // Prevent formatting that cannot be stored.
      if (/^(format(?!Bold)|insert(OrderedList|HorizontalRule))/.test(event.inputType)) {
        event.preventDefault();
        return;
      }
      const selection = /** @type {Selection} */ (getSelection());
      const chosen = selection.rangeCount ? selection.getRangeAt(0).toString().trim() : "";
      // Text that replaces the whole content must not take over its formatting.
      if (chosen && chosen === editor.textContent.trim() && event.inputType.startsWith("insert")) {
        document.execCommand("delete");
        unlisted(editor);
        if (editor.childNodes.length) document.execCommand("formatBlock", false, "p");
        if (document.queryCommandState("bold")) document.execCommand("bold");
      }
    });
    editor.addEventListener("paste", (event) => {
      const html = event.clipboardData?.getData("text/html");
      if (!html) return;
      event.preventDefault();
      const pasted = blocks(new DOMParser().parseFromString(html, "text/html").body).map(block);
      // Insert a single paragraph into the current line.
      const inside = pasted.length === 1 && pasted[0].localName === "p" ? [...pasted[0].childNodes] : pasted;
      document.execCommand("insertHTML", false, element("div", ...inside).innerHTML);
    });
    label.addEventListener("click", () => editor.focus());
    form.addEventListener("formdata", (event) =>
      event.formData.set(sent.name, blocks(editor).join("\n\n")));
  };

  globalThis.kit.each("[data-rich]", edit);
})();
