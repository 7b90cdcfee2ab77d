// Puts an editor in the place of each text area that asks for it. Its text goes back as markup: see markup.py.
(() => {
  "use strict";

  const element = (tag, ...inside) => {
    const made = document.createElement(tag);
    made.append(...inside);
    return made;
  };

  const BLOCKS = new Set(["P", "DIV", "UL", "OL", "LI", "BLOCKQUOTE", "H1", "H2", "H3"]);

  // What stands in a line: bold words, links, and the rest as it is.
  const inline = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.replaceAll("\u00a0", " ").replace(/\s+/g, " ");
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    if (node.localName === "br") return "\n";
    const text = [...node.childNodes].map(inline).join("");
    if (node.matches("b, strong") && text.trim()) return text.replace(/^(\s*)(.*?)(\s*)$/s, "$1**$2**$3");
    const address = node.localName === "a" ? node.getAttribute("href") : "";
    return address ? `[${text}](${address})` : text;
  };

  // Blocks of lines: every block element begins one, and what stands between blocks belongs together.
  const blocks = (node) => {
    const found = [];
    let line = "";
    const end = () => {
      if (line.trim()) found.push(line.trim());
      line = "";
    };
    for (const child of node.childNodes) {
      if (!BLOCKS.has(child.nodeName)) {
        line += inline(child);
        continue;
      }
      end();
      if (child.matches("ul, ol")) {
        const items = [...child.children].map((one) => inline(one).trim()).filter(Boolean);
        if (items.length) found.push(items.map((one) => `- ${one}`).join("\n"));
      } else if (child.matches("h1, h2, h3")) {
        const words = inline(child).trim();
        if (words) found.push(`# ${words}`);
      } else found.push(...blocks(child));
    }
    end();
    return found;
  };

  // The other way round, for a text that was there: blocks of lines with bold words and links.
  const laidOut = (line) =>
    line.split(/(\*\*\S(?:[^*\n]*\S)?\*\*|\[[^\]\n]+\]\((?:https?:\/\/|mailto:)[^)\s]+\))/).map((piece, at) => {
      if (at % 2 === 0) return piece;
      if (piece.startsWith("**")) return element("strong", piece.slice(2, -2));
      const [, text, address] = /^\[(.*)\]\((.*)\)$/s.exec(piece);
      const link = element("a", text);
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

  const tools = {
    bold: () => document.execCommand("bold"),
    list: () => {
      const selection = getSelection();
      document.execCommand("insertUnorderedList");
      // Chromium puts the cursor before the text that it has made an item of.
      const node = selection.focusNode;
      const item = (node instanceof Element ? node : node?.parentElement)?.closest("li");
      if (!item || !selection.isCollapsed) return;
      selection.selectAllChildren(item);
      selection.collapseToEnd();
    },
    heading: () => {
      const node = getSelection().focusNode;
      const at = node instanceof Element ? node : node?.parentElement;
      document.execCommand("formatBlock", false, at?.closest("h2") ? "p" : "h2");
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
    if (text) editor.append(...text.split(/\n\s*\n/).map(block));
    Object.assign(sent, { type: "hidden", name: area.name });
    const form = area.form;
    editor.id = area.id;
    area.replaceWith(editor, sent);
    const group = holder.querySelector("[role=group]");
    group.hidden = false;
    // The selection stays where it is while a tool is pressed.
    group.addEventListener("mousedown", (event) => event.preventDefault());
    group.addEventListener("click", (event) => {
      const tool = event.target.closest("[data-tool]");
      if (!tool) return;
      editor.focus();
      tools[tool.dataset.tool](holder);
    });
    // What takes the place of the whole text begins anew, and does not go on as the first words of the old one were.
    editor.addEventListener("beforeinput", (event) => {
      const chosen = getSelection().toString().trim();
      const whole = chosen && chosen === editor.innerText.trim();
      if (whole && event.inputType.startsWith("insert")) editor.replaceChildren();
    });
    label.addEventListener("click", () => editor.focus());
    form.addEventListener("formdata", (event) => event.formData.set(sent.name, blocks(editor).join("\n\n")));
  };

  globalThis.kit.each("[data-rich]", edit);
})();
