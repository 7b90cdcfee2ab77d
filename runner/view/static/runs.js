// Filters and sorts a list of rows. In the list of runs, it also updates counts, and lets you mark runs to compare.
/**
 * The progress of a run, as runner/view/app.py writes it.
 *
 * @typedef {object} Progress
 * @property {string} name
 * @property {number} total
 * @property {number} done
 * @property {number} failed
 * @property {number} errors
 * @property {string} broken - Why the run cannot be read; empty if it can.
 * @property {boolean} active
 * @property {boolean} finished
 * @property {number | null} per_minute
 * @property {number | null} left_s
 */
/** @typedef {{textContent: string | number | null}} Figure - An element; the browser writes a number as text. */
/** @typedef {(HTMLInputElement | HTMLSelectElement) & {dataset: {filter: string}}} Filter - With its name. */
/** @typedef {HTMLTableRowElement & {dataset: {agents: string}}} RunRow - With the agents of a run as JSON. */

const EVERY_MS = 5_000;
const table = /** @type {HTMLTableElement | null} */ (document.getElementById("runs"));
/** @type {HTMLTableRowElement[]} */
const rows = table ? [...table.tBodies[0].rows] : [];
const filters = [.../** @type {NodeListOf<Filter>} */ (document.querySelectorAll("[data-filter]"))];

/** @type {(row: HTMLTableRowElement, filter: Filter) => boolean} */
const fits = (row, { dataset, value }) => {
  if (!value) return true;
  if (dataset.filter === "text") return row.textContent.toLowerCase().includes(value.toLowerCase());
  return JSON.parse(/** @type {string} */ (row.dataset[dataset.filter])).includes(value);
};

const applyFilters = () => {
  for (const row of rows) row.hidden = !filters.every((filter) => fits(row, filter));
  const visible = rows.filter((row) => !row.hidden).length;
  const text = visible < rows.length ? `${visible} of ${rows.length}` : `all ${rows.length}`;
  document.getElementById("shown")?.replaceChildren(text);
};

/** @type {(row: HTMLTableRowElement, column: number) => string | number} */
const keyOf = (row, column) => {
  const cell = row.cells[column];
  const text = cell?.dataset.sort ?? cell?.textContent.trim() ?? "";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
};

/** @type {(a: string | number, b: string | number) => number} */
const order = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : `${a}`.localeCompare(`${b}`));

/** @type {(button: HTMLElement) => void} */
const sortBy = (button) => {
  const head = /** @type {HTMLTableCellElement} */ (button.closest("th"));
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  /** @type {HTMLTableElement} */ (table).querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  head.ariaSort = sign > 0 ? "ascending" : "descending";
  const column = Number(button.dataset.column);
  rows.sort((a, b) => sign * order(keyOf(a, column), keyOf(b, column)));
  /** @type {HTMLTableElement} */ (table).tBodies[0].append(...rows);
};

/** @type {() => HTMLInputElement[]} */
const marked = () =>
  /** @type {HTMLInputElement[]} */ (rows.map((row) => row.querySelector("input:checked")).filter(Boolean));

const updateCompareButton = () => {
  const runs = marked();
  // A single run can be compared with itself if it has two agents.
  const alone =
    runs.length === 1 && JSON.parse(/** @type {RunRow} */ (runs[0].closest("tr")).dataset.agents).length > 1;
  /** @type {HTMLButtonElement} */ (document.getElementById("side-by-side")).disabled = !(alone || runs.length === 2);
};

const refresh = async () => {
  /** @type {{runs: Progress[]}} */
  const { runs } = await (await fetch("/runs.json")).json();
  const known = new Map(rows.map((row) => [row.dataset.run, row]));
  /** @type {HTMLElement} */ (document.getElementById("news")).hidden = runs.every((run) => known.has(run.name));
  for (const run of runs) {
    const row = known.get(run.name);
    if (!row?.querySelector("[data-done]")) continue;
    /** @type {Figure} */ (row.querySelector("[data-done]")).textContent = run.done;
    /** @type {Figure} */ (row.querySelector("[data-errors]")).textContent = run.errors;
    const state = row.querySelector("[data-state]");
    if (state) state.textContent = run.finished ? "finished" : run.active ? "running" : "unfinished";
  }
};

table?.addEventListener("click", (event) => {
  /** @type {HTMLElement | null} */
  const button = /** @type {Element} */ (event.target).closest(".sort");
  if (button) sortBy(button);
});
for (const filter of filters) filter.addEventListener("input", applyFilters);
document.getElementById("reset")?.addEventListener("click", () => {
  for (const filter of filters) filter.value = "";
  applyFilters();
});
document.getElementById("compare")?.addEventListener("change", updateCompareButton);
document.getElementById("compare")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const [a, b = a] = marked().map((input) => input.value);
  location.assign(`/compare?${new URLSearchParams({ a, b })}`);
});
if (table) applyFilters();
if (document.getElementById("compare")) {
  // A browser restores the marks when the user returns to the page.
  updateCompareButton();
  setInterval(() => document.hidden || refresh().catch(() => undefined), EVERY_MS);
}
