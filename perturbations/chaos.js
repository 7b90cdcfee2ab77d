// Blocks of the page are drawn otherwise, by rules on their marks. After layout the draw of a block shrinks until every
// target can be hit in its middle, texts can be read, and nothing leaves the document.
/**
 * @typedef {object} ChaosSettings
 * @property {string} mode
 * @property {[string, number, number, number, number, number, number, number][]} blocks - Token, scale, rotation in
 *   degrees, shift in pixels (across and down), skew in degrees, factor of the font size, extra margin in pixels.
 * @property {number} reach - How far a block may be moved, in pixels.
 */

/**
 * @param {Api} api
 * @param {ChaosSettings & Narrowed} settings
 * @param {() => any} reach - What reach.js returns.
 */
(api, settings, reach) => {
  "use strict";
  const { boxOf, inkOf, isSeen, hides, coverers } = reach();
  const FLOORS = { button: 28, input: 24, font: 9 };
  const ROUNDS = 40;
  const PATIENT = 12;
  const HALVINGS = 4;
  const WIDE = 360;
  const CORNERS = [-1, 1].map((side) => [0.35 * side, 0.25 * side]);
  const TARGETS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [role]";
  const UNCUT = "img, svg, svg *, input, select, textarea";
  const draws = new Map(settings.blocks.map(([token, ...draw]) => [token, draw]));
  const told = new Set();
  const sheet = new CSSStyleSheet();
  let waiting = false;
  let fitted = null;
  let lies = "";
  document.adoptedStyleSheets.push(sheet);

  const limited = (value, floor) => Math.max(value, Math.min(1, floor));
  const tokenIn = (element) => {
    for (const name of element.classList) if (draws.has(name)) return name;
    return null;
  };

  const smallestFont = (element) => {
    const sizes = [element, ...element.querySelectorAll("*")]
      .filter((one) => one.localName === "input" || Array.from(one.childNodes).some((node) => node.nodeType === 3))
      .map((one) => parseFloat(getComputedStyle(one).fontSize));
    return Math.min(...sizes, 1000);
  };

  // How much of an element is cut off, in pixels.
  const cutOf = (element) =>
    Math.max(element.scrollHeight - element.clientHeight, element.scrollWidth - element.clientWidth);

  const cutsIn = (element) =>
    [element, ...element.querySelectorAll("*")]
      .filter((one) => !one.matches(UNCUT) && hides(one) && isSeen(one))
      .map((one) => ({ element: one, cut: cutOf(one) }));

  const floorOf = (target) =>
    ["input", "select", "textarea"].includes(target.localName) ? FLOORS.input : FLOORS.button;

  const measured = (element, token) => {
    const style = getComputedStyle(element);
    const bare = style.backgroundColor === "rgba(0, 0, 0, 0)" && style.backgroundImage === "none" && !element.clientTop;
    return {
      element,
      token,
      draw: draws.get(token),
      strength: 1,
      halvings: 0,
      angle: 0,
      scale: 1,
      bare,
      ink: inkOf({ element, bare }),
      box: boxOf(element),
      inline: style.display === "inline",
      plain: style.transform === "none",
      font: parseFloat(style.fontSize),
      letters: smallestFont(element),
      space: parseFloat(style.marginTop) || 0,
      targets: [],
      cuts: cutsIn(element),
    };
  };

  const blocksIn = (body) =>
    Array.from(body.querySelectorAll("[class]"), (element) => [element, tokenIn(element)])
      .filter(([element, token]) => token && isSeen(element) && element.checkVisibility({ visibilityProperty: true }))
      .map(([element, token]) => measured(element, token));

  // The page as it stands without us: what is a block, what is a target, and what can be hit.
  const survey = () => {
    const blocks = blocksIn(document.body);
    const owner = new Map(blocks.map((block) => [block.element, block]));
    const blockOf = (node) => {
      for (let one = node; one; one = one.parentElement) if (owner.has(one)) return owner.get(one);
      return null;
    };
    const points = [];
    for (const target of document.body.querySelectorAll(TARGETS)) {
      const places = [target, ...(target.labels ?? [])].filter(isSeen);
      points.push(...places.map((element) => ({ element, target, block: blockOf(element) })));
      const font = parseFloat(getComputedStyle(target).fontSize);
      blockOf(target)?.targets.push({ element: target, box: boxOf(target), font });
    }
    for (const block of blocks) {
      const { element } = block;
      if (!block.targets.length) points.push({ element, target: element, block });
      for (const corner of CORNERS) points.push({ element, target: null, block, corner });
    }
    const page = { blocks, blockOf, points, width: widthOf() };
    const over = coverers(page);
    points.forEach(({ element, target, block }, at) => {
      // If a target cannot be hit on the undisturbed page, there is no way to tell later whether we covered it.
      if (over[at] && block && element === target) block.strength = 0;
    });
    page.points = points.filter((_, at) => !over[at]);
    return page;
  };

  const widthOf = () => document.documentElement.scrollWidth;

  // The draw of a block at its strength, as far as letters, targets and page allow.
  const drawnFor = ({ draw, strength, ink, box, letters, targets }) => {
    const [scaled, turned, across, down, slanted, sized, spaced] = draw;
    const edge = document.documentElement.clientWidth;
    const part = (value) => 1 + (value - 1) * strength;
    // What is wide turns less and from its left end, so that it stays about where its place is.
    const wide = ink.width > WIDE;
    const middle = wide ? ink.left : ink.left + ink.width / 2;
    const floors = targets.map((target) => floorOf(target.element) / Math.min(target.box.width, target.box.height));
    const room = Math.max(1, (edge - middle) / Math.max(box.right - middle, 1));
    const scale = Math.min(limited(part(scaled), Math.max(FLOORS.font / letters, ...floors)), room);
    const [left, right] = [middle - (middle - ink.left) * scale, middle + (box.right - middle) * scale];
    const rise = Math.min(1, (settings.reach * strength) / (ink.width * scale * (wide ? 1 : 0.5)));
    const most = (Math.asin(rise) * 180) / Math.PI;
    return {
      origin: middle - box.left,
      scale,
      font: limited(part(sized), FLOORS.font / (letters * scale)),
      angle: Math.max(-most, Math.min(most, turned * strength)),
      across: Math.max(-Math.max(left, 0), Math.min(across * strength, Math.max(edge - right, 0))),
      down: Math.max(down * strength, -Math.max(ink.top, 0)),
      skew: slanted * strength,
      margin: spaced * strength,
    };
  };

  const rule = (block) => {
    if (!block.strength) {
      Object.assign(block, { angle: 0, scale: 1 });
      return "";
    }
    const drawn = drawnFor(block);
    Object.assign(block, { angle: drawn.angle, scale: drawn.scale * drawn.font });
    const said = [
      `translate:${drawn.across}px ${drawn.down}px`,
      `rotate:${drawn.angle}deg`,
      `scale:${drawn.scale}`,
      `font-size:${block.font * drawn.font}px`,
      `margin-top:${block.space + drawn.margin}px`,
      `transform-origin:${drawn.origin}px 50%`,
      "transition:none",
    ];
    if (block.plain) said.push(`transform:skewX(${drawn.skew}deg)`);
    if (block.inline) said.push("display:inline-block");
    const inner = block.targets
      .filter(({ element }) => element !== block.element && api.tokenOf(element))
      .map(({ element, font }) => `.${api.tokenOf(element)}{font-size:${font * drawn.font}px!important}`);
    return `.${block.token}{${said.map((one) => `${one}!important`).join(";")}}${inner.join("")}`;
  };

  const apply = (blocks) => sheet.replaceSync(blocks.map(rule).join(""));

  const shared = (one, two) =>
    Math.max(0, Math.min(one.right, two.right) - Math.max(one.left, two.left)) *
    Math.max(0, Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top));
  const area = (box) => box.width * box.height;

  const nested = (one, two) => one.contains(two) || two.contains(one);

  // Blocks that lie on one another more than they did, as long as one of them is disturbed.
  const piled = (blocks, boxes) => {
    const found = [];
    const order = blocks.map((_, at) => at).sort((one, two) => boxes[one].top - boxes[two].top || one - two);
    order.forEach((one, place) => {
      for (let next = place + 1; next < order.length && boxes[order[next]].top < boxes[one].bottom; next += 1) {
        const two = order[next];
        if (nested(blocks[one].element, blocks[two].element)) continue;
        const before = shared(blocks[one].ink, blocks[two].ink);
        const most = before + 0.2 * Math.min(area(boxes[one]), area(boxes[two]));
        if (shared(boxes[one], boxes[two]) > most) found.push(blocks[one], blocks[two]);
      }
    });
    return found;
  };

  const escaped = (blocks, boxes) =>
    blocks.filter((block, at) => {
      const edge = Math.max(block.box.right, document.documentElement.clientWidth);
      const { left, top } = boxes[at];
      return boxOf(block.element).right > edge + 1 || left < Math.min(block.ink.left, 0) - 1 || top < -1;
    });

  const dwarfed = (blocks) =>
    blocks.filter((block) =>
      block.targets.some(({ element, box }) => {
        const now = element.getBoundingClientRect();
        const least = Math.min(now.width, now.height) + 0.5;
        return least < Math.min(box.width, box.height, floorOf(element));
      }),
    );

  const cropped = (blocks) =>
    blocks.filter((block) => block.cuts.some(({ element, cut }) => cutOf(element) > cut + 2));

  // What has to give way by the looks of the boxes, which are quickly compared.
  const crowding = ({ blocks }) => {
    const boxes = blocks.map(inkOf);
    return [...escaped(blocks, boxes), ...piled(blocks, boxes), ...dwarfed(blocks), ...cropped(blocks)];
  };

  // What has to give way so that every point can be hit that could be.
  const covering = (page) => {
    const found = [];
    let nameless = widthOf() > page.width + 2;
    coverers(page).forEach((over, at) => {
      const guilty = over ? [page.points[at].block, page.blockOf(over)].filter(Boolean) : [];
      found.push(...guilty);
      nameless ||= over && !guilty.length;
    });
    return found.length || !nameless ? found : page.blocks;
  };

  const failing = (page) => {
    const acting = (blocks) => [...new Set(blocks)].filter((block) => block.strength);
    const crowded = acting(crowding(page));
    // Hit tests scroll the whole page and are slow, so they come last, when the boxes alone show no fault.
    return crowded.length ? crowded : acting(covering(page));
  };

  const weaken = (block, round) => {
    block.halvings += 1;
    // Halving keeps as much of the stress as possible; a block that still fails gives it up, so that the rounds end.
    block.strength = round > PATIENT || block.halvings > HALVINGS ? 0 : block.strength / 2;
  };

  // Where everything lies: what has not moved since it was fitted fits.
  const layout = () => {
    const places = fitted.points.map(({ element }) => Object.values(boxOf(element)).map(Math.round));
    return JSON.stringify([places, innerWidth, innerHeight, document.documentElement.scrollHeight]);
  };

  const fit = () => {
    // Under a modal dialog nothing else can be hit: the page is looked at once it is closed.
    waiting = document.querySelector(":modal") !== null;
    if (waiting || !draws.size) return;
    // Measured without our rules: floors and places are those of the page as the site made it.
    sheet.replaceSync("");
    fitted = survey();
    // Where the cause of a failure is looked for: as each block lay in the end, whichever other ones lie there now.
    if (settings.strengths) for (const block of fitted.blocks) block.strength = settings.strengths[block.token] ?? 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      apply(fitted.blocks);
      if (settings.strengths) break;
      const gone = round === ROUNDS - 1 ? fitted.blocks : failing(fitted);
      if (!gone.length) break;
      for (const block of gone) weaken(block, round);
    }
    apply(fitted.blocks);
    lies = layout();
  };

  const tellStrengths = () => {
    const strengths = Object.fromEntries((fitted?.blocks ?? []).map((block) => [block.token, block.strength]));
    api.report(settings.mode, api.page, "fitted", [JSON.stringify(strengths), ""]);
  };

  const tell = () => {
    if (settings.tells) tellStrengths();
    const moved = (fitted?.blocks ?? []).filter((block) => block.strength).map((block) => block.token);
    const fresh = new Set(moved.filter((token) => !told.has(token)));
    for (const token of fresh) told.add(token);
    if (fresh.size) api.report(settings.mode, api.page, "moved", fresh.size);
  };

  const fitAndTell = () => {
    if (!fitted || layout() !== lies) fit();
    tell();
  };

  window.addEventListener("DOMContentLoaded", fit, true);
  window.addEventListener("load", fitAndTell, true);
  document.addEventListener("close", () => waiting && fitAndTell(), true);
  api.onClosed(() => waiting && fitAndTell());
  return (more) => {
    for (const [token, ...draw] of more.blocks) draws.set(token, draw);
    if (settings.strengths) Object.assign(settings.strengths, more.strengths);
    fitted = null;
    if (document.readyState === "complete") fitAndTell();
    else fit();
  };
}
