// Filters and sorts a list of rows. In the list of runs, it also updates counts, and lets you mark runs to compare.
const EVERY_MS = 5_000;
/** @type {any} */
const table = document.getElementById("runs");
/** @type {HTMLTableRowElement[]} */
const rows = table ? [...table.tBodies[0].rows] : [];
/** @type {any[]} */
const filters = [...document.querySelectorAll("[data-filter]")];

/** @type {(row: any, filter: any) => boolean} */
const fits = (row, { dataset, value }) => {
  if (!value) return true;
  if (dataset.filter === "text") return row.textContent.toLowerCase().includes(value.toLowerCase());
  return JSON.parse(row.dataset[dataset.filter]).includes(value);
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

/** @type {(button: any) => void} */
const sortBy = (button) => {
  const head = button.closest("th");
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  table.querySelectorAll("th").forEach((/** @type {Element} */ other) => other.removeAttribute("aria-sort"));
  head.ariaSort = sign > 0 ? "ascending" : "descending";
  const column = Number(button.dataset.column);
  rows.sort((a, b) => sign * order(keyOf(a, column), keyOf(b, column)));
  table.tBodies[0].append(...rows);
};

/** @type {() => any[]} */
const marked = () => rows.map((row) => row.querySelector("input:checked")).filter(Boolean);

const updateCompareButton = () => {
  const runs = marked();
  // A single run can be compared with itself if it has two agents.
  const alone = runs.length === 1 && JSON.parse(runs[0].closest("tr").dataset.agents).length > 1;
  /** @type {any} */ (document.getElementById("side-by-side")).disabled = !(alone || runs.length === 2);
};

const refresh = async () => {
  const { runs } = await (await fetch("/runs.json")).json();
  /** @type {Map<string | undefined, any>} */
  const known = new Map(rows.map((row) => [row.dataset.run, row]));
  /** @type {any} */ (document.getElementById("news")).hidden = runs.every((/** @type {any} */ run) =>
    known.has(run.name),
  );
  for (const run of runs) {
    const row = known.get(run.name);
    if (!row?.querySelector("[data-done]")) continue;
    row.querySelector("[data-done]").textContent = run.done;
    row.querySelector("[data-errors]").textContent = run.errors;
    const state = row.querySelector("[data-state]");
    if (state) state.textContent = run.finished ? "finished" : run.active ? "running" : "unfinished";
  }
};

table?.addEventListener("click", (/** @type {any} */ event) => {
  const button = event.target.closest(".sort");
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
