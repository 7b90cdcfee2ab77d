// Opens links and sends forms without leaving the document: requests the next page as JSON and draws it.
/** @import { ElementTree } from "./draw.js" */
/** @typedef {{page: ElementTree | null, url: URL, isEmpty?: boolean}} Answer - No page: a file, or empty. */
/** @typedef {HTMLElement & {dataset: {failed: string, again: string, sending: string}}} Shell */
/**
 * @typedef {object} Opening
 * @property {boolean} [add] - Whether to add the page to the history.
 * @property {[left: number, top: number] | null} [scrolled] - The scroll position at which the page was left.
 * @property {RequestInit} [options]
 * @property {(() => void) | null} [onFail]
 */
(() => {
  "use strict";
  const { kit } = globalThis;

  const PAGE_TYPE = "application/vnd.page+json";
  const NO_CONTENT = 204;
  const SCROLLED = "scrolled";
  const { failed, again, sending } = /** @type {Shell} */ (document.querySelector("[data-failed]")).dataset;
  const sent = new WeakSet();
  let requests = 0;
  // The address of the current page, without its fragment.
  let current = "";

  /** @type {(url: URL | Location) => string} */
  const plain = (url) => `${url.pathname}${url.search}`;
  /** @type {(url: URL) => boolean} */
  const isOurs = (url) => url.origin === location.origin;

  /** @type {(address: URL, options?: RequestInit) => Promise<Answer>} */
  const fetched = async (address, options) => {
    const answer = await fetch(address, { ...options, headers: { Accept: PAGE_TYPE }, credentials: "same-origin" });
    const url = new URL(answer.url);
    const isPage = (answer.headers.get("Content-Type") ?? "").startsWith(PAGE_TYPE);
    if (isPage) return { page: await answer.json(), url };
    if (!answer.ok) throw new Error(String(answer.status));
    await answer.body?.cancel();
    return { page: null, url, isEmpty: answer.status === NO_CONTENT };
  };

  kit.page = async (address) => {
    const { page } = await fetched(new URL(address, location.href));
    if (!page) throw new Error("the response is not a page");
    return kit.made(page);
  };

  /** @type {(isBusy: boolean) => void} */
  const busy = (isBusy) => {
    const holder = document.querySelector("main") ?? document.body;
    if (isBusy) holder.setAttribute("aria-busy", "true");
    else holder.removeAttribute("aria-busy");
  };

  /** @type {(text: string, ...more: (Node | string)[]) => HTMLElement} */
  const notice = (text, ...more) => {
    const box = document.createElement("div");
    box.className = "alert alert-danger";
    box.setAttribute("role", "alert");
    box.append(text, ...more);
    return box;
  };

  // Shows that the page could not be loaded, with a button to try again.
  /** @type {(retry: () => void) => void} */
  const showFailed = (retry) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-primary ms-2";
    button.textContent = again;
    button.addEventListener("click", retry);
    const holder = document.querySelector("main");
    const box = notice(failed, " ", button);
    if (holder) holder.replaceChildren(box);
    else document.body.replaceChildren(box);
    // Its content is no longer the page that was drawn.
    if (holder) kit.lost(holder);
    button.focus();
  };

  // Shows that the form could not be sent. The form keeps its input, because the action may not have been performed.
  /** @type {(form: HTMLFormElement) => void} */
  const showUnsent = (form) => {
    form.parentElement?.querySelector(":scope > [data-unsent]")?.remove();
    const box = notice(sending);
    box.dataset.unsent = "";
    form.before(box);
    box.scrollIntoView({ block: "nearest", behavior: "instant" });
  };

  /** @type {(hash: string) => boolean} */
  const goTo = (hash) => {
    const place = hash && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (place) place.scrollIntoView({ behavior: "instant" });
    return Boolean(place);
  };

  // Sets the focus and the scroll position: that of the fragment, or that at which the page was left.
  /** @type {(hash: string, scrolled: Opening["scrolled"], isNew: boolean) => void} */
  const settleIn = (hash, scrolled, isNew) => {
    const isLost = document.activeElement === document.body;
    if (isNew || isLost) document.querySelector("main")?.focus({ preventScroll: true });
    if (goTo(hash)) return;
    const [left, top] = scrolled ?? [0, 0];
    scrollTo({ left, top, behavior: "instant" });
  };

  const remember = () => history.replaceState({ ...history.state, [SCROLLED]: [scrollX, scrollY] }, "");

  /** @type {(page: ElementTree, url: URL, how: Opening & {add: boolean, hash: string}) => void} */
  const put = (page, url, { add, scrolled, hash }) => {
    const address = plain(url) + hash;
    // Change the address before drawing, because scripts of the page may read it.
    if (add && address !== plain(location) + location.hash) history.pushState({}, "", address);
    else history.replaceState(history.state, "", address);
    const isNew = plain(url) !== current;
    current = plain(url);
    kit.draw(page, isNew);
    settleIn(hash, scrolled, isNew);
  };

  // Draws a page, unless another one was requested since.
  /** @type {(url: URL, how?: Opening) => Promise<void>} */
  const open = async (url, { add = false, scrolled = null, options = {}, onFail = null } = {}) => {
    requests += 1;
    const own = requests;
    busy(true);
    try {
      const answer = await fetched(url, options);
      if (own !== requests) return;
      if (answer.page) put(answer.page, answer.url, { add, scrolled, hash: url.hash });
      // Download a file; the page stays, as it does for an empty answer.
      else if (!answer.isEmpty) location.assign(answer.url);
    } catch {
      if (own !== requests) return;
      if (onFail) onFail();
      else {
        if (add) history.pushState({}, "", url);
        current = "";
        showFailed(() => void open(url));
      }
    }
    if (own === requests) busy(false);
  };

  /** @type {(url: URL) => void} */
  const leave = (url) => {
    remember();
    void open(url, { add: true });
  };

  /** @type {(event: MouseEvent) => void} */
  const onClick = (event) => {
    const isHeld = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || isHeld) return;
    const link = /** @type {Element | undefined} */ (
      event.composedPath().find((node) => node instanceof Element && node.matches("a[href]"))
    );
    // Read attributes, because properties of a link in an SVG are objects.
    if (!link || link.hasAttribute("download") || !["", "_self"].includes(link.getAttribute("target") ?? "")) return;
    const url = new URL(/** @type {string} */ (link.getAttribute("href")), location.href);
    if (!isOurs(url)) return;
    event.preventDefault();
    // For a fragment of the current page, only scroll.
    if (url.hash && plain(url) === current) {
      remember();
      history.pushState({}, "", url);
      const place = document.getElementById(decodeURIComponent(url.hash.slice(1)));
      place?.scrollIntoView({ behavior: "instant" });
      place?.focus({ preventScroll: true });
    } else leave(url);
  };

  /** @type {(event: Event) => void} */
  const onSubmit = (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const { submitter } = /** @type {SubmitEvent} */ (event);
    /** @type {(name: string) => string} */
    const attributeOf = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
    const method = attributeOf("method").toLowerCase();
    const url = new URL(attributeOf("action") || location.href, location.href);
    if (!isOurs(url) || method === "dialog") return;
    event.preventDefault();
    // Ignore the second click of a double click.
    if (sent.has(form)) return;
    const entries = new FormData(form, submitter);
    const isMultipart = attributeOf("enctype") === "multipart/form-data";
    // In this encoding, send the name of a file instead of its content.
    const pairs = [...entries].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
    const query = new URLSearchParams(pairs);
    if (method !== "post") {
      url.search = query.toString();
      leave(url);
      return;
    }
    remember();
    const options = { method: "POST", body: isMultipart ? entries : query };
    sent.add(form);
    void open(url, { add: true, options, onFail: () => showUnsent(form) }).then(() => sent.delete(form));
  };

  kit.hear = (root) => {
    root.addEventListener("submit", onSubmit);
  };

  history.scrollRestoration = "manual";
  document.addEventListener("click", onClick);
  kit.hear(document);
  addEventListener("popstate", () => {
    const scrolled = history.state?.[SCROLLED] ?? [0, 0];
    if (plain(location) === current) {
      settleIn(location.hash, scrolled, false);
      return;
    }
    void open(new URL(location.href), { scrolled });
  });
  void open(new URL(location.href), { scrolled: history.state?.[SCROLLED] ?? null });
})();
