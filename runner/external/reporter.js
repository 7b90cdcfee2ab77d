// Sends what happens on a page, and what it shows, to the proxy: in a browser that is not ours nothing else can. Comes
// with each document, before anything of the document.
/**
 * @typedef {object} Message
 * @property {number} number - How many actions have begun in the document.
 * @property {Doing} [doing] - What observer.js tells. The page before it stands in `difference`.
 * @property {[number, number, string, number]} [difference] - The page before an action: the number of an earlier
 *   page, how many characters at the beginning are the same, what follows, and how many at the end are the same.
 * @property {{how: string, url: string, referrer: string}} [loaded] - How the browser came to the document, which has
 *   just begun: "navigate", "reload" or "back_forward".
 * @property {[number, string]} [page] - The page, as it has settled, and its number in the document, from 1.
 * @property {boolean} [last] - Whether `page` is to be taken even if requests of the episode are under way.
 */
/**
 * @param {(tell: (doing: string, page?: string | null) => void, publish: (calls: Calls) => void) => void} observe -
 *   observer.js, which knows the rest.
 * @param {string} path - Where messages go: one path for each document. The answer to a settled page has the attempts
 *   of the episode so far, and `again` if the page is to be read once more.
 */
(observe, path) => {
  "use strict";
  // A page that always moves is read this many times at most, so long after each other.
  const READS = 40;
  const PAUSE_MS = 50;
  // How long after a change of the page's own it is read.
  const DRAWN_MS = 200;

  const { parse, stringify } = JSON;
  const { min } = Math;
  const ask = fetch;
  const later = setTimeout;
  const beacon = navigator.sendBeacon.bind(navigator);
  const address = `${location.origin}${path}`;
  let calls = null;
  let number = 0;
  let reads = 0;
  // The page that was taken last, and its number.
  let taken = [0, ""];

  // Never by a request that the page waits for: a browser that is about to show another document may not let it out,
  // and its client would wait for ever.
  const send = async (message) => {
    try {
      return await (await ask(address, { method: "POST", body: stringify({ number, ...message }) })).json();
    } catch {
      // The page's policy forbids it, the document is about to go, or the episode is over. The page goes on.
      return null;
    }
  };

  // What has to be on its way before the action leads to a request. A browser takes no large beacon, and a page is
  // large; between two looks at it little changes.
  const sendNow = (message) => {
    if (!beacon(address, stringify({ number, ...message }))) send(message);
  };

  const differenceOf = (page) => {
    const [earlier, before] = taken;
    const most = min(page.length, before.length);
    let start = 0;
    while (start < most && page[start] === before[start]) start += 1;
    let end = 0;
    while (end < most - start && page[page.length - 1 - end] === before[before.length - 1 - end]) end += 1;
    return [earlier, start, page.slice(start, page.length - end), end];
  };

  let isResting = false;
  let isWanted = false;
  const rest = async () => {
    isWanted = true;
    if (isResting || !calls) return;
    isResting = true;
    for (let looks = 1; isWanted; looks += 1) {
      isWanted = false;
      const last = looks >= READS;
      const begun = number;
      // A hidden tab draws no frames, so it never settles: it is read at once.
      const page = document.hidden && document.readyState === "complete" ? calls.now() : await calls.rest();
      if (page === null || begun !== number) continue;
      reads += 1;
      const read = [reads, page];
      const answer = await send({ page: read, last });
      if (!answer) continue;
      taken = read;
      calls.attempted(answer.attempts);
      if (!answer.again || last) continue;
      isWanted = true;
      await new Promise((done) => later(done, PAUSE_MS));
    }
    isResting = false;
  };

  observe(
    (text, page) => {
      const doing = parse(text);
      if (doing.kind) number += 1;
      sendNow(page ? { doing, difference: differenceOf(page) } : { doing });
      rest();
    },
    (made) => (calls = made),
  );
  // A document in a frame is read with the page that it is in.
  if (!calls) return;
  const how = performance.getEntriesByType("navigation")[0]?.type ?? "navigate";
  sendNow({ loaded: { how, url: document.URL, referrer: document.referrer } });
  addEventListener("load", rest);
  addEventListener("visibilitychange", rest);
  globalThis.navigation?.addEventListener("currententrychange", rest);
  let isDrawing = false;
  const onDrawn = () => {
    if (isDrawing) return;
    isDrawing = true;
    later(() => {
      isDrawing = false;
      rest();
    }, DRAWN_MS);
  };
  const seen = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(onDrawn).observe(document, seen);
}
