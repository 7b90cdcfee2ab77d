// Opens links and sends forms without leaving the document: asks the site for the next page as JSON and has it drawn.
(() => {
  "use strict";
  const { kit } = globalThis;

  const PAGE_TYPE = "application/vnd.page+json";
  const NO_CONTENT = 204;
  const KEPT = "scrolled";
  const { failed, again, sending } = document.querySelector("[data-failed]").dataset;
  const sent = new WeakSet();
  let asked = 0;
  // The address of the page that is drawn, without what leads to a place in it.
  let shown = "";

  const plain = (url) => `${url.pathname}${url.search}`;
  const isOurs = (url) => url.origin === location.origin;

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
    if (!page) throw new Error("there is something else than a page");
    return kit.made(page);
  };

  const busy = (isBusy) => {
    const holder = document.querySelector("main") ?? document.body;
    if (isBusy) holder.setAttribute("aria-busy", "true");
    else holder.removeAttribute("aria-busy");
  };

  const notice = (text, ...more) => {
    const box = document.createElement("div");
    box.className = "alert alert-danger";
    box.setAttribute("role", "alert");
    box.append(text, ...more);
    return box;
  };

  // The page cannot be had: its place says so, and offers to try again.
  const sayFailed = (retry) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "btn btn-primary ms-2";
    button.textContent = again;
    button.addEventListener("click", retry);
    const holder = document.querySelector("main");
    const box = notice(failed, " ", button);
    if (holder) holder.replaceChildren(box);
    else document.body.replaceChildren(box);
    // Nothing of it is the page that was drawn.
    if (holder) kit.lost(holder);
    button.focus();
  };

  // What was sent may have been done or not, so that the form stays as it is.
  const sayUnsent = (form) => {
    form.parentElement.querySelector(":scope > [data-unsent]")?.remove();
    const box = notice(sending);
    box.dataset.unsent = "";
    form.before(box);
    box.scrollIntoView({ block: "nearest", behavior: "instant" });
  };

  const goTo = (hash) => {
    const place = hash && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (place) place.scrollIntoView({ behavior: "instant" });
    return Boolean(place);
  };

  // Where somebody reads on, and how far the page was scrolled when it was left.
  const settleIn = (hash, scrolled, isNew) => {
    const isLost = document.activeElement === document.body;
    if (isNew || isLost) document.querySelector("main")?.focus({ preventScroll: true });
    if (goTo(hash)) return;
    const [left, top] = scrolled ?? [0, 0];
    scrollTo({ left, top, behavior: "instant" });
  };

  const remember = () => history.replaceState({ ...history.state, [KEPT]: [scrollX, scrollY] }, "");

  const put = (page, url, { add, scrolled, hash }) => {
    const address = plain(url) + hash;
    // Before anything is drawn: what is on a page belongs to its address.
    if (add && address !== plain(location) + location.hash) history.pushState({}, "", address);
    else history.replaceState(history.state, "", address);
    const isNew = plain(url) !== shown;
    shown = plain(url);
    kit.draw(page, isNew);
    settleIn(hash, scrolled, isNew);
  };

  // Only what was asked for last is drawn.
  const open = async (url, { add = false, scrolled = null, options = {}, onFail = null } = {}) => {
    asked += 1;
    const mine = asked;
    busy(true);
    try {
      const found = await fetched(url, options);
      if (mine !== asked) return;
      if (found.page) put(found.page, found.url, { add, scrolled, hash: url.hash });
      // A file, which the browser keeps, and the page stays, as it does without any content.
      else if (!found.isEmpty) location.assign(found.url);
    } catch {
      if (mine !== asked) return;
      if (onFail) onFail();
      else {
        if (add) history.pushState({}, "", url);
        shown = "";
        sayFailed(() => void open(url));
      }
    }
    if (mine === asked) busy(false);
  };

  const leave = (url) => {
    remember();
    void open(url, { add: true });
  };

  const onClick = (event) => {
    const isHeld = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (event.defaultPrevented || isHeld) return;
    const link = event.composedPath().find((one) => one instanceof Element && one.matches("a[href]"));
    // A link within a drawing has its target as an object.
    if (!link || link.hasAttribute("download") || !["", "_self"].includes(link.getAttribute("target") ?? "")) return;
    const url = new URL(link.getAttribute("href"), location.href);
    if (!isOurs(url)) return;
    event.preventDefault();
    // A place on this page is only gone to.
    if (url.hash && plain(url) === shown) {
      remember();
      history.pushState({}, "", url);
      const place = document.getElementById(decodeURIComponent(url.hash.slice(1)));
      place?.scrollIntoView({ behavior: "instant" });
      place?.focus({ preventScroll: true });
    } else leave(url);
  };

  const onSubmit = (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    const { submitter } = event;
    const told = (name) => submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? "";
    const method = told("method").toLowerCase();
    const url = new URL(told("action") || location.href, location.href);
    if (!isOurs(url) || method === "dialog") return;
    event.preventDefault();
    // The second click of a double click sends nothing again.
    if (sent.has(form)) return;
    const entries = new FormData(form, submitter);
    const isMultipart = told("enctype") === "multipart/form-data";
    // A file that cannot be sent is sent by its name.
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
    void open(url, { add: true, options, onFail: () => sayUnsent(form) }).then(() => sent.delete(form));
  };

  kit.hear = (root) => {
    root.addEventListener("submit", onSubmit);
  };

  history.scrollRestoration = "manual";
  document.addEventListener("click", onClick);
  kit.hear(document);
  addEventListener("popstate", () => {
    const scrolled = history.state?.[KEPT] ?? [0, 0];
    if (plain(location) === shown) {
      settleIn(location.hash, scrolled, false);
      return;
    }
    void open(new URL(location.href), { scrolled });
  });
  void open(new URL(location.href), { scrolled: history.state?.[KEPT] ?? null });
})();
