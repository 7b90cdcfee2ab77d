// The progress of an unfinished run, asked for every few seconds until the run is finished.
const EVERY_MS = 2_000;
const watched = document.getElementById("watch");

const say = (name, text) => {
  document.querySelector(`[data-figure="${name}"]`).textContent = text;
};

const duration = (seconds) => {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
};

const look = async () => {
  const run = await (await fetch(watched.dataset.progress)).json();
  const bar = document.getElementById("bar");
  bar.max = run.total;
  bar.value = run.done;
  for (const name of ["done", "total", "failed", "errors"]) say(name, run[name]);
  say("state", run.broken || (run.finished ? "finished" : run.active ? "running" : "unfinished"));
  say("rate", run.per_minute === null ? "–" : `${run.per_minute.toFixed(1)} a minute`);
  say("left", run.finished ? "none" : run.left_s === null ? "–" : duration(run.left_s));
  // Written by us with every name escaped.
  document.getElementById("agents").innerHTML = run.agents;
  return run.finished;
};

const follow = async () => {
  let over = false;
  try {
    over = !document.hidden && (await look());
  } catch {
    say("state", "the server does not answer");
  }
  if (!over) setTimeout(follow, EVERY_MS);
};

if (watched) follow();
