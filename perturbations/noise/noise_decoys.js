// Decoys: hidden links and texts, hidden copies of controls, and visible buttons in the page's style that do nothing.

import { makePhrases } from "./noise_phrases.js";

/** @import { Copies } from "./copies.js" */
/** @import { Control } from "../page/keys.js" */
/** @import { Runtime } from "../page/runtime.js" */
/** @import { Phrases } from "./noise_phrases.js" */

/**
 * A decoy and its place: a child of `holder`, in front of `before`.
 *
 * @typedef {object} DecoyOnly
 * @property {Element} node
 * @property {Element} holder
 * @property {Node | null} before
 * @property {Keyframe | null} look - The look that hides it; null for a visible decoy.
 * @property {Text} [gap] - The blank in front of it.
 * @property {() => void} [worn] - Removes its look.
 */
/** @typedef {DecoyWish & DecoyOnly} DecoyPlan */

/**
 * @typedef {object} DecoyWish
 * @property {Element} element - The element at which to place it.
 * @property {"hide_decoy" | "show_decoy" | "duplicate"} operator
 * @property {(number: number, size: number) => number} place - A drawn position below a size.
 * @property {() => string | null} token - A meaningless class for the decoy, or null, as drawn.
 */
/**
 * @typedef {object} NoiseDecoys
 * @property {(wishes: DecoyWish[], controls: Control[]) => (DecoyPlan | null)[]} plan - Creates the possible decoys
 *   without adding them; null for the others.
 * @property {(plans: (DecoyPlan | null)[]) => void} write - Adds them.
 * @property {(plans: (DecoyPlan | null)[]) => boolean[]} check - Removes decoys that do not look as intended; returns
 *   for each wish whether its decoy stays.
 */

/**
 * @param {Runtime} runtime
 * @param {Copies} copies
 * @param {() => boolean} isScripted - Whether scripts run on the page.
 * @returns {NoiseDecoys}
 */
export const makeNoiseDecoys = (runtime, copies, isScripted) => {
  const { method, getter } = runtime.natives;
  const { attribute, isElement, tagOf } = runtime.view;
  const parentOf = getter(Node, "parentNode");
  const nextOf = getter(Node, "nextSibling");
  const insert = method(Node, "insertBefore");
  const remove = method(Node, "removeChild");
  const create = method(Document, "createElement");
  const text = method(Document, "createTextNode");
  const setAttribute = method(Element, "setAttribute");
  const removeAttribute = method(Element, "removeAttribute");
  const behind = getter(Element, "nextElementSibling");
  const compare = method(Node, "compareDocumentPosition");
  const closest = method(Element, "closest");
  const boxOf = method(Element, "getBoundingClientRect");
  const isShown = method(Element, "checkVisibility");
  const [heightOf, roomOf, spreadOf, spaceOf] = ["scrollHeight", "clientHeight", "scrollWidth", "clientWidth"].map(
    (name) => getter(Element, name),
  );
  const styleOf = getComputedStyle;
  const styled = method(CSSStyleDeclaration, "getPropertyValue");

  // Elements that allow only certain children, or count them.
  const STRICT = new Set(
    "tr table tbody thead tfoot colgroup select optgroup datalist dl ruby picture video audio".split(" "),
  );
  const LISTS = new Set(["ul", "ol", "menu"]);
  // A node inside one of these would be pressed with it and change its name.
  const PRESSED = "a, button, label, summary, [role=button], [role=link], [role=option], [role=tab], [role=menuitem]";
  const { max, min } = Math;
  const FOLLOWS = Node.DOCUMENT_POSITION_FOLLOWING;
  const HIDDEN = { display: "none" };
  const SEEN = { visibilityProperty: true, opacityProperty: true };
  const [NARROW, LOW] = [16, 12];

  const decoys = new WeakSet();

  // Keep clicks on decoys from the page's scripts.
  runtime.listen(["click", "auxclick", "dblclick"], (event) => {
    for (let node = runtime.origin(event); node && node !== window; node = parentOf(node)) {
      if (decoys.has(node)) {
        runtime.block(event);
        return;
      }
    }
  });

  /** @param {Element} element */
  const isNested = (element) => {
    const holder = parentOf(element);
    return !holder || !isElement(holder) || closest(holder, PRESSED) !== null;
  };
  /** @param {Element} element */
  const isStructured = (element) => {
    if (isNested(element)) return true;
    const holder = tagOf(parentOf(element));
    return STRICT.has(holder) || (LISTS.has(holder) && tagOf(element) !== "li");
  };

  // The site's classes of an element, because a class that a mode added must stay unique.
  /** @param {Element} element */
  const classesOf = (element) => {
    const difference = runtime.toldOf(element);
    return difference?.was && "class" in difference.was ? difference.was.class : attribute(element, "class");
  };

  /**
   * @param {string} tag
   * @param {string} name
   * @param {string | null | undefined} classes
   * @param {string | null} token
   */
  const decoyOf = (tag, name, classes, token) => {
    const node = create(document, tag);
    const all = [classes, token].filter(Boolean).join(" ");
    if (all) setAttribute(node, "class", all);
    insert(node, text(document, name), null);
    runtime.own(node, "added");
    decoys.add(node);
    return node;
  };
  /** @param {Element} node @param {Element} element */
  const link = (node, element) => setAttribute(node, "href", attribute(element, "href") || "/");

  /**
   * @param {string} tag
   * @param {Element} element
   * @param {string} name
   * @param {string | null | undefined} classes
   * @param {string | null} token
   */
  const build = (tag, element, name, classes, token) => {
    const node = decoyOf(tag, name, classes, token);
    if (tag === "a") link(node, element);
    // Otherwise it would be a submit button, which Enter presses.
    if (tag === "button") setAttribute(node, "type", "button");
    return node;
  };

  /** @param {DecoyWish} wish @param {Phrases} phrasing */
  const hide = (wish, phrasing) => {
    const { element, place, token } = wish;
    const tag = tagOf(element);
    const name = phrasing.phrase(place);
    if (!name || isStructured(element)) return null;
    // A script may read the text of an element.
    if (tag === "li" && isScripted()) return null;
    // After a link or a button, not in it, where it would become part of its name.
    const behind = tag === "a" || tag === "button" || (tag !== "li" && isScripted());
    const where = behind ? { holder: parentOf(element), before: nextOf(element) } : { holder: element, before: null };
    const [kind, classes] = tag === "a" ? ["a", classesOf(element)] : ["span", null];
    return { ...wish, ...where, node: build(kind, element, name, classes, token()), look: HIDDEN };
  };

  /** @param {DecoyWish} wish @param {Map<Element, Control>} named */
  const twin = (wish, named) => {
    const { element, token } = wish;
    const name = named.get(element)?.name;
    const tag = tagOf(element);
    if (!name || (tag !== "a" && tag !== "button") || isStructured(element)) return null;
    const node = build(tag, element, name, classesOf(element), token());
    // In front of the control, so that an agent that takes the first match of a name gets the copy, which cannot be
    // pressed. If the page has scripts, it comes after the control, because a script must get the site's.
    const before = isScripted() ? nextOf(element) : element;
    return { ...wish, node, holder: parentOf(element), before, look: HIDDEN };
  };

  // Models for visible decoys: shown, enabled buttons (or links) with a name, in the normal flow.
  /** @param {Control[]} controls */
  const modelsOf = (controls) => {
    /** @type {Record<string, Element[]>} */
    const byRole = { button: [], link: [] };
    for (let i = 0; i < controls.length; i += 1) {
      const { element, role, name } = controls[i];
      const tag = tagOf(element);
      const ofRole = byRole[role];
      if (!ofRole || !name || ofRole.length >= 24 || (tag !== "a" && tag !== "button" && tag !== "input")) continue;
      if (!isElement(parentOf(element)) || !isShown(element, SEEN)) continue;
      const style = styleOf(element);
      const plain = /static|relative/.test(styled(style, "position")) && styled(style, "float") === "none";
      if (plain && attribute(element, "disabled") === null) ofRole[ofRole.length] = element;
    }
    return byRole.button.length ? byRole.button : byRole.link;
  };

  /** @param {DecoyWish} wish @param {Phrases} phrasing @param {Element[]} models */
  const show = (wish, phrasing, models) => {
    const { element, place, token } = wish;
    const name = phrasing.phrase(place);
    // A script that queries the first element of a class or name must get the site's, so on a page with scripts a decoy
    // comes after its model.
    /** @param {Element} candidate */
    const isBehind = (candidate) => candidate === element || compare(candidate, element) & FOLLOWS;
    const alike = isScripted() ? models.filter(isBehind) : models;
    if (!name || !alike.length || isStructured(element)) return null;
    const model = alike[place(2, alike.length)];
    const tag = tagOf(model) === "a" ? "a" : "button";
    const node = build(tag, model, name, classesOf(model), token());
    return { ...wish, node, holder: parentOf(element), before: nextOf(element), look: null };
  };

  // Whether a container clips its contents: elements that a decoy pushes down could not be reached.
  /** @param {Node} holder @param {Map<Node, boolean>} known */
  const cutsOff = (holder, known) => {
    let cut = false;
    for (let node = holder; isElement(node) && tagOf(node) !== "body"; node = parentOf(node)) {
      if (!known.has(node)) {
        const style = styleOf(node);
        const down = /hidden|clip/.test(styled(style, "overflow-y")) && heightOf(node) > roomOf(node);
        const aside = /hidden|clip/.test(styled(style, "overflow-x")) && spreadOf(node) > spaceOf(node);
        known.set(node, down || aside);
      }
      cut ||= known.get(node) === true;
    }
    return cut;
  };

  /** @type {(decoy: DecoyPlan) => void} */
  const take = ({ gap, holder, node }) => {
    if (gap) remove(holder, gap);
    remove(holder, node);
  };

  // Whether the next element is positioned, such as an event in a calendar's day: it must not be pushed down.
  /** @param {Element} node */
  const pushesPlaced = (node) => {
    const next = behind(node);
    return Boolean(next) && styled(styleOf(next), "position") !== "static";
  };

  /** @type {(decoy: DecoyPlan, width: number, known: Map<Element, boolean>) => boolean} */
  const isWell = ({ node, holder }, width, known) => {
    const box = boxOf(node);
    const room = boxOf(holder);
    const style = styleOf(node);
    if (!/static|relative/.test(styled(style, "position")) || box.width < NARROW || box.height < LOW) return false;
    // It must not cover the neighbours of its container.
    const fits = box.left >= max(0, room.left - 1) && box.right <= min(width, room.right + 1);
    return fits && !cutsOff(holder, known) && !pushesPlaced(node);
  };

  // An `!important` rule of the page overrides a look, so check that the decoy is hidden.
  /** @type {(decoy: DecoyPlan, known: Map<string, boolean>) => boolean} */
  const isHidden = ({ node, holder, element }, known) => {
    const isUnseen = () => styled(styleOf(node), "display") === "none";
    const alike = `${tagOf(node)} ${tagOf(holder)} ${classesOf(element)}`;
    if (!known.has(alike)) known.set(alike, isUnseen());
    if (known.get(alike)) return true;
    removeAttribute(node, "class");
    return isUnseen();
  };

  /** @type {NoiseDecoys["plan"]} */
  const plan = (wishes, controls) => {
    const phrasing = makePhrases(controls);
    const named = new Map();
    for (let i = 0; i < controls.length; i += 1) named.set(controls[i].element, controls[i]);
    const models = wishes.some(({ operator }) => operator === "show_decoy") ? modelsOf(controls) : [];
    return wishes.map((/** @type {DecoyWish} */ wish) => {
      if (wish.operator === "hide_decoy") return hide(wish, phrasing);
      return wish.operator === "duplicate" ? twin(wish, named) : show(wish, phrasing, models);
    });
  };

  /** @type {NoiseDecoys["check"]} */
  const check = (plans) => {
    const width = spaceOf(document.documentElement);
    const [hidden, cut] = [new Map(), new Map()];
    // Check all before removing any, so that the browser lays the page out only once.
    const well = plans.map((decoy) => decoy && (decoy.look ? isHidden(decoy, hidden) : isWell(decoy, width, cut)));
    for (let i = 0; i < plans.length; i += 1) if (plans[i] && !well[i]) take(/** @type {DecoyPlan} */ (plans[i]));
    return plans.map((decoy, i) => Boolean(decoy && well[i] && settle(decoy)));
  };

  /** @param {DecoyPlan} decoy */
  const insertDecoy = (decoy) => {
    const { node, holder, before, element, operator } = decoy;
    insert(holder, node, before);
    // Next to a button, it has the same gap as another button.
    if (operator === "show_decoy" && tagOf(element) === "button") {
      decoy.gap = text(document, " ");
      runtime.own(/** @type {Text} */ (decoy.gap), "added");
      insert(holder, decoy.gap, node);
    }
    if (decoy.look) decoy.worn = runtime.wear(node, decoy.look);
  };

  /** @type {(decoy: DecoyPlan) => boolean} */
  const settle = ({ node, look, worn, before, element }) => {
    const stands = before === element ? "before" : "behind";
    /** @param {Element} copy */
    const copied = (copy) => decoys.add(copy);
    /** @param {Element} decoy */
    const released = (decoy) => decoys.delete(decoy);
    copies.register(node, { kind: "added", stands, look, copied, released }, worn);
    return true;
  };

  return {
    plan,
    write: (plans) => {
      for (let i = 0; i < plans.length; i += 1) if (plans[i]) insertDecoy(/** @type {DecoyPlan} */ (plans[i]));
    },
    check,
  };
};
