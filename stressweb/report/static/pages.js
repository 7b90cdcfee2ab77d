// Recorded pages are hostile: each is shown in a frame without any right, under a policy that fetches nothing.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const UNWANTED = "script, noscript, link, base, meta, iframe, frame, object, embed, portal";
const LEADING = /^(?:on.*|src|srcset|imagesrcset|poster|background|data|action|formaction|ping|target|autofocus)$/;

/**
 * A button that shows a page, with the id of the episode's pages and the number of the page in them.
 *
 * @typedef {HTMLElement & {dataset: {pages: string, page: string}}} PageButton
 */

const pagesOf = once(async (id) => (await unpack(id)).split("\0"));

const sheetOf = once(unpack);

// A form answers by the names of its fields, and a document by those of its forms, before it does by its own methods.
const {
  remove,
  getAttributeNames: namesOf,
  getAttribute: valueOf,
  setAttribute: put,
  removeAttribute: drop,
} = Element.prototype;

// No query looks into a template, and with shadowrootmode the frame would unfold it into the page. Each is cleaned from
// within, however deep they are nested.
/** @type {(root: Element) => void} */
const disarm = (root) => {
  /** @type {(Element | DocumentFragment)[]} - Those that are not clean yet. */
  const left = [root];
  while (left.length) {
    const tree = /** @type {Element | DocumentFragment} */ (left.pop());
    tree.querySelectorAll(UNWANTED).forEach((node) => remove.call(node));
    for (const node of /** @type {(Element & {content?: unknown})[]} */ ([
      ...(tree instanceof Element ? [tree] : []),
      ...tree.querySelectorAll("*"),
    ])) {
      if (node.content instanceof DocumentFragment) left.push(node.content);
      for (const name of namesOf.call(node)) {
        const leads = LEADING.test(name) && !(/** @type {string} */ (valueOf.call(node, name)).startsWith("data:"));
        if (leads || /^(?:xlink:)?href$/.test(name)) drop.call(node, name);
        // By this the page's own style still tells a link from an anchor that leads nowhere.
        if (name === "href") put.call(node, "data-href", "");
      }
    }
  }
};

// A recorded style sheet stands where its link stood; the report holds it without anything that it would fetch.
/** @type {(page: Document, sheets: Map<string | null, string>) => void} */
const dress = (page, sheets) => {
  for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (
    Document.prototype.querySelectorAll.call(page, "link[rel~='stylesheet' i][href]")
  )) {
    const text = sheets.get(link.getAttribute("href"));
    if (text === undefined) continue;
    const style = document.createElement("style");
    style.textContent = text;
    style.media = link.media;
    link.replaceWith(style);
  }
};

// What is parsed here loads nothing and runs nothing. The frame would not either; this spares it the attempts, and the
// hints (preconnect and the like) that no policy covers.
/** @type {(html: string, sheets: Map<string | null, string>) => string} */
const tamed = (html, sheets) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const root = /** @type {Element} */ (Document.prototype.querySelector.call(page, "html"));
  dress(page, sheets);
  disarm(root);
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = POLICY;
  const links = document.createElement("style");
  links.textContent = "a { color: #00e; text-decoration: underline }";
  /** @type {Element} */ (root.querySelector(":scope > head")).prepend(policy, links);
  return `<!doctype html>${root.outerHTML}`;
};

/** @type {(html: string, sheets: Map<string | null, string>) => HTMLIFrameElement} */
const framed = (html, sheets) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "");
  frame.referrerPolicy = "no-referrer";
  frame.title = "Recorded page";
  frame.srcdoc = tamed(html, sheets);
  return frame;
};

/** @type {(section: HTMLElement, page: number) => Promise<Map<string | null, string>>} */
const sheetsOf = async (section, page) => {
  /** @type {Record<string, string>} */
  const named = JSON.parse(section.dataset.styles ?? "")[page] ?? {};
  return new Map(
    await Promise.all(
      Object.entries(named).map(async ([href, id]) => /** @type {[string, string]} */ ([href, await sheetOf(id)])),
    ),
  );
};

/** @type {(html: string) => Element} */
const sourced = (html) => {
  const text = document.createElement("pre");
  text.className = "source";
  text.textContent = html;
  return text;
};

/** @type {(button: PageButton) => Promise<void>} */
const togglePage = async (button) => {
  const place = /** @type {Element} */ (button.closest(".shown"));
  const open = button.getAttribute("aria-pressed") === "true";
  place.querySelectorAll("iframe, .source").forEach((node) => node.remove());
  place.querySelectorAll(".page").forEach((other) => other.setAttribute("aria-pressed", "false"));
  if (open) return;
  button.setAttribute("aria-pressed", "true");
  const at = Number(button.dataset.page);
  const [pages, sheets] = await Promise.all([
    pagesOf(button.dataset.pages),
    sheetsOf(/** @type {HTMLElement} */ (button.closest(".told")), at),
  ]);
  place.append("source" in button.dataset ? sourced(pages[at]) : framed(pages[at], sheets));
};
