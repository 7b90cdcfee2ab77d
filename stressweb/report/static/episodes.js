// The list of episodes: filtered, sorted, and each opened when asked for.
/**
 * A table body with an episode: whether the filters show it, and the text that they search.
 *
 * @typedef {HTMLTableSectionElement & {fits: boolean, textOf: string}} EpisodeBody
 */
/** @typedef {(HTMLInputElement | HTMLSelectElement) & {dataset: {filter: string}}} Filter - With its name. */
/** @typedef {HTMLImageElement & {dataset: {picture: string}}} Picture - With the id of its block. */
const list = /** @type {HTMLTableElement} */ (document.getElementById("list"));
const bodies = /** @type {EpisodeBody[]} */ ([
  ...list.tBodies,
  .../** @type {HTMLTemplateElement} */ (document.getElementById("later")).content.querySelectorAll("tbody"),
]);
const filters = [.../** @type {NodeListOf<Filter>} */ (document.querySelectorAll("[data-filter]"))];
const more = /** @type {HTMLElement} */ (document.getElementById("more"));

// Putting rows into a table takes longer than linear in their number, so only this many stand in the document,
// and more when asked for. The others wait outside it.
const FIRST = Number(list.dataset.first);
const PORTION = Number(list.dataset.portion);
let room = FIRST;

const showRows = () => {
  const fitting = bodies.filter((body) => body.fits);
  const left = Math.max(0, fitting.length - room);
  const wanted = fitting.slice(0, room);
  // At first they stand there already, and taking them out would lay out everything twice.
  if (wanted.length !== list.tBodies.length || wanted.some((body, at) => body !== list.tBodies[at])) {
    for (const body of [...list.tBodies]) body.remove();
    list.append(...wanted);
  }
  more.hidden = !left;
  more.textContent = `Show ${Math.min(left, PORTION)} more`;
  const said = fitting.length < bodies.length ? `${fitting.length} of ${bodies.length}` : `all ${fitting.length}`;
  /** @type {HTMLElement} */ (document.getElementById("shown")).textContent = left ? `first ${room} of ${said}` : said;
};

const applyFilters = () => {
  const wanted = filters.filter((input) => input.value).map((input) => [input.dataset.filter, input.value]);
  /** @type {(body: EpisodeBody) => boolean} */
  const fits = (body) =>
    wanted.every(([name, value]) =>
      name === "text" ? body.textOf.includes(value.toLowerCase()) : body.dataset[name] === value,
    );
  for (const body of bodies) body.fits = fits(body);
  room = FIRST;
  showRows();
};

/** @type {(values: Record<string, string | undefined>) => void} */
const setFilters = (values) => {
  for (const input of filters) input.value = values[input.dataset.filter] ?? "";
  applyFilters();
};

/** @type {(body: EpisodeBody, column: number) => string | number} */
const keyOf = (body, column) => {
  const cell = body.rows[0].cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
};

/** @type {(a: string | number | undefined, b: string | number | undefined) => number} */
const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : `${a}`.localeCompare(`${b}`));

/** @type {(button: Element) => void} */
const sortBy = (button) => {
  const head = /** @type {HTMLTableCellElement} */ (button.closest("th"));
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  list.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
  head.ariaSort = sign > 0 ? "ascending" : "descending";
  const keys = new Map(bodies.map((body) => [body, keyOf(body, head.cellIndex)]));
  bodies.sort((a, b) => sign * compare(keys.get(a), keys.get(b)));
  room = FIRST;
  showRows();
};

/** @type {(body: EpisodeBody) => Promise<void>} */
const openEpisode = async (body) => {
  const number = body.id.slice(1);
  const row = body.insertRow();
  row.className = "detail";
  const cell = row.insertCell();
  cell.colSpan = body.rows[0].cells.length;
  /** @type {Element} */ (body.querySelector(".open")).ariaExpanded = "true";
  if (body.dataset.details === "elsewhere") {
    cell.append(/** @type {HTMLTemplateElement} */ (document.getElementById("absent")).content.cloneNode(true));
    return;
  }
  try {
    if (body.dataset.file) await loadFile(body.dataset.file);
    // Written by us with every recorded text escaped; the policy of this document runs nothing that it might hold.
    cell.innerHTML = await unpack(`d${number}`);
    for (const picture of /** @type {NodeListOf<Picture>} */ (cell.querySelectorAll("img[data-picture]"))) {
      const data = await block(picture.dataset.picture);
      // The first bytes of a JPEG; what an agent was shown is a PNG.
      picture.src = `data:image/${data.startsWith("/9j/") ? "jpeg" : "png"};base64,${data}`;
    }
  } catch (error) {
    const said = document.createElement("p");
    said.className = "warn";
    said.textContent = `${
      /** @type {Error} */ (error).message
    }. Keep that folder beside the report; if the report was written again, reload.`;
    cell.prepend(said);
  }
};

/** @type {(body: EpisodeBody) => Promise<void> | undefined} */
const toggleEpisode = (body) => {
  if (body.rows.length < 2) return openEpisode(body);
  body.rows[1].remove();
  /** @type {Element} */ (body.querySelector(".open")).ariaExpanded = "false";
  return undefined;
};

const follow = async () => {
  const [, episode, step] = /^#(e\d+)(-\d+)?$/.exec(location.hash) ?? [];
  const body = bodies.find((one) => one.id === episode);
  if (!body) return;
  if (!body.fits) setFilters({});
  if (!body.isConnected) list.append(body);
  if (body.rows.length < 2) await openEpisode(body);
  const place = (step && document.getElementById(`${episode}${step}`)) || body;
  place.scrollIntoView({ block: "start" });
  if (place !== body) place.focus({ preventScroll: true });
};

document.addEventListener("click", (event) => {
  /** @type {(HTMLElement & {hash?: string}) | null} - A link has a hash. */
  const target = /** @type {Element} */ (event.target).closest("button, a[href^='#'], tbody[id] > tr:first-child");
  if (!target) return;
  if (target.matches(".sort")) sortBy(target);
  else if (target.matches(".page")) togglePage(/** @type {PageButton} */ (target));
  else if (target.matches("[data-take]")) takeNumbers(/** @type {TakeButton} */ (target));
  else if (target.matches(".zoom")) target.classList.toggle("large");
  else if (target.matches("#reset")) setFilters({});
  else if (target.matches("#more")) {
    room += PORTION;
    showRows();
  } else if (target.matches("[data-show]")) setFilters(target.dataset);
  else if (target.matches(".open, tr")) toggleEpisode(/** @type {EpisodeBody} */ (target.closest("tbody")));
  else if (target.hash === location.hash && target.hash) follow();
});

for (const body of bodies) body.textOf = `${body.textContent} ${body.dataset.text}`.toLowerCase();
for (const input of filters) input.addEventListener("input", applyFilters);
addEventListener("hashchange", follow);
applyFilters();
follow();
loadCharts();
