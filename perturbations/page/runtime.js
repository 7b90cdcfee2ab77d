// The page's runtime: puts its parts together and gives the modes what they need. All decisions fall here and at once.
// Leaves nothing in the document and nothing on the window. Arrays are gone through by number: a page could notice or
// change what a loop over their values calls.

import { makeAttempts } from "./attempts.js";
import { makeChanges } from "./changes.js";
import { makeDraws } from "./draws.js";
import { makeEffects } from "./effects.js";
import { makeFrames } from "./frames.js";
import { makeGestures } from "./gestures.js";
import { makeKeys } from "./keys.js";
import { makeListeners } from "./listeners.js";
import { makeLivePage } from "./live_page.js";
import { makeMask } from "./masks.js";
import { makeReplays } from "./replays.js";
import { makeReports } from "./reports.js";
import { makeSiteView } from "./site_view.js";
import { makeNodeTeller } from "./told_nodes.js";

/** @import { Attempts } from "./attempts.js" */
/** @import { ToldNode } from "./changes.js" */
/** @import { Control, KeyedNode, Keys } from "./keys.js" */
/** @import { Natives } from "./natives.js" */
/** @import { SiteView } from "./site_view.js" */

/**
 * @typedef {object} RuntimeSettings
 * @property {string} path - The path that the document was served at, with its query.
 * @property {string} page - Name of the page in reports that are about no control.
 * @property {string} site - The site's id.
 * @property {string[]} hosts - Hosts at which the site is served, with port where it is not 80.
 * @property {number} loads - How many pages of this template the episode loaded before.
 * @property {Record<string, Record<string, number>>} attempts - Attempts so far, by mode and key.
 * @property {string} read - The event that announces a read of the recorder; no script of the page knows its name.
 * @property {string} binding - Name of the function that takes reports; empty for none.
 * @property {boolean} watched - Whether a person looks on, and no recorder reads the page.
 * @property {string} report - Path that reports are sent to where that function is not there: one for each document, so
 *   that the numbers of reports tell them apart.
 */

/**
 * A click, a key press or a submission on a control, before it has any effect.
 *
 * @typedef {object} Press
 * @property {string} key - Key of the control.
 * @property {boolean} pressed - Whether the control is one to press by its role, and not one to fill in.
 * @property {Element} element - The control.
 * @property {Element} look - What was acted on: the control itself, or the label that stands for it.
 * @property {number} detail - How many clicks in a row it is, from 1; 0 where no pointer clicked.
 * @property {boolean} keyed - Whether no pointer clicked: it came from a key or from a script.
 * @property {() => void} again - Lets the gesture go through after all; it is not decided a second time.
 */

/**
 * What the search for the cause of a failure says about a mode.
 *
 * @typedef {object} Narrowing
 * @property {boolean} others - Whether controls that are not named may be disturbed.
 * @property {Record<string, [boolean, number[]]>} controls - Which attempts may be disturbed, by key: only these with
 *   true, all but these with false.
 */

/**
 * What the runtime gives the script of a mode. The script is a function of this and of its settings, called once before
 * any script of the page runs.
 *
 * @typedef {object} Runtime
 * @property {Natives} natives - What of the browser the script is to keep.
 * @property {(node: any) => boolean} isEntered - Whether a node is a field that is filled in rather than pressed.
 * @property {(event: Event) => boolean} isSubmission - Whether an input event is only the Enter that sends a form.
 * @property {(event: Event) => any} origin - What an event began at, also in a shadow root.
 * @property {() => (Document | ShadowRoot)[]} roots - The document and the shadow roots in it, closed ones last.
 * @property {SiteView} view - The document as the site made it.
 * @property {(text: string) => string} clean - A text as it is seen: characters without width removed, white space
 *   collapsed and trimmed.
 * @property {() => Control[]} controls - The site's controls in all roots.
 * @property {(most?: number) => KeyedNode[]} nodes - The site's elements in all roots, the first `most` of each.
 * @property {(element: Element) => string | undefined} keyOf - Key of a control; undefined for what is none.
 * @property {(rule: [number, number], key: string, attempt: number, lane?: number) => number} draw - A number of at
 *   least 0 and below 1, the same for the same rule, key and attempt, from 0. A rule that needs several draws of one
 *   attempt numbers them by lane, from 0.
 * @property {(allowed: Narrowing | null, key: string, attempt: number) => boolean} lets - Whether an attempt may be
 *   disturbed; null: every one may.
 * @property {(mode: string, key: string) => number} attempt - Number of this attempt at a control, from 0. Each call
 *   counts one; the count goes on over page loads.
 * @property {string} page - Name of the page: a report with it is about the page as a whole.
 * @property {string} place - Site and path template that the document was served at, with which the keys of its
 *   controls begin; of those that a script has drawn at another address since, that one's.
 * @property {number} loads - How many pages of this template the episode loaded before.
 * @property {boolean} watched - Whether a person looks on, and no recorder reads the page: what is done counts at once.
 * @property {boolean} isPart - Whether the document is in a frame and counts as a part of the page around it.
 * @property {(mode: string, about: string, event: string, value: any) => void} report - Tells the program what was
 *   decided about a control or the page. "hit": the mode disturbs attempt number `value`, from 0; of a gesture it is to
 *   be said while this is decided, and counts if the gesture was held back; of the page it counts if the mode has added
 *   or changed something there that no earlier hit was about. "passed": it lets this attempt pass.
 *   "clear": it never stood in its way, so that nothing is overcome; the attempt is only counted. "moved": it has
 *   changed `value` places of the page since it last said so; they count when a read finds them, as nodes that the mode
 *   owns, changed, or gave a look to.
 * @property {(gate: (press: Press) => boolean) => void} onPress - Calls the gate for every gesture on a control. One
 *   that returns false holds the gesture back, and the gates of later modes are not asked.
 * @property {(act: () => void) => void} onRead - Calls `act` before the recorder reads the page, unless it does so
 *   because somebody acts on it at this moment: what is acted on must stay as it is.
 * @property {(act: () => void) => void} onCount - Calls `act` at every read, after what changes the page for it, to
 *   report what the read is about to see.
 * @property {(act: () => void) => void} onBoundary - Calls `act` where an entry is over in any case: at every read.
 * @property {(act: (element: Element) => void) => void} onDrawn - Calls `act` for each element that has been added to
 *   the document, by whomever; not for those that were in it already.
 * @property {(act: () => void) => void} onAnyDrawn - Calls `act` once where elements have been added, however many: for
 *   who only has to know that there are some.
 * @property {(node: Node, kind: "added" | "wrapper") => void} own - Registers a node that the mode added. Modes ignore
 *   gestures in it, keys do not depend on it, and the recorder notes that it is not the site's.
 * @property {(node: Node) => void} disown - Removes a node from that register, because the page has taken it over.
 * @property {(node: Node, site: {was?: Record<string, string | null>, text?: string}) => void} changed - Registers the
 *   attributes (null: none) or the text that a node of the site had before the mode changed it. Call it right after the
 *   change.
 * @property {(node: Node) => ToldNode | undefined} toldOf - Returns how a node differs from what the site wrote;
 *   undefined if it does not.
 * @property {(types: string[], act: (event: any) => void) => void} listen - Calls `act` for events of these types
 *   before any listener of the page.
 * @property {<Given>(act: (given: Given) => void) => (given: Given) => void} guarded - The same function, which reports
 *   what fails in it instead of raising it: the page goes on as if there were nothing of ours.
 * @property {(owner: object, name: string, told: (self: any, given: any[], result: any) => void) => void} mask - Has a
 *   function of the browser tell us of its calls; the page cannot see that.
 * @property {(event: Event) => void} block - Ends an event here: no script of the page sees it, and nothing comes of
 *   it.
 * @property {(element: Element, look: Keyframe, pseudo?: string) => () => void} wear - Gives an element, or a pseudo
 *   element of it, a look that no markup and no style sheet shows; returns what takes it off. A rule of the page that
 *   is `!important` wins over it.
 * @property {(element: Element) => void} select - Outlines an element as selected, and no other one.
 */

/**
 * @param {Natives} natives
 * @param {RuntimeSettings} settings - Of the page, or of the one that a frame is in.
 * @param {[(runtime: Runtime, settings: any, ...parts: any[]) => void, any, ...any[]][]} modes - The scripts of the modes,
 *   in the order in which they are asked, each with its settings and parts.
 */
export const startRuntime = (natives, settings, modes) => {
  const own = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  // No element may stay that distinguishes a disturbed page from an undisturbed one.
  own?.remove();
  const { method, getter, told } = natives;
  const { parse, stringify } = JSON;
  const { hasOwn } = Object;
  const pathOf = method(Event, "composedPath");
  const prevent = method(Event, "preventDefault");
  const stop = method(Event, "stopImmediatePropagation");
  const askedOf = told(CustomEvent, "detail");
  const dispatch = method(EventTarget, "dispatchEvent");
  const Answer = CustomEvent;
  const animate = method(Element, "animate");
  const cancel = method(Animation, "cancel");

  const LOOK = {
    outline: "3px solid #1a6dff",
    outlineOffset: "2px",
    boxShadow: "0 0 0 6px rgba(26, 109, 255, 0.3)",
  };

  const mask = makeMask();
  /** @param {Element} frame @param {string} address */
  const shareWith = (frame, address) => {
    const { changed, counted, claimPage } = effects;
    return { path: keys.inner(frame, address, path()), reports, attempts, effects: { changed, counted, claimPage } };
  };
  const frames = makeFrames(natives, settings.read, own, shareWith, () => retire());
  const { shared } = frames;
  const addressOf = getter(Document, "URL");
  const match = method(RegExp, "exec");
  const here = () => match(/^[a-z-]+:\/\/[^/?#]*([^?#]*)/i, addressOf(document))?.[1];
  const first = here();
  // A single-page application may be at another address by now.
  const path = () => (shared ? shared.path : here() === first ? settings.path : here());
  const reports = shared ? shared.reports : makeReports(settings);
  const replays = makeReplays(natives);
  const draws = makeDraws();
  const changes = makeChanges(natives);
  const attempts = shared ? shared.attempts : makeAttempts();
  const view = makeSiteView(changes.kindOf);
  const keys = makeKeys(view, settings, natives);
  const toldNodes = makeNodeTeller(natives, view, changes);
  /** @type {(() => void)[]} */
  const reads = [];
  /** @type {(() => void)[]} */
  const counts = [];
  /** @type {(() => void)[]} */
  const boundaries = [];
  let deselect = () => {};

  // If our code raises, the page continues without it, and the error is reported.
  /** @type {Runtime["guarded"]} */
  const guarded = (act) => (/** @type {any} */ event) => {
    try {
      return act(event);
    } catch (error) {
      reports.send("", settings.page, "fault", `${error}`, null);
      return undefined;
    }
  };

  // With role and name of the control, which the program may not have seen yet.
  /** @type {(mode: string, about: string, event: string, value: any) => void} */
  const send = (mode, about, event, value) => {
    const control = page.called(about);
    reports.send(mode, about, event, value, control ? [control.role, control.name] : null);
  };
  const decisions = makeEffects(natives, send);
  const effects = { ...decisions, ...shared?.effects };

  /** @type {Runtime["report"]} */
  const report = (mode, about, event, value) => {
    if (event !== "hit") send(mode, about, event, value);
    else if (about === settings.page) effects.claimPage(mode, about, value);
    else effects.claim(mode, about, value);
  };

  /** @type {Runtime["block"]} */
  const block = (event) => {
    prevent(event);
    stop(event);
    effects.hold();
  };

  const { listen, install, hearIn, retire } = makeListeners(natives, (act) => guarded(effects.deciding(act)));
  /** @param {(Document | ShadowRoot)[]} roots */
  const controlsIn = (roots) => keys.controls(roots, path());
  const onChange = () => {
    install();
    frames.install();
    frames.look();
  };
  const page = makeLivePage(natives, view, controlsIn, guarded, changes.kindOf, onChange, hearIn, mask);
  const gestures = makeGestures(natives, view, page.around, replays, listen, block);

  // A filled animation changes no attribute, so that no markup shows it, and neither does any style sheet.
  /** @type {Runtime["wear"]} */
  const wear = (element, look, pseudo) => {
    const worn = animate(element, look, { duration: 0, fill: "forwards", pseudoElement: pseudo ?? null });
    return () => cancel(worn);
  };

  // Caches the last key: hashing it takes longer than drawing, and draws of one element follow each other.
  let last = { rule: [0, 0], key: "", attempt: -1, state: 0 };
  /** @param {[number, number]} rule @param {string} key @param {number} attempt */
  const stateOf = (rule, key, attempt) => {
    if (last.key !== key || last.rule !== rule || last.attempt !== attempt) {
      last = { rule, key, attempt, state: draws.begin(rule, draws.keyWords(key), attempt) };
    }
    return last.state;
  };

  /** @type {Runtime} */
  const runtime = {
    natives,
    isEntered: gestures.isEntered,
    isSubmission: gestures.isSubmission,
    origin: (event) => pathOf(event)[0],
    roots: page.roots,
    view,
    clean: keys.clean,
    controls: page.controls,
    nodes: (most) => keys.nodes(page.roots(), most),
    keyOf: (element) => page.around(element).get(element)?.key,
    draw: (rule, key, attempt, lane) => draws.end(rule, stateOf(rule, key, attempt), lane ?? 0),
    lets: (allowed, key, attempt) => {
      if (!allowed) return true;
      if (!hasOwn(allowed.controls, key)) return allowed.others;
      const named = allowed.controls[key];
      for (let i = 0; i < named[1].length; i += 1) if (named[1][i] === attempt) return named[0];
      return !named[0];
    },
    attempt: attempts.next,
    page: settings.page,
    place: keys.place(path()),
    loads: settings.loads,
    watched: settings.watched,
    isPart: shared !== null,
    report,
    onPress: gestures.onPress,
    onRead: (act) => (reads[reads.length] = act),
    onCount: (act) => (counts[counts.length] = act),
    onBoundary: (act) => (boundaries[boundaries.length] = act),
    onDrawn: page.onDrawn,
    onAnyDrawn: page.onAnyDrawn,
    own: changes.own,
    disown: (node) => {
      changes.disown(node);
      page.forget();
    },
    changed: changes.changed,
    toldOf: changes.toldOf,
    listen,
    guarded,
    mask,
    block,
    wear,
    select: (element) => {
      deselect();
      deselect = wear(element, LOOK);
    },
  };

  // The same for each mode, except that its changes count as its own.
  /** @param {string} mode */
  const runtimeOf = (mode) => ({
    ...runtime,
    /** @type {Runtime["own"]} */
    own: (node, kind) => {
      runtime.own(node, kind);
      effects.changed(mode, node);
    },
    /** @type {Runtime["changed"]} */
    changed: (node, site) => {
      runtime.changed(node, site);
      effects.changed(mode, node);
    },
    /** @type {Runtime["wear"]} */
    wear: (element, look, pseudo) => {
      const off = wear(element, look, pseudo);
      const { end } = effects.changed(mode, element);
      return () => {
        end();
        off();
      };
    },
  });

  // Sent from outside the page, whose scripts know neither its name nor that of the answer.
  /** @param {Event} event */
  const onRead = (event) => {
    // A cancelled event shows the sender that a listener exists.
    block(event);
    const request = parse(askedOf(event) ?? "{}");
    attempts.take(request.attempts ?? {});
    for (let i = 0; i < boundaries.length; i += 1) boundaries[i]();
    if (!request.acting) for (let i = 0; i < reads.length; i += 1) reads[i]();
    for (let i = 0; i < counts.length; i += 1) counts[i]();
    // Keys are created when controls are first seen: now, as in the recorder, so that both have the same keys later.
    if (modes.length) page.controls();
    frames.lookIn(page.roots());
    if (!request.answer) return;
    const answer = `"from":${stringify(settings.report)},"reports":${reports.taken()},"changed":${effects.counted()}`;
    dispatch(window, new Answer(request.answer, { detail: `{${answer},"nodes":{${toldNodes()}}}` }));
  };

  attempts.take(settings.attempts);
  // The submit event of a form in a shadow root does not reach the window, but the gesture before it does.
  listen(["pointerdown", "keydown"], page.meet);
  listen([settings.read], onRead);
  for (const [start, rule, ...parts] of modes) guarded(() => start(runtimeOf(rule.mode), rule, ...parts))(null);
};
