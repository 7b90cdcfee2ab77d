// A mode's claims count by their effect: a gesture must have been held back, or a change must be in the page.

/** @import { Natives } from "./natives.js" */

/**
 * @typedef {object} Effects
 * @property {(mode: string, about: string, attempt: number) => void} claim - Takes a mode's claim that it disturbs the
 *   gesture under way. The claim is reported if the gesture was held back, and otherwise reported as a fault.
 * @property {(mode: string, about: string, attempt: number) => void} claimPage - Takes a mode's claim that it disturbs
 *   the page as a whole. It is reported if the page now has something of the mode that no earlier claim was about, and
 *   otherwise reported as a fault.
 * @property {() => void} hold - Notes that the gesture under way was held back.
 * @property {(act: (event: any) => void) => (event: any) => void} deciding - The same function, with an event that is a
 *   gesture under way as long as it runs.
 * @property {(mode: string, node: Node) => {end: () => void}} changed - Notes a node that a mode added, changed or gave
 *   a look to; `end` takes it back.
 * @property {() => string} counted - How many of these the page has had at a read so far, by mode, as JSON. Call
 *   it at each read: an agent never sees what was taken back before one.
 */
/**
 * @param {Natives} natives
 * @param {(mode: string, about: string, event: string, value: any) => void} send
 * @returns {Effects}
 */
export const makeEffects = (natives, send) => {
  const { stringify } = JSON;
  const isConnected = natives.getter(Node, "isConnected");
  const counts = new Map();
  /** @type {{mode: string, node: Node | null, claimed: boolean}[]} */
  let changes = [];
  /** @type {{mode: string, about: string, attempt: number}[] | null} */
  let claims = null;
  let held = false;

  /** @param {string} mode @param {string} about @param {string} what */
  const refuse = (mode, about, what) => send(mode, about, "fault", `${mode} claims ${what}: ${about}`);
  /** @param {string} mode @param {string} about */
  const refusePress = (mode, about) => refuse(mode, about, "a gesture that passes");

  /** @type {Effects["claim"]} */
  const claim = (mode, about, attempt) => {
    if (claims) claims[claims.length] = { mode, about, attempt };
    else refusePress(mode, about);
  };

  /** @type {Effects["claimPage"]} */
  const claimPage = (mode, about, attempt) => {
    for (let i = 0; i < changes.length; i += 1) {
      const change = changes[i];
      if (change.mode !== mode || change.claimed || !change.node || !isConnected(change.node)) continue;
      change.claimed = true;
      send(mode, about, "hit", attempt);
      return;
    }
    refuse(mode, about, "a page that it has not changed");
  };

  const settle = () => {
    for (let i = 0; claims && i < claims.length; i += 1) {
      const { mode, about, attempt } = claims[i];
      if (held) send(mode, about, "hit", attempt);
      else refusePress(mode, about);
    }
  };

  /** @type {Effects["deciding"]} */
  const deciding = (act) => (/** @type {Event} */ event) => {
    // An event may trigger another one before it has ended.
    const outerClaims = claims;
    const outerHeld = held;
    claims = [];
    held = false;
    try {
      act(event);
    } finally {
      settle();
      claims = outerClaims;
      held = outerHeld;
    }
  };

  /** @type {Effects["changed"]} */
  const changed = (mode, node) => {
    /** @type {{mode: string, node: Node | null, claimed: boolean}} */
    const change = { mode, node, claimed: false };
    changes[changes.length] = change;
    return { end: () => (change.node = null) };
  };

  const counted = () => {
    for (let i = 0; i < changes.length; i += 1) {
      const { mode, node } = changes[i];
      if (node && isConnected(node)) counts.set(mode, (counts.get(mode) ?? 0) + 1);
    }
    changes = [];
    let text = "";
    counts.forEach((count, mode) => (text += `${text && ","}${stringify(mode)}:${count}`));
    return `{${text}}`;
  };

  return { claim, claimPage, hold: () => (held = true), deciding, changed, counted };
};
