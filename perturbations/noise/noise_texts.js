// Noise in texts: splits the text of elements into several nodes, with zero-width characters between letters.
// The site's text nodes stay in place, because scripts keep references to them. A site's text node keeps the beginning
// of its text; our nodes right after it show the rest, until the page changes the text again.

/** @import { Copies } from "./copies.js" */
/** @import { Cut, TextItem, TextRun } from "./noise_cuts.js" */
/** @import { Runtime } from "../page/runtime.js" */

/**
 * Layout of a text's element: `spread` if it lays its children out as columns or cells, `pointed` if it looks
 * clickable.
 *
 * @typedef {{alike: string, spread: boolean, pointed: boolean}} Standing
 */
/**
 * The plan for a text: its words (`core`), and the white space before (`lead`) and after (`trail`) them.
 *
 * @typedef {TextWish & {node: Text, data: string, core: string, lead: string, trail: string, quiet: boolean,
 *   alike: string}} Planned
 */
/**
 * The same, with its nodes.
 *
 * @typedef {Planned & {head: string, pieces: Node[], rewritten: {node: Text, site: string}[], spans: Element[]}}
 *   TextPlan
 */

/**
 * A planned change of one text.
 *
 * @typedef {object} TextWish
 * @property {Element} element - The element whose first text it is.
 * @property {Record<string, boolean>} does - Which of wrap, split, widen and comment.
 * @property {(operator: string, number: number, size: number) => number} place - A drawn position below a size.
 */
/**
 * @typedef {object} NoiseTexts
 * @property {(root: Document | ShadowRoot) => void} watch - Removes our nodes at texts in a root when the page changes
 *   the texts.
 * @property {() => void} mend - Does so now for pending changes.
 * @property {(wishes: TextWish[]) => (TextPlan | null)[]} plan - Plans changes of texts without changing anything.
 * @property {(plans: (TextPlan | null)[]) => void} write - Carries the plans out.
 * @property {(plans: (TextPlan | null)[]) => string[][]} check - Undoes changes that are visible; returns for each wish
 *   the operators that have changed something.
 * @property {(copies: Map<Node, Node>) => void} adopt - Registers copies of texts and of our nodes that belong to them.
 */

/**
 * @param {Runtime} runtime
 * @param {Copies} copies
 * @param {Cut} cut
 * @returns {NoiseTexts}
 */
export const makeNoiseTexts = (runtime, copies, cut) => {
  const { method, getter, setter } = runtime.natives;
  const { attribute, isElement, kindOf, tagOf, textOf } = runtime.view;
  const [firstOf, nextOf, parentOf] = ["firstChild", "nextSibling", "parentNode"].map((name) => getter(Node, name));
  const insert = method(Node, "insertBefore");
  const append = method(Node, "appendChild");
  const remove = method(Node, "removeChild");
  const dataOf = getter(CharacterData, "data");
  const write = setter(CharacterData, "data");
  const element = method(Document, "createElement");
  const text = method(Document, "createTextNode");
  const comment = method(Document, "createComment");
  const closest = method(Element, "closest");
  const observe = method(MutationObserver, "observe");
  const records = method(MutationObserver, "takeRecords");
  const targetOf = getter(MutationRecord, "target");
  const previousOf = getter(MutationRecord, "previousSibling");
  const removedBy = getter(MutationRecord, "removedNodes");
  const styleOf = getComputedStyle;
  const styled = method(CSSStyleDeclaration, "getPropertyValue");

  const PRESSED = "a, button";
  // The page often reads the target of a click on one of these, and it must be the site's own element.
  const CLICKED = "label, summary, [onclick], [role=button], [role=link], [role=tab], [role=option], [role=menuitem]";
  // Templates that are not compiled yet.
  const CODE = /\{\{|\}\}|\$\{|<%/;

  // Our nodes after a text of the site, and the original text.
  const parts = new WeakMap();
  const belongs = new WeakMap();
  const watched = new WeakSet();

  /** @param {Element} holder */
  const firstText = (holder) => {
    for (let node = firstOf(holder); node; node = nextOf(node)) {
      const data = kindOf(node) ? null : textOf(node);
      if (data?.trim()) return node;
    }
    return null;
  };

  // The layout of an element, computed once for all elements with the same markup.
  /** @param {Element} holder @param {Map<string, Standing>} known */
  const standing = (holder, known) => {
    const around = parentOf(holder);
    const above = isElement(around) ? `${tagOf(around)} ${attribute(around, "class")}` : "";
    const alike = `${tagOf(holder)} ${attribute(holder, "class")} ${above}`;
    if (!known.has(alike)) {
      const style = styleOf(holder);
      const spread = /flex|grid/.test(styled(style, "display"));
      known.set(alike, { alike, spread, pointed: styled(style, "cursor") === "pointer" });
    }
    return /** @type {Standing} */ (known.get(alike));
  };

  /** @param {TextWish} wish @param {Map<string, Standing>} known */
  const planOf = (wish, known) => {
    const node = firstText(wish.element);
    // A copy of a changed text is changed already.
    if (!node || parts.has(node)) return null;
    const data = dataOf(node);
    if (CODE.test(data)) return null;
    const core = data.trim();
    const lead = data.slice(0, data.indexOf(core));
    const trail = data.slice(lead.length + core.length);
    const plan = { ...wish, node, data, core, lead, trail, quiet: false, alike: "" };
    if (wish.does.wrap || wish.does.split) {
      plan.quiet = closest(wish.element, PRESSED) !== null;
      const { alike, spread, pointed } = standing(wish.element, known);
      plan.alike = alike;
      const clicked = !plan.quiet && (pointed || closest(wish.element, CLICKED));
      // In a flex or grid container, every added element would be another item.
      if (spread || clicked) plan.does.wrap = plan.does.split = false;
    }
    return build(plan);
  };

  /** @param {Planned} plan */
  const build = (plan) => {
    const { does, node, lead, trail, core } = plan;
    /** @type {{node: Text, site: string}[]} */
    const rewritten = [];
    /** @type {Element[]} */
    const spans = [];
    /** @type {Node[]} */
    const pieces = [];
    /** @type {(item: TextItem) => Node} */
    const nodeOf = (item) => {
      if (item.comment !== undefined) {
        const added = comment(document, item.comment);
        runtime.own(added, "added");
        return added;
      }
      if (!item.span) {
        const run = text(document, item.ours);
        if (item.ours !== item.site) rewritten[rewritten.length] = { node: run, site: item.site };
        return run;
      }
      const span = element(document, "span");
      runtime.own(span, "wrapper");
      for (let i = 0; i < item.span.length; i += 1) append(span, nodeOf(item.span[i]));
      spans[spans.length] = span;
      return span;
    };
    const items = cut(core, does, plan.place);
    const opening = /** @type {TextRun} */ (items[0]);
    const last = items[items.length - 1];
    if (last.span && trail) items[items.length] = { site: trail, ours: trail };
    else if (!last.span && last.comment === undefined) {
      last.site += trail;
      last.ours += trail;
    }
    const head = lead + opening.ours;
    for (let i = 1; i < items.length; i += 1) pieces[pieces.length] = nodeOf(items[i]);
    if (opening.ours !== opening.site) rewritten[rewritten.length] = { node, site: lead + opening.site };
    return { ...plan, head, pieces, rewritten, spans };
  };

  /** @type {(plan: TextPlan) => void} */
  const place = ({ node, head, data, pieces, rewritten }) => {
    const holder = parentOf(node);
    const behind = nextOf(node);
    for (let i = 0; i < pieces.length; i += 1) {
      insert(holder, pieces[i], behind);
      belongs.set(pieces[i], node);
    }
    if (head !== data) write(node, head);
    if (pieces.length) parts.set(node, { head, whole: data, pieces });
    for (let i = 0; i < rewritten.length; i += 1) {
      runtime.changed(rewritten[i].node, { text: rewritten[i].site });
      copies.rewrote(rewritten[i].node, rewritten[i].site);
    }
  };

  /** @param {Text} node */
  const drop = (node) => {
    const { head, whole, pieces } = parts.get(node);
    parts.delete(node);
    for (let i = 0; i < pieces.length; i += 1) {
      belongs.delete(pieces[i]);
      const holder = parentOf(pieces[i]);
      if (holder) remove(holder, pieces[i]);
    }
    // If the page has changed the text since, keep it.
    if (dataOf(node) === head) write(node, whole);
  };

  // Whether our pieces are still right after their text and the text is unchanged.
  /** @param {Text} node */
  const isWhole = (node) => {
    const { head, pieces } = parts.get(node);
    let last = node;
    for (let i = 0; i < pieces.length; i += 1) {
      if (nextOf(last) !== pieces[i]) return false;
      last = pieces[i];
    }
    return dataOf(node) === head;
  };

  /** @param {MutationRecord[]} records */
  const repair = (records) => {
    const touched = new Set();
    /** @param {Node | null} node */
    const touch = (node) => {
      if (!node) return;
      const owner = parts.has(node) ? node : belongs.get(node);
      if (owner && parts.has(owner)) touched.add(owner);
    };
    for (let i = 0; i < records.length; i += 1) {
      touch(targetOf(records[i]));
      touch(previousOf(records[i]));
      const removed = removedBy(records[i]);
      for (let j = 0; j < removed.length; j += 1) touch(removed[j]);
    }
    touched.forEach((node) => isWhole(node) || drop(node));
  };
  const observer = new MutationObserver(runtime.guarded(repair));

  // Whether the spans look like their surroundings; a style sheet may style spans differently.
  /** @param {TextPlan} plan @param {Map<string, boolean>} looks */
  const fits = (plan, looks) => {
    const { element: holder, spans } = plan;
    if (!spans.length) return true;
    const alike = `${plan.alike} ${plan.does.wrap}`;
    if (!looks.has(alike)) {
      const [own, around] = [styleOf(spans[0]), styleOf(holder)];
      const same = ["color", "font-size", "font-weight"].every((name) => styled(own, name) === styled(around, name));
      looks.set(alike, same && styled(own, "display") === "inline" && styled(own, "position") === "static");
    }
    return looks.get(alike);
  };

  /** @type {(plan: TextPlan) => string[]} */
  const did = ({ does }) => ["wrap", "split", "widen", "comment"].filter((operator) => does[operator]);

  /** @type {NoiseTexts["check"]} */
  const check = (plans) => {
    const looks = new Map();
    const well = plans.map((plan) => plan && fits(plan, looks));
    for (let i = 0; i < plans.length; i += 1) {
      if (plans[i] && !well[i]) drop(/** @type {TextPlan} */ (plans[i]).node);
      else if (plans[i]) settle(/** @type {TextPlan} */ (plans[i]));
    }
    // Discards the records of our own changes.
    records(observer);
    return plans.map((plan, i) => (well[i] ? did(/** @type {TextPlan} */ (plan)) : []));
  };

  /** @type {(plan: TextPlan) => void} */
  const settle = ({ spans, quiet }) => {
    for (let i = 0; i < spans.length; i += 1) {
      // Clicks go to the site's element, not to our span.
      const look = quiet ? { pointerEvents: "none" } : null;
      copies.register(spans[i], { kind: "wrapper", stands: "between", look });
    }
  };

  return {
    plan: (wishes) => {
      const known = new Map();
      return wishes.map((wish) => planOf(wish, known));
    },
    write: (plans) => {
      for (let i = 0; i < plans.length; i += 1) if (plans[i]) place(/** @type {TextPlan} */ (plans[i]));
    },
    check,
    watch: (root) => {
      if (watched.has(root)) return;
      watched.add(root);
      observe(observer, root, { childList: true, characterData: true, subtree: true });
    },
    mend: () => repair(records(observer)),
    adopt: (copied) => {
      copied.forEach((copy, node) => {
        const known = parts.get(node);
        if (!known) return;
        const pieces = known.pieces.map((/** @type {Node} */ piece) => copied.get(piece)).filter(Boolean);
        if (pieces.length < known.pieces.length) return;
        parts.set(copy, { ...known, pieces });
        pieces.forEach((/** @type {Node} */ piece) => belongs.set(piece, copy));
      });
    },
  };
};
