// Reports to the program: one-way and numbered. A report may come twice; by its number the program takes it once.
/**
 * Sends a report and waits for nothing. It comes as JSON: number of the report in this document, from 1, mode, what it
 * is about, event, value.
 *
 * @typedef {(mode: string, about: string, event: string, value: any) => void} Report
 */
/**
 * @param {RuntimeSettings} settings
 * @returns {Report}
 */
(settings) => {
  "use strict";
  const { stringify } = JSON;
  const beacon = navigator.sendBeacon.bind(navigator);
  const found = settings.binding ? window[settings.binding] : null;
  const taker = typeof found === "function" ? found : null;
  // The page's own scripts must find nothing that another page does not have.
  if (taker) delete window[settings.binding];
  // Whole, because an element `base` of the page would point elsewhere.
  const address = taker ? "" : new URL(settings.report, document.baseURI).href;
  const unsent = [];
  let number = 0;

  const sends = (text) => (taker ? (taker(text), true) : beacon(address, text));

  return (mode, about, event, value) => {
    number += 1;
    // Written value by value: a script of the page may have given arrays a `toJSON`.
    unsent[unsent.length] =
      `[${number},${stringify(mode)},${stringify(about)},${stringify(event)},${stringify(value)}]`;
    // A browser takes no more beacons than it likes: what it has refused is sent with the next one.
    let sent = 0;
    while (sent < unsent.length && sends(unsent[sent])) sent += 1;
    for (let at = sent; at < unsent.length; at += 1) unsent[at - sent] = unsent[at];
    unsent.length -= sent;
  };
}
