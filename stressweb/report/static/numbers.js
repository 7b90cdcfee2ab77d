// The numbers of a figure: its table is shown on demand, and can be copied or saved as CSV or LaTeX.
/**
 * The numbers of a figure, as stressweb/report/numbers.py writes them.
 *
 * @typedef {object} Numbers
 * @property {string} html
 * @property {string} csv
 * @property {string} latex
 * @property {string} file - Name of a file for them, without its ending.
 */
/** @typedef {HTMLElement & {dataset: {numbers: string}}} NumbersPlace - With the id of its numbers. */
/** @typedef {HTMLElement & {dataset: {take: "copy" | "save", as: "csv" | "latex"}}} TakeButton */

/** @type {(id: string) => Promise<Numbers>} */
const numbersOf = once(async (id) => JSON.parse(await unpack(id)));

/** @type {(details: NumbersPlace) => Promise<void>} */
const showNumbers = async (details) => {
  const place = /** @type {Element} */ (details.querySelector(".numbers-table"));
  // Written by us with every name escaped, like the details of an episode.
  if (!place.firstChild) place.innerHTML = (await numbersOf(details.dataset.numbers)).html;
};

/** @type {(text: string) => Promise<void>} */
const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A browser that keeps the clipboard from pages on disk still copies what is selected.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("the browser does not allow it");
  }
};

/** @type {(text: string, name: string, type: string) => void} */
const saveText = (text, name, type) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

/** @type {(button: TakeButton) => Promise<void>} */
const takeNumbers = async (button) => {
  const found = await numbersOf(/** @type {NumbersPlace} */ (button.closest("[data-numbers]")).dataset.numbers);
  const { take, as } = button.dataset;
  const said = /** @type {HTMLElement} */ (/** @type {Element} */ (button.closest(".take")).querySelector("output"));
  if (take === "save") {
    const [ending, type] = as === "csv" ? ["csv", "text/csv"] : ["tex", "application/x-tex"];
    saveText(found[as], `${found.file}.${ending}`, `${type};charset=utf-8`);
    said.textContent = `saved as ${found.file}.${ending}`;
    return;
  }
  try {
    await copyText(found[as]);
    said.textContent = "copied";
  } catch (error) {
    said.textContent = `not copied: ${/** @type {Error} */ (error).message}`;
  }
};

for (const details of /** @type {NodeListOf<NumbersPlace>} */ (document.querySelectorAll("[data-numbers]"))) {
  details.addEventListener("toggle", () => showNumbers(details));
}
