// Updates the progress of an unfinished run every few seconds until it is finished.
/** @typedef {import("./runs.js").Progress & {agents: string}} WatchedProgress - With a table of the agents as HTML. */
/** @typedef {import("./runs.js").Figure} Figure */
/** @typedef {HTMLElement & {dataset: {progress: string}}} Watched - With the address of the progress. */

const EVERY_MS = 2_000;
// Null on other pages.
const watched = /** @type {Watched | null} */ (document.getElementById("watch"));

/** @type {(name: string, text: string | number) => void} */
const setFigure = (name, text) => {
  /** @type {Figure} */ (document.querySelector(`[data-figure="${name}"]`)).textContent = text;
};

/** @type {(seconds: number) => string} */
const duration = (seconds) => {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
};

const update = async () => {
  /** @type {WatchedProgress} */
  const run = await (await fetch(/** @type {Watched} */ (watched).dataset.progress)).json();
  const bar = /** @type {HTMLProgressElement} */ (document.getElementById("bar"));
  bar.max = run.total;
  bar.value = run.done;
  for (const name of /** @type {const} */ (["done", "total", "failed", "errors"])) setFigure(name, run[name]);
  setFigure("state", run.broken || (run.finished ? "finished" : run.active ? "running" : "unfinished"));
  setFigure("rate", run.per_minute === null ? "–" : `${run.per_minute.toFixed(1)} a minute`);
  setFigure("left", run.finished ? "none" : run.left_s === null ? "–" : duration(run.left_s));
  // From the server's template, with every name escaped.
  /** @type {Element} */ (document.getElementById("agents")).innerHTML = run.agents;
  return run.finished;
};

const follow = async () => {
  let finished = false;
  try {
    finished = !document.hidden && (await update());
  } catch {
    setFigure("state", "the server does not answer");
  }
  if (!finished) setTimeout(follow, EVERY_MS);
};

if (watched) follow();
