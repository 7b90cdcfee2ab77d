// The charts: plotly is unpacked when the page stands, and its colours are looked up in the style sheet.
const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);

/** @type {(name: string) => string} */
const colour = (name) => {
  probe.style.color = name;
  return getComputedStyle(probe).color;
};

/** @type {(value: unknown) => unknown} */
const resolved = (value) => {
  if (typeof value === "string") return value.startsWith("var(--") ? colour(value) : value;
  if (Array.isArray(value)) return value.map(resolved);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolved(part)]));
};

/**
 * A figure of plotly.
 *
 * @typedef {{data: object[], layout: object}} Chart
 */
/** @typedef {HTMLElement & {dataset: {chart: string}}} ChartPlace - With the name of its chart. */
/** @typedef {(place: Element, data: unknown, layout: unknown, config: object) => unknown} Draw */
/** @typedef {typeof window & {Plotly: {react: Draw}}} DrawingWindow */

/** @type {Record<string, Chart>} */
const specs = JSON.parse(/** @type {string} */ (embedded("specs")));

// Charts come after the list, one at a time, whenever the reader does nothing: a large run has some that take a while.
const idle = () =>
  new Promise((next) => {
    if (/** @type {Partial<Window>} */ (window).requestIdleCallback) requestIdleCallback(next, { timeout: 1_000 });
    else setTimeout(next);
  });

const drawCharts = async () => {
  const font = { family: getComputedStyle(document.body).fontFamily, size: 12, color: "var(--ink)" };
  const hoverlabel = { bgcolor: "var(--panel)", bordercolor: "var(--line)", font };
  for (const place of /** @type {NodeListOf<ChartPlace>} */ (document.querySelectorAll("[data-chart]"))) {
    const { data, layout } = specs[place.dataset.chart];
    const base = { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font, hoverlabel };
    const config = { displayModeBar: false, responsive: true };
    /** @type {DrawingWindow} */ (window).Plotly.react(place, resolved(data), resolved({ ...base, ...layout }), config);
    await idle();
  }
};

const loadCharts = async () => {
  if (!Object.keys(specs).length) return;
  await idle();
  const library = document.createElement("script");
  library.textContent = await unpack("library");
  document.head.append(library);
  themed.push(drawCharts);
  await drawCharts();
};
