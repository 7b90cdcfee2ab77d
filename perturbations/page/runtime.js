// The page's runtime: connects its parts, and provides the API of the modes. All decisions are made here,
// synchronously. It leaves nothing in the document or on the window. Loops over arrays use indices, because the page
// could replace the iterator of arrays.

import { makeAttempts } from "./attempts.js";
import { makeChangedNodes } from "./changed_nodes.js";
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

/** @import { Attempts } from "./attempts.js" */
/** @import { ToldNode } from "./changes.js" */
/** @import { Control, KeyedNode, Keys } from "./keys.js" */
/** @import { Natives } from "./natives.js" */
/** @import { ReportValue } from "./reports.js" */
/** @import { SiteView } from "./site_view.js" */

/**
 * @typedef {object} RuntimeSettings
 * @property {string} path - The path of the document when it was loaded, with its query.
 * @property {string} page - Name of the page in reports about the page itself.
 * @property {string} site - The site's id.
 * @property {string[]} hosts - Hosts of the site, with the port if it is not 80.
 * @property {number} loads - How many pages of this template the episode loaded before.
 * @property {Record<string, Record<string, number>>} attempts - Attempts so far, by mode and key.
 * @property {string} read - Name of the event that announces a read of the recorder, secret from the page's scripts.
 * @property {string} binding - Name of the page function that takes reports; empty for none.
 * @property {boolean} watched - Whether a person watches and no recorder reads the page.
 * @property {string} report - Path for reports if that function does not exist; each document has its own.
 */

/**
 * A click, a key press or a submission on a control, before it has any effect.
 *
 * @typedef {object} Press
 * @property {string} key - Key of the control.
 * @property {boolean} pressed - Whether you press the control (by its role); otherwise you fill it in.
 * @property {Element} element - The control.
 * @property {Element} look - The element acted on: the control itself, or its label.
 * @property {number} detail - Number of this click in a row, from 1; 0 if no pointer clicked.
 * @property {boolean} keyed - Whether it came from a key or a script, not from a pointer.
 * @property {() => void} again - Performs the gesture after all, without another decision.
 */

/**
 * The injections of a mode that a search for the cause of a failure allows.
 *
 * @typedef {object} Narrowing
 * @property {boolean} others - Whether controls that are not in `controls` may be disturbed.
 * @property {Record<string, [boolean, number[]]>} controls - By key, attempts that may be disturbed: with true these
 *   only, with false all others.
 */

/**
 * The API of a mode's script. The script is a function that takes this object and its settings; it is called once,
 * before any script of the page runs.
 *
 * @typedef {object} Runtime
 * @property {Natives} natives - The browser's functions, saved before the page can replace them.
 * @property {(node: EventTarget) => node is HTMLElement} isEntered - Whether a node is a field that you fill in, not
 *   press.
 * @property {(event: Event) => boolean} isSubmission - Whether an input event is only the Enter that submits a form.
 * @property {(event: Event) => EventTarget} origin - The node at which an event began, even in a shadow root.
 * @property {() => (Document | ShadowRoot)[]} roots - The document and the shadow roots in it, closed ones last.
 * @property {SiteView} view - The site's own document, without our changes.
 * @property {(text: string) => string} clean - Removes zero-width characters from a text, collapses white space, and
 *   trims it.
 * @property {() => Control[]} controls - The site's controls in all roots.
 * @property {(most?: number) => KeyedNode[]} nodes - The site's elements in all roots, the first `most` of each.
 * @property {(element: Element) => string | undefined} keyOf - Key of a control; undefined for other elements.
 * @property {(rule: [number, number], key: string, attempt: number, lane?: number) => number} draw - A number of at
 *   least 0 and below 1, which depends only on the arguments. Attempts and lanes count from 0; lanes number the draws
 *   of a rule that needs several for one attempt.
 * @property {(allowed: Narrowing | null, key: string, attempt: number) => boolean} lets - Whether an attempt may be
 *   disturbed; always true if `allowed` is null.
 * @property {(mode: string, key: string) => number} attempt - Counts an attempt at a control, and returns its number,
 *   from 0. The count continues over page loads.
 * @property {string} page - Name of the page in reports about the page itself.
 * @property {string} place - Site and path template of the document when it was loaded. The keys of its controls begin
 *   with it, except those of controls that a script adds later at another address.
 * @property {number} loads - How many pages of this template the episode loaded before.
 * @property {boolean} watched - Whether a person watches and no recorder reads the page; changes then count at once.
 * @property {boolean} isPart - Whether the document is in a frame and counts as a part of the page around it.
 * @property {(mode: string, about: string, event: string, value: number | Record<string, number>) => void} report -
 *   Reports what the mode did with a control or the page: "hit", "passed", "clear" or "moved". docs/my-mode.md explains
 *   the arguments.
 * @property {(gate: (press: Press) => boolean) => void} onPress - Calls the gate for every gesture on a control. If it
 *   returns false, the gesture is suppressed and the gates of later modes are not called.
 * @property {(act: () => void) => void} onRead - Calls `act` before the recorder reads the page. Not called for reads
 *   during an action, because its target must not change.
 * @property {(act: () => void) => void} onCount - Calls `act` at every read, after all `onRead` functions, to report
 *   changes that the read will see.
 * @property {(act: () => void) => void} onBoundary - Calls `act` at every read, which ends an entry.
 * @property {(act: (element: Element) => void) => void} onDrawn - Calls `act` for each element that is added to the
 *   document, by the page or by a mode; not for the elements that it already has.
 * @property {(act: () => void) => void} onAnyDrawn - Calls `act` once for each batch of added elements.
 * @property {(node: Node, kind: "added" | "wrapper") => void} own - Registers a node that the mode added. Modes ignore
 *   gestures in it, keys do not depend on it, and the recorder notes that it is not the site's.
 * @property {(node: Node) => void} disown - Unregisters such a node, because the page has taken it over.
 * @property {(node: Node, site: {was?: Record<string, string | null>, text?: string}) => void} changed - Registers the
 *   attributes (null: none) or the text that a node of the site had before the mode changed it. Call it right after the
 *   change.
 * @property {(node: Node) => ToldNode | undefined} toldOf - Returns how a node differs from the site's markup;
 *   undefined if it does not.
 * @property {<E extends Event>(types: string[], act: (event: E) => void) => void} listen - Calls `act` for events of
 *   these types before any listener of the page.
 * @property {<Arg>(act: (arg: Arg) => void) => (arg: Arg) => void} guarded - Wraps a function so that it reports an
 *   exception instead of raising it, and the page continues undisturbed.
 * @property {(owner: object, name: string, listener: (self: unknown, args: unknown[], returned: unknown) => void) =>
 *   void} mask - Calls `listener` after each call of a browser's method; the page cannot see it.
 * @property {(event: Event) => void} block - Stops an event: the page's scripts do not see it, and it has no effect.
 * @property {(element: Element, look: Keyframe, pseudo?: string) => () => void} wear - Applies a look to an element or
 *   a pseudo-element of it, which appears in no markup and no style sheet; returns a function that removes it. An
 *   `!important` rule of the page overrides it.
 * @property {(element: Element) => void} select - Outlines an element as selected, and no other.
 */

/**
 * The script of a mode; `parts` are what its further scripts evaluate to.
 *
 * @typedef {(runtime: Runtime, settings: {mode: string}, ...parts: unknown[]) => void} ModeScript
 */

/**
 * @param {Natives} natives
 * @param {RuntimeSettings} settings - Settings of the page, or of the page around a frame.
 * @param {[ModeScript, {mode: string}, ...unknown[]][]} modes - The scripts of the modes, in the order in which a
 *   gesture meets them, each with its settings and parts.
 */
export const startRuntime = (natives, settings, modes) => {
  const own = /** @type {HTMLScriptElement | null} */ (document.currentScript);
  // No element may remain that would distinguish a disturbed page from an undisturbed one.
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
  const currentPath = () => match(/^[a-z-]+:\/\/[^/?#]*([^?#]*)/i, addressOf(document))?.[1];
  const firstPath = currentPath();
  // A single-page application may have changed its address.
  const path = () => (shared ? shared.path : currentPath() === firstPath ? settings.path : currentPath());
  const reports = shared ? shared.reports : makeReports(settings);
  const replays = makeReplays(natives);
  const draws = makeDraws();
  const changes = makeChanges(natives);
  const attempts = shared ? shared.attempts : makeAttempts();
  const view = makeSiteView(changes.kindOf);
  const keys = makeKeys(view, settings, natives);
  const changedNodes = makeChangedNodes(natives, view, changes);
  /** @type {(() => void)[]} */
  const reads = [];
  /** @type {(() => void)[]} */
  const counts = [];
  /** @type {(() => void)[]} */
  const boundaries = [];
  let deselect = () => {};

  // If our code raises, the error is reported and the page continues without it.
  /** @type {Runtime["guarded"]} */
  const guarded = (act) => (event) => {
    try {
      return act(event);
    } catch (error) {
      reports.send("", settings.page, "fault", `${error}`, null);
      return undefined;
    }
  };

  // Adds role and name of the control, which the program may not know yet.
  /** @type {(mode: string, about: string, event: string, value: ReportValue) => void} */
  const send = (mode, about, event, value) => {
    const control = page.called(about);
    reports.send(mode, about, event, value, control ? [control.role, control.name] : null);
  };
  const decisions = makeEffects(natives, send);
  const effects = { ...decisions, ...shared?.effects };

  /** @type {Runtime["report"]} */
  const report = (mode, about, event, value) => {
    if (event !== "hit") send(mode, about, event, value);
    else if (about === settings.page) effects.claimPage(mode, about, /** @type {number} */ (value));
    else effects.claim(mode, about, /** @type {number} */ (value));
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

  // A filled animation changes no attribute and no style sheet.
  /** @type {Runtime["wear"]} */
  const wear = (element, look, pseudo) => {
    const worn = animate(element, look, { duration: 0, fill: "forwards", pseudoElement: pseudo ?? null });
    return () => cancel(worn);
  };

  // Caches the last key, because hashing takes longer than drawing, and draws of one element follow each other.
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
    toldOf: changes.differenceOf,
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

  // The runtime of a mode: its changes count for the mode.
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

  // The recorder sends this event; its name and that of the answer are secret from the page's scripts.
  /** @param {Event} event */
  const onRead = (event) => {
    // A cancelled event shows the sender that a listener exists.
    block(event);
    const request = parse(askedOf(event) ?? "{}");
    attempts.take(request.attempts ?? {});
    for (let i = 0; i < boundaries.length; i += 1) boundaries[i]();
    if (!request.acting) for (let i = 0; i < reads.length; i += 1) reads[i]();
    for (let i = 0; i < counts.length; i += 1) counts[i]();
    // Create the keys of new controls now, when the recorder does, so that both get the same keys.
    if (modes.length) page.controls();
    frames.lookIn(page.roots());
    if (!request.answer) return;
    const answer = `"from":${stringify(settings.report)},"reports":${reports.taken()},"changed":${effects.counted()}`;
    dispatch(window, new Answer(request.answer, { detail: `{${answer},"nodes":{${changedNodes()}}}` }));
  };

  attempts.take(settings.attempts);
  // The submit event of a form in a shadow root does not reach the window, but the gesture before it does.
  listen(["pointerdown", "keydown"], page.meet);
  listen([settings.read], onRead);
  for (const [start, rule, ...parts] of modes) guarded(() => start(runtimeOf(rule.mode), rule, ...parts))(null);
};
