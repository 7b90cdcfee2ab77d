// Reports to the program: one-way and numbered. A report may come twice; by its number the program takes it once.

/** @import { RuntimeSettings } from "./runtime.js" */

/**
 * @typedef {object} Reports
 * @property {(mode: string, about: string, event: string, value: any, control: [string, string] | null) => void} send -
 *   Sends a report and waits for nothing. It comes as JSON: number of the report in this document, from 1, mode, what
 *   it is about, event, value, and role and name of the control that it is about, if it is about one.
 *   Where the browser takes it, the path of reports comes first, and a space: it tells the documents apart.
 * @property {() => string} taken - Reports since this was last asked, as a JSON array: the answer to a read has them,
 *   since what was sent may be on its way still, or forbidden by the page's policy.
 */
/**
 * @param {RuntimeSettings} settings
 * @returns {Reports}
 */
export const makeReports = (settings) => {
  const { stringify } = JSON;
  const beacon = navigator.sendBeacon.bind(navigator);
  /** @type {unknown} */
  const bound = settings.binding ? window[/** @type {any} */ (settings.binding)] : null;
  const taker = typeof bound === "function" ? bound : null;
  // The page's own scripts must not find a property that other pages lack.
  if (taker) delete window[/** @type {any} */ (settings.binding)];
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
    // Serialised value by value: a script of the page may have added a `toJSON` to arrays.
    const roleAndName = control ? `[${stringify(control[0])},${stringify(control[1])}]` : "null";
    const decision = `${stringify(mode)},${stringify(about)},${stringify(event)},${stringify(value)}`;
    const text = `[${number},${decision},${roleAndName}]`;
    untaken += `${untaken && ","}${text}`;
    unsent[unsent.length] = text;
    // A browser limits beacons: refused ones are sent again with the next one.
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
