// The page's runtime: one decision for one gesture, by whatever path it came, made here and at once.
// Leaves nothing in the document and nothing on the window. Arrays are gone through by number: a page could notice or
// change what a loop over their values calls.
/**
 * @typedef {object} RuntimeSettings
 * @property {string} path - The page's path, with its query.
 * @property {string} page - Name of the page in reports that are about no control.
 * @property {string} site - The site's id.
 * @property {string[]} hosts - Hosts at which the site is served, with port where it is not 80.
 * @property {number} loads - How many pages of this template the episode loaded before.
 * @property {Record<string, Record<string, number>>} attempts - Attempts so far, by mode and key.
 * @property {string} read - The event that announces a read of the recorder; no script of the page knows its name.
 * @property {string} binding - Name of the function that takes reports; empty for none.
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
 * @property {(event: Event) => any} origin - What an event began at, also in an open shadow root.
 * @property {() => (Document | ShadowRoot)[]} roots - The document and the open shadow roots in it.
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
 * @property {string} place - Site and path template of the page, with which the keys of its controls begin.
 * @property {number} loads - How many pages of this template the episode loaded before.
 * @property {(mode: string, about: string, event: string, value: any) => void} report - Tells the program what was
 *   decided about a control or the page. "hit": the mode disturbs attempt number `value`, from 0; of a gesture it is to
 *   be said while this is decided, and counts if the gesture was held back. "passed": it lets this attempt pass.
 *   "clear": it never stood in its way, so that nothing is overcome; the attempt is only counted. "moved": it has
 *   changed `value` places of the page since it last said so; they count when a read finds them, as nodes that the mode
 *   owns, changed, or gave a look to.
 * @property {(gate: (press: Press) => boolean) => void} onPress - Calls the gate for every gesture on a control. One
 *   that returns false holds the gesture back, and the gates of later modes are not asked.
 * @property {(act: () => void) => void} onRead - Calls `act` before the recorder reads the page.
 * @property {(act: (element: Element) => void) => void} onDrawn - Calls `act` for each element that has been added to
 *   the document, by whomever; not for those that were in it already.
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
 * @property {(event: Event) => void} block - Ends an event here: no script of the page sees it, and nothing comes of
 *   it.
 * @property {(element: Element, look: Keyframe, pseudo?: string) => () => void} wear - Gives an element, or a pseudo
 *   element of it, a look that no markup and no style sheet shows; returns what takes it off. A rule of the page that
 *   is `!important` wins over it.
 * @property {(element: Element) => void} select - Outlines an element as selected, and no other one.
 */

/**
 * @param {Natives} natives
 * @param {RuntimeSettings} settings
 * @param {{reports: (settings: RuntimeSettings) => Reports, replays: (natives: Natives) => Replays,
 *   effects: (natives: Natives, send: (mode: string, about: string, event: string, value: any) => void) => Effects,
 *   draws: () => Draws, changes: (natives: Natives) => Changes, siteView: (kindOf: KindOf) => SiteView,
 *   names: (view: SiteView) => Names,
 *   keys: (view: SiteView, names: (view: SiteView) => Names, settings: KeySettings) => Keys}} parts
 * @param {[(runtime: Runtime, settings: any, ...parts: any[]) => void, ...any[]][]} modes - The scripts of the modes,
 *   in the order in which they are asked, each with its settings and parts.
 */
(natives, settings, parts, modes) => {
  "use strict";
  // No element may stay behind that tells a disturbed page from another one.
  document.currentScript?.remove();
  const { method, getter, told } = natives;
  const { parse, stringify } = JSON;
  const { keys: keysOf, hasOwn } = Object;
  const { max } = Math;
  const wait = setTimeout;
  const addListener = method(EventTarget, "addEventListener");
  const pathOf = method(Event, "composedPath");
  const prevent = method(Event, "preventDefault");
  const stop = method(Event, "stopImmediatePropagation");
  const typeOf = getter(Event, "type");
  const targetOf = getter(Event, "target");
  const detailOf = told(UIEvent, "detail");
  const buttonOf = told(MouseEvent, "button");
  const submitterOf = told(SubmitEvent, "submitter");
  const inputTypeOf = told(InputEvent, "inputType");
  const askedOf = told(CustomEvent, "detail");
  const dispatch = method(EventTarget, "dispatchEvent");
  const walkerOf = method(Document, "createTreeWalker");
  const nextOf = method(TreeWalker, "nextNode");
  const Answer = CustomEvent;
  const spaceOf = getter(Element, "namespaceURI");
  const shadowOf = getter(Element, "shadowRoot");
  const find = method(Element, "querySelector");
  const allIn = [method(Document, "querySelectorAll"), method(DocumentFragment, "querySelectorAll")];
  const controlOfLabel = getter(HTMLLabelElement, "control");
  const kindOfInput = getter(HTMLInputElement, "type");
  const observe = method(MutationObserver, "observe");
  const recordsOf = method(MutationObserver, "takeRecords");
  const rootOf = method(Node, "getRootNode");
  const addedBy = getter(MutationRecord, "addedNodes");
  const animate = method(Element, "animate");
  const cancel = method(Animation, "cancel");

  const HTML = "http://www.w3.org/1999/xhtml";
  const PRESSED = new Set(["checkbox", "radio", "submit", "button", "image", "reset"]);
  const LOOK = {
    outline: "3px solid #1a6dff",
    outlineOffset: "2px",
    boxShadow: "0 0 0 6px rgba(26, 109, 255, 0.3)",
  };

  const reports = parts.reports(settings);
  const replays = parts.replays(natives);
  const draws = parts.draws();
  const changes = parts.changes(natives);
  const named = new Map();
  const watched = new WeakSet();
  let known = null;
  const view = parts.siteView(changes.kindOf);
  const keys = parts.keys(view, parts.names, settings);
  const { tagOf } = view;
  const [presses, reads, drawings, listeners] = [[], [], [], []];
  const attempts = new Map();
  let deselect = () => {};
  let relayed = null;
  let submitting = false;

  // The window is the end of every path, and no node.
  const isNode = (thing) => thing !== window;
  const isElement = (node) => node !== window && view.isElement(node);
  const isHtml = (node, tag) => isElement(node) && tagOf(node) === tag && spaceOf(node) === HTML;

  const isLink = (node) => tagOf(node) === "a" || tagOf(node) === "area";

  // What is filled in rather than pressed: a click there only puts the cursor.
  const isEntered = (node) =>
    isHtml(node, "textarea") || isHtml(node, "select") || (isHtml(node, "input") && !PRESSED.has(kindOfInput(node)));

  // If our code raises, the page goes on without it, and the error is reported.
  const guarded = (act) => (event) => {
    try {
      return act(event);
    } catch (error) {
      reports.send("", settings.page, "fault", `${error}`, null);
      return undefined;
    }
  };

  const install = () => {
    for (let at = 0; at < listeners.length; at += 1) addListener(window, listeners[at].type, listeners[at].act, true);
  };

  // On the window and in the capturing phase: earlier than any listener that the page can have.
  const listen = (types, act) => {
    const wrapped = guarded(effects.deciding(act));
    for (const type of types) {
      listeners[listeners.length] = { type, act: wrapped };
      addListener(window, type, wrapped, true);
    }
  };

  const countsFor = (mode) => {
    let counts = attempts.get(mode);
    if (!counts) attempts.set(mode, (counts = new Map()));
    return counts;
  };

  // A report may still be on its way when the program says what it knows: the larger number is the later one.
  const take = (told) => {
    const named = keysOf(told);
    for (let at = 0; at < named.length; at += 1) {
      const counts = countsFor(named[at]);
      const counted = told[named[at]];
      const about = keysOf(counted);
      for (let one = 0; one < about.length; one += 1) {
        counts.set(about[one], max(counted[about[one]], counts.get(about[one]) ?? 0));
      }
    }
  };

  const roots = () => {
    /** @type {(Document | ShadowRoot)[]} */
    const found = [document];
    // The list grows while it is gone through: a root may have further roots in it.
    for (let at = 0; at < found.length; at += 1) {
      const elements = allIn[at ? 1 : 0](found[at], "*");
      for (let one = 0; one < elements.length; one += 1) {
        const root = shadowOf(elements[one]);
        if (!root) continue;
        found[found.length] = root;
        watch(root);
      }
    }
    return found;
  };

  // What was seen keeps its key. What a script has drawn since is looked for before the next decision.
  const controls = () => {
    const records = recordsOf(watcher);
    if (records.length) onDrawn(records);
    if (known) return known;
    const list = keys.controls(roots(), settings.path);
    const byElement = new Map();
    for (let at = 0; at < list.length; at += 1) {
      byElement.set(list[at].element, list[at]);
      named.set(list[at].key, list[at]);
    }
    known = { list, byElement };
    return known;
  };

  const controlsAround = (node) => {
    // Attaching a shadow root to an element changes no node, so no observer notices it.
    if (!watched.has(rootOf(node))) known = null;
    return controls().byElement;
  };

  // What the ledger calls a control, which the program may not have seen yet.
  const send = (mode, about, event, value) => {
    const control = named.get(about);
    reports.send(mode, about, event, value, control ? [control.role, control.name] : null);
  };
  const effects = parts.effects(natives, send);

  const report = (mode, about, event, value) => {
    if (event === "hit" && about !== settings.page) effects.claim(mode, about, value);
    else send(mode, about, event, value);
  };

  const labelledBy = (node) => (isHtml(node, "label") ? controlOfLabel(node) : null);

  // The control that an event is about: the innermost one around the target, a label standing for its field.
  const controlOf = (event) => {
    const path = pathOf(event);
    if (!isNode(path[0])) return null;
    const known = controlsAround(path[0]);
    for (let at = 0; at < path.length; at += 1) {
      const node = path[at];
      if (!isElement(node)) continue;
      if (known.has(node)) return { control: known.get(node), look: node };
      const field = labelledBy(node);
      if (field && known.has(field)) return { control: known.get(field), look: node };
    }
    return null;
  };

  const block = (event) => {
    prevent(event);
    stop(event);
    effects.hold();
  };

  // A filled animation changes no attribute, so that no markup shows it, and neither does any style sheet.
  const wear = (element, look, pseudo) => {
    const worn = animate(element, look, { duration: 0, fill: "forwards", pseudoElement: pseudo ?? null });
    return () => cancel(worn);
  };

  // Several draws of one element come one after the other, and hashing a key takes longer than drawing.
  let last = { rule: [0, 0], key: "", attempt: -1, state: 0 };
  const stateOf = (rule, key, attempt) => {
    if (last.key !== key || last.rule !== rule || last.attempt !== attempt) {
      last = { rule, key, attempt, state: draws.begin(rule, draws.keyWords(key), attempt) };
    }
    return last.state;
  };

  /** @type {Runtime} */
  const runtime = {
    natives,
    isEntered,
    // Enter in a field of one line comes as input too, though it only submits.
    isSubmission: (event) => inputTypeOf(event) === "insertLineBreak" && isHtml(pathOf(event)[0], "input"),
    origin: (event) => pathOf(event)[0],
    roots,
    view,
    clean: keys.clean,
    controls: () => controls().list,
    nodes: (most) => keys.nodes(roots(), most),
    keyOf: (element) => controlsAround(element).get(element)?.key,
    draw: (rule, key, attempt, lane) => draws.end(rule, stateOf(rule, key, attempt), lane ?? 0),
    lets: (allowed, key, attempt) => {
      if (!allowed) return true;
      if (!hasOwn(allowed.controls, key)) return allowed.others;
      const named = allowed.controls[key];
      for (let at = 0; at < named[1].length; at += 1) if (named[1][at] === attempt) return named[0];
      return !named[0];
    },
    // The program keeps the count over page loads.
    attempt: (mode, key) => {
      const counts = countsFor(mode);
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return count;
    },
    page: settings.page,
    place: keys.place(settings.path),
    loads: settings.loads,
    report,
    onPress: (gate) => (presses[presses.length] = gate),
    onRead: (act) => (reads[reads.length] = act),
    onDrawn: (act) => (drawings[drawings.length] = act),
    own: changes.own,
    disown: changes.disown,
    changed: changes.changed,
    toldOf: changes.toldOf,
    listen,
    guarded,
    block,
    wear,
    select: (element) => {
      deselect();
      deselect = wear(element, LOOK);
    },
  };

  // The same for each mode, but that what it changes counts as its own.
  const runtimeOf = (mode) => ({
    ...runtime,
    own: (node, kind) => {
      runtime.own(node, kind);
      effects.changed(mode, node);
    },
    changed: (node, site) => {
      runtime.changed(node, site);
      effects.changed(mode, node);
    },
    wear: (element, look, pseudo) => {
      const off = wear(element, look, pseudo);
      const { end } = effects.changed(mode, element);
      return () => {
        end();
        off();
      };
    },
  });

  const passes = (control, look, detail, again) => {
    const { key, pressed, element } = control;
    const press = { key, pressed, element, look, detail, keyed: !detail, again };
    for (let at = 0; at < presses.length; at += 1) if (!presses[at](press)) return false;
    return true;
  };

  const onClick = (event) => {
    // Of the other buttons only the middle one acts on a page: it opens a link in a tab.
    if (replays.isRunning() || (typeOf(event) === "auxclick" && buttonOf(event) !== 1)) return;
    const found = controlOf(event);
    if (!found || isEntered(found.control.element)) return;
    // And nothing but a link: to hold back what does nothing is to disturb nothing.
    if (typeOf(event) === "auxclick" && !isLink(found.control.element)) return;
    const { control, look } = found;
    if (relayed === control.element && look === control.element) {
      relayed = null;
      return;
    }
    if (!passes(control, look, detailOf(event), replays.clickAgain(event))) {
      block(event);
      return;
    }
    // A label's click is followed by one on its field, and a submit button's by the submission: the same action.
    relayed = look === control.element ? null : control.element;
    submitting = true;
    // The submission comes in the same task as the click that caused it; a later one is a gesture of its own.
    wait(() => (submitting = false));
  };

  const defaultButton = (form) => find(form, "button:not([type]), [type=submit], [type=image]") ?? form;

  const onSubmit = (event) => {
    // What the click has already been decided about must not be decided again as a submission.
    if (submitting || replays.isRunning()) return;
    const target = targetOf(event);
    if (!isElement(target)) return;
    const submitter = submitterOf(event);
    const control = controlsAround(target).get(submitter ?? defaultButton(target));
    if (control && !passes(control, control.element, 0, replays.submitAgain(target, submitter))) block(event);
  };

  // Written piece by piece: a script of the page may have given objects a `toJSON`.
  const toldAs = ({ kind, was, text }) => {
    let said = `{"kind":"${kind}"`;
    if (text !== undefined) said += `,"text":${stringify(text)}`;
    const names = was ? keysOf(was) : [];
    for (let at = 0; at < names.length; at += 1) {
      said += `${at ? "," : ',"was":{'}${stringify(names[at])}:${stringify(was[names[at]])}`;
    }
    return `${said}${names.length ? "}" : ""}}`;
  };

  // What is not as the site made it, by numbers that stressweb/html/notes.js explains.
  const ours = () => {
    if (!changes.any()) return '"":{}';
    const ways = [{ root: document, way: "" }];
    let text = "";
    // The list grows while it is gone through: a root may have further roots in it.
    for (let at = 0; at < ways.length; at += 1) {
      const { root, way } = ways[at];
      const walker = walkerOf(document, root);
      let found = "";
      for (let number = 0, node = nextOf(walker); node; number += 1, node = nextOf(walker)) {
        const told = changes.toldOf(node);
        if (told) found += `${found && ","}"${number}":${toldAs(told)}`;
        const inner = isElement(node) ? shadowOf(node) : null;
        if (inner) ways[ways.length] = { root: inner, way: `${way && `${way} `}${number}` };
      }
      text += `${text && ","}"${way}":{${found}}`;
    }
    return text;
  };

  // Comes from outside of the page, whose scripts know neither its name nor that of the answer.
  const onRead = (event) => {
    // Whoever sends it learns in this way that somebody has heard it.
    block(event);
    const asked = parse(askedOf(event) ?? "{}");
    take(asked.attempts ?? {});
    for (let at = 0; at < reads.length; at += 1) reads[at]();
    // A key is made when its control is seen first: here as in the recorder, so that both say the same of it later.
    controls();
    if (!asked.answer) return;
    const said = `"from":${stringify(settings.report)},"reports":${reports.taken()},"changed":${effects.counted()}`;
    dispatch(window, new Answer(asked.answer, { detail: `{${said},"nodes":{${ours()}}}` }));
  };

  const drawn = (element) => {
    for (let at = 0; at < drawings.length; at += 1) drawings[at](element);
  };

  // To open a document anew takes away every listener, also those on the window, and all nodes: that is seen here. A
  // listener that is still there is not added a second time and keeps its place.
  const onDrawn = guarded((records) => {
    known = null;
    install();
    if (!drawings.length) return;
    for (let at = 0; at < records.length; at += 1) {
      const added = addedBy(records[at]);
      for (let one = 0; one < added.length; one += 1) if (isElement(added[one])) drawn(added[one]);
    }
  });
  const watcher = new MutationObserver(onDrawn);
  // What makes an element a control, or another one; what it is called counts only when it is seen first.
  const WATCHED = { childList: true, subtree: true, attributeFilter: ["role", "href", "type", "onclick"] };
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observe(watcher, root, WATCHED);
  };
  watch(document);

  take(settings.attempts);
  // A new gesture begins, whether or not the second click of a label has come.
  listen(["pointerdown", "keydown"], () => (relayed = null));
  listen(["click", "auxclick"], onClick);
  listen(["submit"], onSubmit);
  listen([settings.read], onRead);
  for (const [start, ...given] of modes) guarded(() => start(runtimeOf(given[0].mode), ...given))(null);
}
