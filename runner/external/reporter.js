// Sends the actions on a page, and the page itself, to the proxy: the only way to observe a browser that the agent
// started. Inserted into each document before the document's own scripts.
/**
 * @typedef {import("./observer.js").Doing} Doing
 */
/**
 * @typedef {import("./observer.js").Calls} Calls
 */
/**
 * The answer to a message, as page_reports.py writes it.
 *
 * @typedef {object} Reply
 * @property {boolean} again - Whether the page must be read again.
 * @property {import("./observer.js").ReadOptions["attempts"]} attempts - The episode's counts of attempts.
 */
/**
 * @typedef {[earlier: number, start: number, text: string, end: number]} Difference
 */
/**
 * @typedef {object} Message
 * @property {number} [number] - Number of actions that have begun in the document; `send` adds it.
 * @property {number} [order] - Number of the message among those of `sendNow`, which may arrive in another order.
 * @property {Doing} [doing] - The report of observer.js. The page before the action is in `difference`.
 * @property {Difference} [difference] - The page before an action: the number of an earlier
 *   page, the length of their common prefix, the text in between, and the length of their common suffix.
 * @property {{how: string, url: string, referrer: string}} [loaded] - How the browser loaded the document, sent when
 *   it starts: "navigate", "reload" or "back_forward".
 * @property {[number: number, text: string]} [page] - The settled page, and its number in the document, counted from 1.
 * @property {boolean} [last] - Whether to accept `page` even if the episode has pending requests.
 */
/**
 * @param {(tell: (doing: string, page?: string | null) => void, publish: (calls: Calls) => void) => void} observe -
 *   observer.js with its other arguments bound.
 * @param {string} path - Path to which messages are sent, one for each document. The answer to a settled page has the
 *   episode's counts of attempts, and `again` if the page must be read again.
 */
(observe, path) => {
  "use strict";
  // A page that never stops changing is read at most this many times, with this pause.
  const READS = 40;
  const PAUSE_MS = 50;
  // Delay between a change that the page makes itself and the next read.
  const DRAWN_MS = 200;

  const { parse, stringify } = JSON;
  const { min } = Math;
  const ask = fetch;
  const later = setTimeout;
  const beacon = navigator.sendBeacon.bind(navigator);
  const address = `${location.origin}${path}`;
  /** @type {Calls | null} */
  let calls = null;
  let number = 0;
  let order = 0;
  let reads = 0;
  // Number and text of the last page that the proxy has accepted.
  /** @type {[number: number, text: string]} */
  let taken = [0, ""];

  // Never use a synchronous request: a browser that is about to show another document may not send it, and its client
  // would wait forever.
  /** @type {(message: Message) => Promise<Reply | null>} */
  const send = async (message) => {
    try {
      return await (await ask(address, { method: "POST", body: stringify({ number, ...message }) })).json();
    } catch {
      // The page's policy forbids it, the document is being unloaded, or the episode is over. Ignore it.
      return null;
    }
  };

  // Sends a message before the action can cause a request. Browsers limit the size of a beacon, so the page is sent
  // as the difference to an earlier one.
  /** @type {(message: Message) => void} */
  const sendNow = (message) => {
    order += 1;
    const ordered = { order, ...message };
    if (!beacon(address, stringify({ number, ...ordered }))) send(ordered);
  };

  /** @type {(page: string) => Difference} */
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
      // A hidden tab draws no frames and never settles, so read it at once.
      const page = document.hidden && document.readyState === "complete" ? calls.now() : await calls.rest();
      if (page === null || begun !== number) continue;
      reads += 1;
      /** @type {[number: number, text: string]} */
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
      const doing = /** @type {Doing} */ (parse(text));
      if (doing.kind) number += 1;
      sendNow(page ? { doing, difference: differenceOf(page) } : { doing });
      rest();
    },
    (published) => (calls = published),
  );
  // A document in a frame is read together with its top document.
  if (!calls) return;
  const how =
    /** @type {PerformanceNavigationTiming | undefined} */
    (performance.getEntriesByType("navigation")[0])?.type ?? "navigate";
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
  const observed = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(onDrawn).observe(document, observed);
}
