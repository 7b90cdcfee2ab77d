// Updates the progress of an unfinished run every few seconds until it is finished.
const EVERY_MS = 2_000;
/** @type {any} - The element with the address of the progress; null on other pages. */
const watched = document.getElementById("watch");

/** @type {(name: string, text: string) => void} */
const setFigure = (name, text) => {
  /** @type {any} */ (document.querySelector(`[data-figure="${name}"]`)).textContent = text;
};

/** @type {(seconds: number) => string} */
const duration = (seconds) => {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
};

const update = async () => {
  const run = await (await fetch(watched.dataset.progress)).json();
  /** @type {any} */
  const bar = document.getElementById("bar");
  bar.max = run.total;
  bar.value = run.done;
  for (const name of ["done", "total", "failed", "errors"]) setFigure(name, run[name]);
  setFigure("state", run.broken || (run.finished ? "finished" : run.active ? "running" : "unfinished"));
  setFigure("rate", run.per_minute === null ? "–" : `${run.per_minute.toFixed(1)} a minute`);
  setFigure("left", run.finished ? "none" : run.left_s === null ? "–" : duration(run.left_s));
  // From the server's template, with every name escaped.
  /** @type {any} */ (document.getElementById("agents")).innerHTML = run.agents;
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
