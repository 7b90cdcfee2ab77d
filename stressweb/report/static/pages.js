// Recorded pages are hostile: each is shown in a frame without any right, under a policy that fetches nothing.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const UNWANTED = "script, noscript, link, base, meta, iframe, frame, object, embed, portal";
const LEADING = /^(?:on.*|src|srcset|imagesrcset|poster|background|data|action|formaction|ping|target|autofocus)$/;

const pagesOf = once(async (id) => (await unpack(id)).split("\0"));

// What is parsed here loads nothing and runs nothing. The frame would not either; this spares it the attempts, and the
// hints (preconnect and the like) that no policy covers.
const tamed = (html) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  page.querySelectorAll(UNWANTED).forEach((node) => node.remove());
  for (const node of page.querySelectorAll("*")) {
    for (const { name, value } of [...node.attributes]) {
      const leads = LEADING.test(name) && !value.startsWith("data:");
      if (leads || /^(?:xlink:)?href$/.test(name)) node.removeAttribute(name);
    }
  }
  const policy = page.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = POLICY;
  const links = page.createElement("style");
  links.textContent = "a { color: #00e; text-decoration: underline }";
  page.head.prepend(policy, links);
  return `<!doctype html>${page.documentElement.outerHTML}`;
};

const framed = (html) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "");
  frame.referrerPolicy = "no-referrer";
  frame.title = "Recorded page";
  frame.srcdoc = tamed(html);
  return frame;
};

const sourced = (html) => {
  const text = document.createElement("pre");
  text.className = "source";
  text.textContent = html;
  return text;
};

const togglePage = async (button) => {
  const place = button.closest(".shown");
  const open = button.getAttribute("aria-pressed") === "true";
  place.querySelectorAll("iframe, .source").forEach((node) => node.remove());
  place.querySelectorAll(".page").forEach((other) => other.setAttribute("aria-pressed", "false"));
  if (open) return;
  button.setAttribute("aria-pressed", "true");
  const html = (await pagesOf(button.dataset.pages))[Number(button.dataset.page)];
  place.append("source" in button.dataset ? sourced(html) : framed(html));
};
