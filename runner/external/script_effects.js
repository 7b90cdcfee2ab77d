// Observes which changes scripts make in a document, and traces each change to the script that made it. Evaluated in
// each document before the document's own scripts, in an isolated world that the page cannot see.
//
// A change counts if it is still there at the next action, navigation or end of the episode. Marks that a client sets
// while reading the page, and removes before that, do not count.
/** @typedef {import("./observer.js").Field} Field */
/**
 * @typedef {object} Segment
 * @property {number} number
 * @property {boolean} isHeard - Whether an event is being handled.
 * @property {(root: Node) => void} observe
 */
/**
 * @typedef {object} History
 * @property {Map<Node, Map<string | null, string | null>>} held - The attributes and the text of each node, by the
 *   attribute's name; null for the text.
 * @property {Map<Node, Place>} wasThere - The parent and the next sibling of each node, both null for a new one.
 */
/**
 * @typedef {[parent: Node | null, next: Node | null]} Place
 */
/**
 * @typedef {Node & {host?: Node}} Part
 */
/**
 * What can change without a mutation record.
 *
 * @typedef {object} Look
 * @property {Map<Field, string>} fields
 * @property {Map<CSSStyleSheet, string>} sheets
 * @property {number} adopted
 * @property {string | null} stored
 * @property {string | null} cookies
 */
/**
 * A command of the client that is running.
 *
 * @typedef {object} Run
 * @property {Look} before - The state before it.
 * @property {Set<Field>} fields - Fields that it changed.
 * @property {Set<string>} kept - Other changes.
 * @property {boolean} isHeard - Whether it dispatched an event.
 * @property {boolean} isReset - Whether it reset a form.
 */
/**
 * A node of any kind; each uses only what it has.
 *
 * @typedef {Element & Pick<CharacterData, "data"> & {host?: Element, parentNode: Partial<Element> | null}} Target
 */
/**
 * @typedef {Omit<MutationRecord, "target" | "attributeName"> & {target: Target, attributeName: string}} Change
 */
/**
 * @param {string} mark - First argument of each console message, which identifies our messages. A message's stack
 *   trace includes the stack of the change that it reports.
 */
(mark) => {
  "use strict";
  const { trace, debug } = console;
  const ACTS = ["mousedown", "click", "keydown", "beforeinput", "input", "change", "submit", "drop"];
  // Other events that a page may answer: reading, pointing and focusing are not changes.
  const OTHERS =
    "focus blur focusin focusout mouseover mousemove mouseup mouseout pointerdown pointermove pointerup keyup scroll " +
    "dblclick reset select toggle wheel touchstart touchend dragstart dragover paste";
  const FIELDS = "input, textarea, select";
  const SEEN = { subtree: true, childList: true, attributes: true, characterData: true };
  const HELD = { ...SEEN, attributeOldValue: true, characterDataOldValue: true };
  const INERT = "a, button, input, textarea, select, form, script, style, link, iframe, [onclick], [tabindex]";
  const MOST = 500;

  let isArmed = false;
  // Changes since the last action, by the number of the segment in which they were made.
  /** @type {Map<number, MutationRecord[]>} */
  let waiting = new Map();
  // The outermost event that is being handled.
  /** @type {Event | null} */
  let outer = null;
  let isSubmitted = false;
  /** @type {Set<Document | ShadowRoot>} */
  const roots = new Set([document]);
  // Elements that a client draws over the page, such as highlights: they ignore pointers and contain none of the
  // site's nodes.
  const overlays = new WeakSet();
  // Elements that the browser itself opens and closes in response to an event.
  const toggled = new WeakSet();

  /** @type {<Given>(act: () => Given) => Given | null} */
  const attempt = (act) => {
    try {
      return act();
    } catch {
      return null;
    }
  };

  const sheetsOf = () => [...document.styleSheets, ...document.adoptedStyleSheets];

  // The state of fields, storage and style sheets, which change without a mutation record.
  /** @type {(field: Field) => string} */
  const stateOf = (field) =>
    field.localName === "select"
      ? Array.from(field.options, ({ selected }) => Number(selected)).join("")
      : `${field.value} ${field.checked}`;
  /** @type {() => Look} */
  const look = () => {
    /** @type {Map<Field, string>} */
    const fields = new Map();
    for (const root of roots)
      for (const field of /** @type {NodeListOf<Field>} */ (root.querySelectorAll(FIELDS)))
        fields.set(field, stateOf(field));
    /** @type {(sheet: CSSStyleSheet) => [sheet: CSSStyleSheet, state: string]} */
    const styled = (sheet) => [sheet, `${sheet.disabled} ${attempt(() => sheet.cssRules.length)}`];
    return {
      fields,
      sheets: new Map(sheetsOf().map(styled)),
      adopted: document.adoptedStyleSheets.length,
      stored: attempt(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
      cookies: attempt(() => document.cookie),
    };
  };
  /** @type {<Key>(before: Map<Key, string>, after: Map<Key, string>) => Key[]} */
  const differing = (before, after) =>
    Array.from(after.keys()).filter((key) => before.has(key) && before.get(key) !== after.get(key));

  // Null if none is running; who uses it checks that.
  let run = /** @type {Run} */ (/** @type {unknown} */ (null));
  const compare = () => {
    const after = look();
    if (outer === null) {
      for (const field of differing(run.before.fields, after.fields)) run.fields.add(field);
      if (run.before.stored !== after.stored) run.kept.add("storage");
      if (run.before.cookies !== after.cookies) run.kept.add("cookies");
      const restyled = differing(run.before.sheets, after.sheets).length || run.before.adopted !== after.adopted;
      if (restyled) run.kept.add("style sheets");
    }
    run.before = after;
  };
  // A field with a dispatched event counts as an entry, because the page's listeners are notified.
  /** @type {(shape: {type: string, name: string}, field: Field) => void} */
  const forgive = ({ type, name }, field) => {
    /** @type {(other: Field) => boolean} */
    const isMate = (other) => type === "radio" && other.type === "radio" && other.name === name;
    for (const other of run.fields) if (other === field || isMate(other)) run.fields.delete(other);
  };

  /** @type {(records: MutationRecord[], number?: number) => void} */
  const onRecords = (records, number = segment.number) => {
    if (!records.length) return;
    waiting.set(number, [...(waiting.get(number) ?? []), ...records]);
    if (waiting.size > MOST) settle();
  };
  const observer = new MutationObserver((records) => onRecords(records));

  // The browser keeps the stack of only the first change in a task. So the changes before, during and after the
  // handling of an event are separate segments, each with its own observer.
  let numbers = 0;
  /** @type {(isHeard: boolean) => Segment} */
  const newSegment = (isHeard) => {
    const fresh = /** @type {Segment} */ ({ number: (numbers += 1), isHeard });
    const tracer = new MutationObserver(() => {
      trace(mark, "changed", fresh.number, fresh.isHeard);
      if (fresh === segment) segment = Object.assign(fresh, { number: (numbers += 1), isHeard: false });
      else tracer.disconnect();
    });
    /** @type {(root: Node) => void} */
    fresh.observe = (root) => tracer.observe(root, SEEN);
    if (isArmed) roots.forEach(fresh.observe);
    return fresh;
  };
  /** @type {Segment} */
  let segment = newSegment(false);
  /** @type {(isHeard: boolean) => void} */
  const beginSegment = (isHeard) => {
    const records = observer.takeRecords();
    onRecords(records);
    if (records.length) segment = newSegment(isHeard);
    else segment.isHeard = isHeard;
  };

  // Attributes that affect an element are, with few exceptions, also properties of the element or of its style.
  /** @type {(element: Element, name: string) => boolean} */
  const isHeeded = (element, name) => {
    const property = name.replaceAll("-", "").toLowerCase();
    for (const known in element) if (known.toLowerCase() === property) return true;
    return /^(?:class|for|item\w+)$/.test(name) || CSS.supports(name, "inherit");
  };
  /** @type {(name: string) => boolean} */
  const isStyled = (name) => {
    /** @type {(rule: CSSRule) => boolean} */
    const isNamed = ({ cssText }) => cssText.includes(`[${name}`);
    return sheetsOf().some((sheet) => attempt(() => Array.from(sheet.cssRules).some(isNamed)));
  };
  /** @type {(node: Node) => boolean} */
  const isOverlay = (node) => {
    if (!(node instanceof Element) || node.matches(INERT) || node.querySelector(INERT)) return false;
    const { position, pointerEvents } = getComputedStyle(node);
    return pointerEvents === "none" && ["absolute", "fixed"].includes(position);
  };
  /** @type {(node: Node) => boolean} */
  const isLaidOver = (node) => {
    for (let part = /** @type {Part | undefined} */ (node); part; part = part.parentNode ?? part.host)
      if (overlays.has(part)) return true;
    return false;
  };

  // The state at the last action: for each node, its position in the document, its attributes and its text.
  /** @type {(records: MutationRecord[]) => History} */
  const historyOf = (records) => {
    /** @type {Map<Node, Map<string | null, string | null>>} */
    const held = new Map();
    /** @type {Map<Node, Place>} */
    const wasThere = new Map();
    for (const { target, attributeName, oldValue, addedNodes, removedNodes, nextSibling } of records) {
      if (!held.has(target)) held.set(target, new Map());
      const values = /** @type {Map<string | null, string | null>} */ (held.get(target));
      if (!values.has(attributeName)) values.set(attributeName, oldValue);
      // A node that is moved is removed first.
      for (const node of removedNodes) if (!wasThere.has(node)) wasThere.set(node, [target, nextSibling]);
      for (const node of addedNodes) if (!wasThere.has(node)) wasThere.set(node, [null, null]);
    }
    return { held, wasThere };
  };
  // Describes what remains of a change, with the attribute's name if only the site's scripts could react to it.
  /** @type {(change: Change, history: History) => [change: string, attribute: string] | null} */
  const left = ({ type, target, attributeName, addedNodes, removedNodes }, { held, wasThere }) => {
    if (!target.isConnected || isLaidOver(target)) return null;
    const tag = `<${target.localName ?? (target.parentNode ?? target).localName ?? target.host?.localName ?? "page"}>`;
    const before = /** @type {Map<string | null, string | null>} */ (held.get(target)).get(attributeName);
    if (type === "characterData") return target.data === before ? null : [`text of ${tag}`, ""];
    if (type === "attributes") {
      if (attributeName === "open" && toggled.has(target)) return null;
      // Setting and unsetting a style leaves an empty attribute.
      if ((target.getAttribute(attributeName) || null) === (before || null)) {
        if (["style", "class"].includes(attributeName) || target.getAttribute(attributeName) === before) return null;
      }
      const isMark = !isHeeded(target, attributeName) && !isStyled(attributeName);
      return [`${attributeName} of ${tag}`, isMark ? attributeName : ""];
    }
    for (const node of addedNodes) if (node.isConnected && isOverlay(node)) overlays.add(node);
    /** @type {Node[]} */
    const moved = [...addedNodes, ...removedNodes].filter((node) => !overlays.has(node));
    /** @type {(node: Node) => unknown} */
    const isElsewhere = (node) => {
      const [parent, next] = /** @type {Place} */ (wasThere.get(node));
      return parent !== (node.isConnected ? node.parentNode : null) || (parent && next !== node.nextSibling);
    };
    const isChanged = moved.some(isElsewhere);
    return isChanged ? [`content of ${tag}`, ""] : null;
  };
  const settle = () => {
    const changes = waiting;
    waiting = new Map();
    const history = historyOf(Array.from(changes.values()).flat());
    const standing = [];
    for (const [key, records] of changes) {
      for (const record of records.slice(0, MOST)) {
        const rest = left(/** @type {Change} */ (record), history);
        if (rest) standing.push([key, ...rest]);
      }
    }
    if (changes.size) debug(mark, "standing", JSON.stringify(standing));
  };

  /** @type {(event: Event) => void} */
  const onEvent = (event) => {
    if (!isArmed) return;
    const [field] = /** @type {Field[]} */ (event.composedPath());
    if (run) {
      compare();
      if (["click", "input", "change"].includes(event.type)) forgive(field, field);
      run.isHeard = true;
      run.isReset ||= event.type === "reset";
    }
    outer ??= event;
    // Add the listener anew so that it runs last: the site may also listen on the window.
    /** @type {EventTarget} */
    (event.currentTarget).removeEventListener(event.type, onEventOver);
    /** @type {EventTarget} */
    (event.currentTarget).addEventListener(event.type, onEventOver, { passive: true });
    beginSegment(true);
    if (ACTS.includes(event.type)) settle();
    isSubmitted ||= event.type === "submit";
    const opened = field instanceof Element && field.closest(event.type === "submit" ? "dialog" : "details");
    if (opened) toggled.add(opened);
    // Runs after the mutation records of the event's handlers.
    queueMicrotask(() => queueMicrotask(onTaskOver));
  };
  const onTaskOver = () => {
    outer = null;
    isSubmitted = false;
    segment.isHeard = false;
  };
  /** @type {(event: Event) => void} */
  const onEventOver = (event) => {
    if (outer !== event) return;
    if (run) compare();
    outer = null;
    beginSegment(false);
  };
  // Listen in each shadow root, because some events do not leave it. `composed` does not identify these: events of a
  // form never leave.
  const heard = new WeakSet();
  /** @type {(root: EventTarget) => void} */
  const listen = (root) => {
    /** @type {(act: (event: Event) => void) => (event: Event) => void} */
    const hear = (act) => (event) => {
      if (!heard.has(event)) act(event);
      heard.add(event);
    };
    const onFormData = () => isArmed && trace(mark, "submits", isSubmitted);
    for (const type of [...ACTS, ...OTHERS.split(" ")]) {
      root.addEventListener(type, hear(onEvent), { capture: true, passive: true });
    }
    root.addEventListener("formdata", hear(onFormData), { capture: true, passive: true });
  };
  listen(globalThis);
  globalThis.navigation?.addEventListener("navigate", ({ navigationType, sourceElement }) => {
    if (!isArmed) return;
    beginSegment(segment.isHeard);
    settle();
    // Forms are reported before, and links need a click.
    if (!sourceElement && ["push", "replace"].includes(navigationType)) trace(mark, "navigates");
  });

  // No event announces that an element has a new shadow root, so search for them.
  const walk = () => {
    for (const root of roots) {
      if (root !== document && !root.isConnected) continue;
      for (const { shadowRoot } of root.querySelectorAll("*")) {
        if (!shadowRoot || roots.has(shadowRoot)) continue;
        roots.add(shadowRoot);
        observer.observe(shadowRoot, HELD);
        segment.observe(shadowRoot);
        listen(shadowRoot);
      }
    }
  };

  const arm = () => {
    if (isArmed) return;
    isArmed = true;
    observer.observe(document, HELD);
    segment.observe(document);
  };
  /** @type {Record<symbol, object>} */
  (globalThis)[Symbol.for("effects")] = {
    arm,
    begin: () => {
      arm();
      walk();
      onTaskOver();
      run = { before: look(), fields: new Set(), kept: new Set(), isHeard: false, isReset: false };
      debug(mark, "runs");
    },
    end: () => {
      if (!run) return;
      compare();
      const filled = run.isReset ? [] : Array.from(run.fields, (field) => `entry of <${field.localName}>`);
      debug(mark, "ran", JSON.stringify({ changes: [...filled, ...run.kept], heard: run.isHeard }));
      run = /** @type {Run} */ (/** @type {unknown} */ (null));
    },
    settle,
  };
}
