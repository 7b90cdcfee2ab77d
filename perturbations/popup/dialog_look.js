// The look of a dialog, copied from the current style of the page's own cards, headings, buttons and fields.

/** @import { Runtime } from "../page/runtime.js" */

/**
 * The look of each part of a dialog, as a keyframe.
 *
 * @typedef {object} DialogLook
 * @property {Keyframe} dialog
 * @property {Keyframe} heading
 * @property {Keyframe} text
 * @property {Keyframe} label - Of a field.
 * @property {Keyframe} field
 * @property {Keyframe} row - Of an answer to choose.
 * @property {Keyframe} radio
 * @property {Keyframe} bar - Around the buttons.
 * @property {Keyframe} button
 * @property {Keyframe} cue - Of a message in the dialog.
 * @property {Keyframe} toast - Of a message after the dialog has closed.
 */
/**
 * @param {Runtime} runtime
 * @returns {() => DialogLook} - Call it while no dialog of ours is on the page.
 */
export const makeDialogLook = (runtime) => {
  const { method, getter } = runtime.natives;
  const { max, min, round } = Math;
  const styleOf = getComputedStyle;
  const read = method(CSSStyleDeclaration, "getPropertyValue");
  const match = method(RegExp, "exec");
  const within = method(Document, "querySelectorAll");
  const matches = method(Element, "matches");
  const boxOf = method(Element, "getBoundingClientRect");
  const [widthOf, heightOf] = ["width", "height"].map((name) => getter(DOMRectReadOnly, name));
  const parent = getter(Node, "parentNode");
  const body = getter(Document, "body");
  const root = getter(Document, "documentElement");
  const widthOfWindow = getter({ prototype: window }, "innerWidth");
  const prefers = getter(MediaQueryList, "matches");
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const RGB = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/;
  const PIXELS = /^([\d.]+)px/;
  // Limit of elements to search, because a page may have a hundred thousand.
  const MOST = 400;
  const CARDS = "body main *, body [role=main] *, body article, body section, body div";
  const BUTTONS = "button, input[type=submit], input[type=button], a[role=button], a[class*=btn], a[class*=button]";
  const FIELDS =
    "input:not([type]), input[type=text], input[type=search], input[type=email], input[type=number], textarea, select";
  const NO_CARDS = `${BUTTONS}, ${FIELDS}, [role=alert], [role=status], header *, footer *, nav *, nav, img, picture`;
  const PASSING = ":hover, :focus, :active, :disabled";
  // biome-ignore format: a table
  const TYPE = [
    ["font-family", "fontFamily"], ["font-weight", "fontWeight"], ["font-style", "fontStyle"],
    ["letter-spacing", "letterSpacing"], ["text-transform", "textTransform"],
  ];
  // biome-ignore format: a table
  const FACE = [
    ["color", "color"], ["background-color", "backgroundColor"], ["border-top-color", "borderColor"],
    ["border-top-style", "borderStyle"], ["border-top-width", "borderWidth"],
    ["border-top-left-radius", "borderRadius"], ["box-shadow", "boxShadow"],
  ];

  /** @param {Element} element @param {string} name */
  const of = (element, name) => read(styleOf(element), name);

  /** @param {Element} element @param {string[][]} names */
  const taken = (element, names) => {
    /** @type {Record<string, string>} */
    const look = {};
    const style = styleOf(element);
    for (let i = 0; i < names.length; i += 1) look[names[i][1]] = read(style, names[i][0]);
    return look;
  };

  /** @param {string} text @param {number} least @param {number} most */
  const pixels = (text, least, most) => {
    const numbers = match(PIXELS, text);
    return `${max(least, min(most, numbers ? +numbers[1] : least))}px`;
  };

  /** @type {(text: string) => number[] | null} */
  const rgb = (text) => {
    const channels = match(RGB, text);
    return channels && [+channels[1], +channels[2], +channels[3], channels[4] === undefined ? 1 : +channels[4]];
  };
  /** @param {string} text */
  const isOpaque = (text) => (rgb(text)?.[3] ?? 0) > 0.95;

  /** @type {(colour: number[], below: number[]) => number[]} */
  const over = (colour, below) => {
    const share = colour[3];
    const mixed = [];
    for (let i = 0; i < 3; i += 1) mixed[i] = colour[i] * share + below[i] * (1 - share);
    mixed[3] = share + below[3] * (1 - share);
    return mixed;
  };
  /** @param {number[]} colour */
  const written = (colour) => `rgb(${round(colour[0])}, ${round(colour[1])}, ${round(colour[2])})`;

  const LINE = "1px solid rgba(127, 127, 127, 0.6)";
  /** @param {Record<string, string>} face */
  const isEdged = (face) => face.borderStyle !== "none" && match(/[1-9]/, face.borderWidth) !== null;
  /** @param {Record<string, string>} face */
  const edge = (face) => `${pixels(face.borderWidth, 1, 3)} ${face.borderStyle} ${face.borderColor}`;

  // Relative luminance and contrast as in WCAG 2.2, from colours of 0 to 255.
  /** @param {number} part */
  const linear = (part) => (part <= 10.31 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  /** @param {number[]} colour */
  const luminance = (colour) => 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
  /** @param {number[]} colour @param {number[]} ground */
  const contrast = (colour, ground) => {
    const a = luminance(colour);
    const b = luminance(ground);
    return (max(a, b) + 0.05) / (min(a, b) + 0.05);
  };
  // A ground always parses as a colour: groundOf has written it, or isOpaque has parsed it.
  /** @type {(text: string) => number[]} */
  const readable = (text) => /** @type {number[]} */ (rgb(text));
  /** @param {string} colour @param {string} ground */
  const isLike = (colour, ground) => contrast(rgb(colour) ?? readable(ground), readable(ground)) < 1.3;
  // The colour if it is legible on the ground, else black or white.
  /** @param {string} text @param {string} ground */
  const legible = (text, ground) => {
    const colour = rgb(text);
    const below = rgb(ground);
    if (!below) return text;
    if (colour && colour[3] > 0.5 && contrast(colour, below) >= 3) return text;
    return luminance(below) > 0.18 ? "rgb(26, 26, 26)" : "rgb(245, 245, 245)";
  };

  // The colour behind an element: the backgrounds around it, blended down to the first opaque one.
  /** @param {Element} element */
  const groundOf = (element) => {
    /** @type {number[] | undefined} */
    let veil;
    for (let node = /** @type {Node | null} */ (element); node && node !== document; node = parent(node)) {
      const ground = rgb(of(/** @type {Element} */ (node), "background-color"));
      if (!ground?.[3]) continue;
      veil = veil ? over(veil, ground) : ground;
      if (veil[3] > 0.95) return written(veil);
    }
    // The browser's own background, if the page has none.
    const scheme = of(root(document), "color-scheme");
    const isDark = match(/dark/, scheme) && (!match(/light/, scheme) || prefers(dark));
    const canvas = isDark ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return written(veil ? over(veil, canvas) : canvas);
  };

  /** @param {string} selector @param {(element: Element) => boolean} fits */
  const first = (selector, fits) => {
    const elements = within(document, selector);
    for (let i = 0; i < elements.length && i < MOST; i += 1) if (fits(elements[i])) return elements[i];
    return null;
  };
  /** @param {Element} element @param {number} width @param {number} height */
  const isLarge = (element, width, height) => {
    const box = boxOf(element);
    return widthOf(box) >= width && heightOf(box) >= height;
  };

  // The style of a card (an element with a border, a shadow or a rounded background); null for other elements.
  /** @param {Element} element */
  const cardFace = (element) => {
    // Check the size first: most elements are small, and reading a style takes ten times as long.
    const box = boxOf(element);
    // A bar across the whole window is not a card.
    if (widthOf(box) < 72 || heightOf(box) < 60 || widthOf(box) > widthOfWindow(window) - 8) return null;
    const face = taken(element, FACE);
    const isSetOff = isEdged(face) || face.boxShadow !== "none";
    const isRound = match(/[1-9]/, face.borderRadius) !== null && (rgb(face.backgroundColor)?.[3] ?? 0) > 0;
    if (!isSetOff && !isRound) return null;
    return of(element, "display") === "inline" || matches(element, NO_CARDS) ? null : face;
  };

  // The most common style of the page's cards.
  const commonCard = () => {
    const counts = new Map();
    /** @type {{element: Element, face: Record<string, string>, count: number} | null} */
    let best = null;
    const cards = within(document, CARDS);
    for (let i = 0; i < cards.length && i < MOST; i += 1) {
      const face = cardFace(cards[i]);
      if (!face) continue;
      const name = `${face.backgroundColor} ${face.borderColor} ${face.borderRadius} ${face.boxShadow}`;
      const entry = counts.get(name) ?? { element: cards[i], face, count: 0 };
      entry.count += 1;
      counts.set(name, entry);
      if (!best || entry.count > best.count) best = entry;
    }
    return best;
  };

  /** @returns {Record<string, string>} */
  const dialogLook = () => {
    const card = commonCard();
    const below = body(document) ?? root(document);
    const ground = groundOf(card?.element ?? below);
    const face = card?.face;
    const color = legible(of(card?.element ?? below, "color"), ground);
    return {
      ...taken(card?.element ?? below, TYPE),
      // The site may have chosen these for the layout of its cards.
      letterSpacing: "normal",
      textTransform: "none",
      color,
      backgroundColor: ground,
      border: face && isEdged(face) ? edge(face) : LINE,
      borderRadius: face ? pixels(face.borderRadius, 0, 24) : "",
      boxShadow: face && face.boxShadow !== "none" ? face.boxShadow : "0 8px 32px rgba(0, 0, 0, 0.3)",
      fontSize: pixels(of(below, "font-size"), 14, 18),
    };
  };

  /** @param {string} ground @param {string} color */
  const headingLook = (ground, color) => {
    const heading = first("h1, h2, h3, h4", (/** @type {Element} */ element) => isLarge(element, 8, 8));
    if (!heading) return { fontWeight: "600" };
    return { ...taken(heading, TYPE), color: legible(of(heading, "color"), ground) ?? color };
  };

  /** @param {string} ground @param {string} color */
  const buttonLook = (ground, color) => {
    /** @param {Element} element */
    const fits = (element) => isLarge(element, 24, 16) && isOpaque(of(element, "background-color"));
    // A button under the pointer or in focus has a temporary look.
    const button =
      first(BUTTONS, (/** @type {Element} */ element) => fits(element) && !matches(element, PASSING)) ??
      first(BUTTONS, fits);
    if (!button) return { color, backgroundColor: "transparent", border: `1px solid ${color}`, borderRadius: "4px" };
    const face = taken(button, FACE);
    // On a dialog of the same colour a button would look like plain text.
    const sinks = isLike(face.backgroundColor, ground) && (!isEdged(face) || isLike(face.borderColor, ground));
    const gradient = of(button, "background-image");
    return {
      ...taken(button, TYPE),
      color: legible(face.color, face.backgroundColor),
      backgroundColor: face.backgroundColor,
      backgroundImage: match(/url\(/, gradient) ? "none" : gradient,
      border: sinks ? LINE : `${face.borderWidth} ${face.borderStyle} ${face.borderColor}`,
      borderRadius: face.borderRadius,
      boxShadow: matches(button, PASSING) ? "none" : face.boxShadow,
    };
  };

  /** @param {string} ground @param {string} color */
  const fieldLook = (ground, color) => {
    const field = first(
      FIELDS,
      (/** @type {Element} */ element) => isLarge(element, 40, 16) && !matches(element, PASSING),
    );
    if (!field) return { color, backgroundColor: ground, border: `1px solid ${color}`, borderRadius: "4px" };
    const face = taken(field, FACE);
    const below = isOpaque(face.backgroundColor) ? face.backgroundColor : ground;
    return {
      color: legible(face.color, below),
      backgroundColor: below,
      border: `${pixels(face.borderWidth, 1, 3)} solid ${match(/, 0\)$/, face.borderColor) ? color : face.borderColor}`,
      borderRadius: pixels(face.borderRadius, 0, 24),
    };
  };

  return () => {
    const base = dialogLook();
    const { color, backgroundColor: ground, border, fontFamily, fontSize, boxShadow } = base;
    const button = buttonLook(ground, color);
    const borderRadius = base.borderRadius || pixels(button.borderRadius, 0, 16);
    const plain = { color, font: "inherit", textAlign: "start", letterSpacing: "normal", textTransform: "none" };
    const block = { ...plain, display: "block", width: "auto", padding: "0px" };
    const control = { boxSizing: "border-box", fontFamily, fontSize, lineHeight: "1.4", letterSpacing: "normal" };
    const note = { ...block, border, borderRadius, backgroundColor: ground, padding: "10px 14px", lineHeight: "1.4" };
    return {
      dialog: {
        ...base,
        borderRadius,
        boxSizing: "border-box",
        maxWidth: "92vw",
        height: "fit-content",
        maxHeight: "90vh",
        minWidth: "0px",
        minHeight: "0px",
        padding: "24px",
        overflow: "auto",
        lineHeight: "1.5",
        textAlign: "start",
        opacity: "1",
        visibility: "visible",
        transform: "none",
        display: "block",
      },
      heading: {
        ...block,
        fontFamily,
        ...headingLook(ground, color),
        fontSize: "21px",
        lineHeight: "1.3",
        margin: "0px 0px 12px",
      },
      text: { ...block, margin: "0px 0px 16px" },
      label: { ...block, margin: "0px 0px 16px" },
      field: {
        ...control,
        ...fieldLook(ground, color),
        display: "block",
        width: "100%",
        minHeight: "40px",
        margin: "4px 0px 0px",
        padding: "6px 12px",
      },
      row: { ...plain, display: "flex", alignItems: "center", gap: "10px", minHeight: "34px", margin: "0px 0px 6px" },
      radio: { flex: "none", width: "20px", height: "20px", margin: "0px", position: "static", opacity: "1" },
      bar: { display: "flex", flexWrap: "wrap", gap: "10px", justifyContent: "flex-end", margin: "18px 0px 0px" },
      button: {
        ...control,
        textTransform: "none",
        ...button,
        display: "inline-block",
        width: "auto",
        minWidth: "48px",
        minHeight: "40px",
        margin: "0px",
        padding: "8px 18px",
      },
      cue: { ...note, margin: "14px 0px 0px" },
      toast: {
        ...note,
        boxShadow,
        fontFamily,
        fontSize,
        fontWeight: "600",
        position: "fixed",
        zIndex: "2147483647",
        inset: "16px 0px auto 0px",
        width: "fit-content",
        maxWidth: "90vw",
        margin: "0px auto",
        // Pointers pass through, so that controls below it can be reached.
        pointerEvents: "none",
      },
    };
  };
};
