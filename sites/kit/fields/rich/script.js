// Puts an editor in the place of each text area that asks for it. Its text goes back as markup: see markup.py.
(() => {
  "use strict";

  const element = (tag, ...inside) => {
    const made = document.createElement(tag);
    made.append(...inside);
    return made;
  };

  const BLOCKS = new Set(["P", "DIV", "UL", "OL", "LI", "BLOCKQUOTE", "H1", "H2", "H3", "H4", "H5", "H6"]);
  const HEADINGS = "h1, h2, h3, h4, h5, h6";

  // What stands in a line, as runs of text that are alike: bold or not, in one link or in none.
  const runsOf = (node, bold = false, address = "") => {
    if (node.nodeType === Node.TEXT_NODE)
      return [{ text: node.data.replaceAll("\u00a0", " ").replace(/\s+/g, " "), bold, address }];
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches("script, style, template")) return [];
    if (node.localName === "br") return [{ text: "\n", bold: false, address: "" }];
    const inBold = bold || node.matches("b, strong");
    const to = node.localName === "a" ? (node.getAttribute("href") ?? "") : address;
    const runs = [...node.childNodes].flatMap((child) => runsOf(child, inBold, to));
    // Words of two blocks in one line do not run together.
    return BLOCKS.has(node.nodeName) ? [{ text: " ", bold: false, address: "" }, ...runs] : runs;
  };

  const joined = (runs) =>
    runs.reduce((found, run) => {
      const last = found.at(-1);
      // A blank is as bold as what is before it.
      const alike = last && last.address === run.address && (last.bold === run.bold || run.text === " ");
      if (alike && last.text !== "\n" && run.text !== "\n") last.text += run.text;
      else if (run.text) found.push({ ...run });
      return found;
    }, []);

  const marked = ({ text, bold, address }) => {
    const [, before, words, after] = /^(\s*)(.*?)(\s*)$/s.exec(text);
    if (!words) return text;
    const inside = bold ? `**${words}**` : words;
    return before + (address ? `[${inside}](${address})` : inside) + after;
  };

  const line = (nodes) =>
    joined(nodes.flatMap((node) => runsOf(node)))
      .map(marked)
      .join("")
      .split("\n")
      .map((text) => text.replace(/ +/g, " ").trim())
      .join("\n")
      .trim();

  // What a heading or an item says; signs that were typed into it, too, are there once.
  const words = (nodes, signs) => line(nodes).replace(/\s*\n\s*/g, " ").replace(signs, "");

  const items = (list) =>
    [...list.childNodes].flatMap((node) => {
      if (node.nodeType !== Node.ELEMENT_NODE) return node.data?.trim() ? [words([node], /^(?:[-*\u2022]\s+)+/)] : [];
      if (node.matches("ul, ol")) return items(node);
      const inner = [...node.children].filter((child) => child.matches("ul, ol"));
      const own = [...node.childNodes].filter((child) => !inner.includes(child));
      return [words(own, /^(?:[-*\u2022]\s+)+/), ...inner.flatMap(items)].filter(Boolean);
    });

  // Blocks of lines: every block element begins one, and what stands between blocks belongs together.
  const blocks = (node) => {
    const found = [];
    let loose = [];
    const end = () => {
      const text = line(loose);
      if (text) found.push(text);
      loose = [];
    };
    for (const child of node.childNodes) {
      // A block may stand in something else, as in a section that was pasted.
      const holds = child.nodeType === Node.ELEMENT_NODE && child.querySelector([...BLOCKS].join(","));
      if (!BLOCKS.has(child.nodeName) && !holds) {
        loose.push(child);
        continue;
      }
      end();
      if (child.nodeName === "UL" || child.nodeName === "OL") {
        const said = items(child);
        if (said.length) found.push(said.map((one) => `- ${one}`).join("\n"));
      } else if (child.matches(HEADINGS)) {
        const said = words([...child.childNodes], /^(?:#{1,6}\s+)+/);
        if (said) found.push(`# ${said}`);
      } else found.push(...blocks(child));
    }
    end();
    return found;
  };

  // The other way round, for a text that was there: blocks of lines with bold words and links.
  const laidOut = (line) =>
    line.split(/(\*\*\S(?:[^*\n]*\S)?\*\*|\[[^\]\n]+\]\((?:https?:\/\/|mailto:)[^)\s]+\))/).map((piece, at) => {
      if (at % 2 === 0) return piece;
      if (piece.startsWith("**")) return element("strong", ...laidOut(piece.slice(2, -2)));
      const [, text, address] = /^\[(.*)\]\((.*)\)$/s.exec(piece);
      const link = element("a", ...laidOut(text));
      link.setAttribute("href", address);
      return link;
    });

  const block = (text) => {
    const lines = text.split("\n");
    if (lines.every((line) => line.startsWith("- ")))
      return element("ul", ...lines.map((line) => element("li", ...laidOut(line.slice(2)))));
    if (text.startsWith("# ")) return element("h2", ...laidOut(text.slice(2)));
    return element("p", ...lines.flatMap((line, at) => (at ? [element("br"), ...laidOut(line)] : laidOut(line))));
  };

  // The heading, item or paragraph of an editor in which the cursor is.
  const around = (editor, selector) => {
    const node = getSelection().focusNode;
    const found = (node instanceof Element ? node : node?.parentElement)?.closest(selector);
    return found !== editor && editor.contains(found) ? found : null;
  };

  // Those that a selection touches.
  const touched = (editor, selector) => {
    const range = getSelection().getRangeAt(0);
    const inside = [...editor.querySelectorAll(selector)].filter((one) => range.intersectsNode(one));
    const here = around(editor, selector);
    return inside.length || !here ? inside : [here];
  };

  // Every line stands in a block: Chromium would put a heading around lines that do not, and another one into it.
  const blocked = (editor) => {
    document.execCommand("defaultParagraphSeparator", false, "p");
    const loose = [...editor.childNodes].some((node) => !BLOCKS.has(node.nodeName));
    if (!editor.childNodes.length) editor.append(element("p", element("br")));
    else if (loose && !around(editor, "p, div, h2, li")) document.execCommand("formatBlock", false, "p");
  };

  // Makes each line that is chosen a block of a kind; Chromium would put all of them into one.
  const formatted = (editor, name) => {
    const selection = getSelection();
    const lines = touched(editor, "p, div, h2").filter((one) => !one.querySelector("p, div, h2, ul"));
    if (lines.length < 2) {
      document.execCommand("formatBlock", false, name);
      return;
    }
    const made = lines.map((one) => {
      selection.collapse(one, 0);
      document.execCommand("formatBlock", false, name);
      return around(editor, name);
    });
    // The lines stay chosen: what is pressed next is about all of them.
    const [first, last] = [made.at(0), made.at(-1)];
    if (first && last) selection.setBaseAndExtent(first, 0, last, last.childNodes.length);
  };

  const unlisted = (editor) => {
    if (touched(editor, "li").length) document.execCommand("insertUnorderedList");
  };

  const tools = {
    bold: () => document.execCommand("bold"),
    list: (_holder, editor) => {
      const selection = getSelection();
      // An item is no heading: the text that is stored knows one or the other.
      if (touched(editor, "h2").length) formatted(editor, "p");
      document.execCommand("insertUnorderedList");
      // Chromium puts the cursor before the text that it has made an item of.
      const item = around(editor, "li");
      if (!item || !selection.isCollapsed) return;
      selection.selectAllChildren(item);
      selection.collapseToEnd();
    },
    heading: (_holder, editor) => {
      const listed = touched(editor, "li");
      // One at a time: taken out of a list together, they would be one line.
      for (const item of listed.length > 1 ? listed : []) {
        getSelection().collapse(item, 0);
        document.execCommand("insertUnorderedList");
        document.execCommand("formatBlock", false, "h2");
      }
      if (listed.length > 1) return;
      unlisted(editor);
      const rest = touched(editor, "p, div").filter((one) => one.textContent.trim());
      formatted(editor, touched(editor, "h2").length && !rest.length ? "p" : "h2");
    },
    link: (holder) => {
      const address = window.prompt(holder.dataset.link, "https://");
      if (address && /^(https?:\/\/|mailto:)/.test(address)) document.execCommand("createLink", false, address);
    },
  };

  const edit = (holder) => {
    const area = holder.querySelector("textarea");
    const label = holder.getRootNode().querySelector(`label[for="${area.id}"]`);
    const editor = element("div");
    const sent = element("input");
    editor.className = area.className;
    editor.contentEditable = "true";
    label.id = `${area.id}-label`;
    const said = { role: "textbox", "aria-multiline": "true", "aria-labelledby": label.id };
    for (const [name, value] of Object.entries(said)) editor.setAttribute(name, value);
    for (const name of ["aria-invalid", "aria-describedby", "lang"])
      if (area.hasAttribute(name)) editor.setAttribute(name, area.getAttribute(name));
    if (area.required) editor.setAttribute("aria-required", "true");
    const text = area.value.replaceAll("\r\n", "\n").trim();
    // An empty line of its own, or the first focus would change the page.
    editor.append(...(text ? text.split(/\n\s*\n/).map(block) : [element("p", element("br"))]));
    Object.assign(sent, { type: "hidden", name: area.name });
    const form = area.form;
    editor.id = area.id;
    area.replaceWith(editor, sent);
    const group = holder.querySelector("[role=group]");
    group.hidden = false;
    editor.addEventListener("focus", () => blocked(editor));
    editor.addEventListener("input", () => blocked(editor));
    // The selection stays where it is while a tool is pressed.
    group.addEventListener("mousedown", (event) => event.preventDefault());
    group.addEventListener("click", (event) => {
      const tool = event.target.closest("[data-tool]");
      if (!tool) return;
      editor.focus();
      blocked(editor);
      tools[tool.dataset.tool](holder, editor);
    });
    editor.addEventListener("beforeinput", (event) => {
      // What cannot be stored is not laid out, so that nobody sees what will be gone.
      if (/^(format(?!Bold)|insert(OrderedList|HorizontalRule))/.test(event.inputType)) {
        event.preventDefault();
        return;
      }
      const selection = getSelection();
      const chosen = selection.rangeCount ? selection.getRangeAt(0).toString().trim() : "";
      // What takes the place of the whole text begins anew, and does not go on as the first words of the old one were.
      if (chosen && chosen === editor.textContent.trim() && event.inputType.startsWith("insert")) {
        document.execCommand("delete");
        unlisted(editor);
        if (editor.childNodes.length) document.execCommand("formatBlock", false, "p");
        if (document.queryCommandState("bold")) document.execCommand("bold");
      }
    });
    editor.addEventListener("paste", (event) => {
      const html = event.clipboardData.getData("text/html");
      if (!html) return;
      event.preventDefault();
      const pasted = blocks(new DOMParser().parseFromString(html, "text/html").body).map(block);
      // A few words go on with the line that they are put into.
      const inside = pasted.length === 1 && pasted[0].localName === "p" ? [...pasted[0].childNodes] : pasted;
      document.execCommand("insertHTML", false, element("div", ...inside).innerHTML);
    });
    label.addEventListener("click", () => editor.focus());
    form.addEventListener("formdata", (event) => event.formData.set(sent.name, blocks(editor).join("\n\n")));
  };

  globalThis.kit.each("[data-rich]", edit);
})();
