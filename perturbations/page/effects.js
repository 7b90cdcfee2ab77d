// Checks each claim of a mode by its effect: the gesture must have been suppressed, or the page must contain the
// change.

/** @import { Natives } from "./natives.js" */

/**
 * @typedef {object} Effects
 * @property {(mode: string, about: string, attempt: number) => void} claim - Takes a mode's claim that it disturbs the
 *   current gesture. Reported as a hit if the gesture is suppressed, else as a fault.
 * @property {(mode: string, about: string, attempt: number) => void} claimPage - Takes a mode's claim that it disturbs
 *   the whole page. Reported as a hit if the page has a change of the mode that no earlier claim used, else as a fault.
 * @property {() => void} hold - Notes that the current gesture was suppressed.
 * @property {<E extends Event>(act: (event: E) => void) => (event: E) => void} deciding - Wraps a listener so that its
 *   event is the current gesture while it runs.
 * @property {(mode: string, node: Node) => {end: () => void}} changed - Notes a node that a mode added, changed or
 *   styled; `end` withdraws it.
 * @property {() => string} counted - Number of changes that reads have seen so far, by mode, as JSON. Call it at each
 *   read: an agent never sees a change that was withdrawn before one.
 */
/**
 * @param {Natives} natives
 * @param {(mode: string, about: string, event: string, value: number | string) => void} send
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
  const deciding = (act) => (event) => {
    // The listener may trigger another event before it returns.
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
