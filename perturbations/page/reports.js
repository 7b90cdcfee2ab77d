// One-way, numbered reports to the program. A report may arrive twice; the program uses its number to process it once.

/** @import { RuntimeSettings } from "./runtime.js" */

/**
 * The number of an attempt or of changes, the message of a fault, or the strength of each change by its place.
 *
 * @typedef {number | string | Record<string, number>} ReportValue
 */
/**
 * @typedef {object} Reports
 * @property {(mode: string, about: string, event: string, value: ReportValue, control: [string, string] | null) =>
 *   void} send - Sends a report without waiting. It is a JSON array: number of the report in this document, from 1,
 *   mode, key of the control or name of the page, event, value, and the control's role and name (null for the page).
 *   Sent by the function, it follows the document's report path and a space.
 * @property {() => string} taken - Reports since the last call, as a JSON array. The answer to a read repeats them,
 *   because a sent report may not have arrived yet, or the page's policy may forbid sending it.
 */
/**
 * @param {RuntimeSettings} settings
 * @returns {Reports}
 */
export const makeReports = (settings) => {
  const { stringify } = JSON;
  const beacon = navigator.sendBeacon.bind(navigator);
  /** @type {unknown} */
  const bound = settings.binding ? window[/** @type {keyof Window} */ (settings.binding)] : null;
  const taker = typeof bound === "function" ? bound : null;
  // The page's scripts must not find a property that other pages do not have.
  if (taker) delete (/** @type {Record<string, unknown>} */ (/** @type {unknown} */ (window))[settings.binding]);
  // Absolute, because a `base` element of the page would change a relative URL.
  const address = taker ? "" : new URL(settings.report, document.baseURI).href;
  /** @type {string[]} */
  const unsent = [];
  let untaken = "";
  let number = 0;

  /** @param {string} text */
  const sends = (text) => {
    if (!taker) return beacon(address, text);
    taker(`${settings.report} ${text}`);
    return true;
  };

  /** @type {Reports["send"]} */
  const send = (mode, about, event, value, control) => {
    number += 1;
    // Serialised value by value, because a script of the page may have added a `toJSON` to arrays.
    const roleAndName = control ? `[${stringify(control[0])},${stringify(control[1])}]` : "null";
    const decision = `${stringify(mode)},${stringify(about)},${stringify(event)},${stringify(value)}`;
    const text = `[${number},${decision},${roleAndName}]`;
    untaken += `${untaken && ","}${text}`;
    unsent[unsent.length] = text;
    // A browser limits beacons, so refused ones are sent again with the next one.
    let sent = 0;
    while (sent < unsent.length && sends(unsent[sent])) sent += 1;
    for (let i = sent; i < unsent.length; i += 1) unsent[i - sent] = unsent[i];
    unsent.length -= sent;
  };

  const taken = () => {
    const reports = untaken;
    untaken = "";
    return `[${reports}]`;
  };

  return { send, taken };
};
