"""Runs on disk: made from what the user asks for, named, resumed, shown."""

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from rich.console import Console

from runner.browser.install import AS_ROOT, find_browser, is_root
from runner.commands import precheck
from runner.commands.debugging import debug
from runner.commands.output import printable, say
from runner.experiment import engine
from runner.experiment.identity import changed as changed_parts
from runner.experiment.identity import identities, parts
from runner.experiment.plan import MOST_CELLS, Plan, limited, seeds
from runner.experiment.pool import run
from runner.experiment.process import Finished, environment
from runner.experiment.worker import WorkerConfig
from runner.registry import Library, chosen_agents, chosen_tasks, conditions, mode, modes
from stressweb.core.address import check_url
from stressweb.core.conditions import UNTESTED
from stressweb.core.errors import DiskFullError, UserError
from stressweb.core.suite import SUITE
from stressweb.log.recording import Cell
from stressweb.log.run_file import PRIVATE_FOLDER
from stressweb.log.store import FILE, Store
from stressweb.plugins.extensions import EXTENSIONS

_PLANNED = {
    "mode": "conditions",
    "task": "tasks",
    "limit": "tasks",
    "agent": "agents",
    "seed": "worlds",
    "stress_seeds": "stress",
    "epochs": "epochs",
    "max_steps": "max_steps",
    "agent_seconds": "agent_seconds",
    "screenshots": "screenshots",
}
"""Which option decides which part of a plan."""


def run_with(options: Mapping[str, Any], given: Collection[str]) -> int:
    """Run what the options of the command line ask for; `given` are those that are not defaults.

    Returns 1 if an episode ended in error, else 0. Raises UserError before anything is made or changed.
    """
    plan = plan_of(options)
    runs_dir: Path = options["runs_dir"]
    name = options["name"]
    problem = precheck.check_run(name) if name else None
    if problem:
        raise UserError(f"run {problem}")
    if options["resume"]:
        if not name:
            raise UserError("resume needs the name of the run: --run NAME")
        folder = runs_dir / name
        plan = _resumed(folder, plan, given)
    check_agents(plan, options["model"], options["base_url"])
    library = Library()
    check_worlds(plan, library)
    if options["dry_run"]:
        _say_plan(plan, as_json=options["as_json"])
        return 0
    browser = find_browser()
    if is_root() and sys.stderr.isatty():
        say(f"stressweb: {AS_ROOT}", err=True)
    made = {**engine.current(browser), "modes": _tables()}
    if options["resume"]:
        with Store.read(folder / FILE) as store:
            engine.check(folder, store.meta(), made)
    else:
        folder = new_folder(runs_dir, name, options["mode"])
        about = library, plan.cells(), plan.max_steps, plan.agent_seconds
        meta = {"plan": plan.model_dump(), "suite": SUITE, "parts": parts(*about), **made}
        Store.create(folder / FILE, meta, plan.cells(), identities(*about)).close()
    config = WorkerConfig(
        database=folder / FILE,
        browser=browser.path,
        headed=options["headed"],
        max_steps=plan.max_steps,
        agent_seconds=plan.agent_seconds,
        screenshots=plan.screenshots,
        base_url=options["base_url"],
        extensions=EXTENSIONS.sources,
        parent=os.getpid(),
    )
    try:
        with progress(folder / FILE, quiet=options["as_json"]) as tell:
            errors = run(folder, config, options["workers"] or cores(), tell)
    except DiskFullError as error:
        cure = f"free some space and continue with: stressweb run --resume --run {folder.name}"
        raise DiskFullError(f"{error}; finished episodes are kept; {cure}") from error
    return show(folder, runs_dir, errors, as_json=options["as_json"], explain=options["explain"])


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return the plan that the options make; raises UserError for what does not exist."""
    from runner.agents import make  # noqa: PLC0415 - agents bring their own imports

    labels = [condition.label for condition in conditions(options["mode"])]
    agents = tuple(chosen_agents(options["agent"], options["model"]))
    return Plan(
        agents=agents,
        sampled=tuple(spec for spec in agents if not make(spec).deterministic),
        tasks=limited(chosen_tasks(options["task"]), options["limit"]),
        conditions=tuple(dict.fromkeys(["clean", *labels])),
        worlds=(options["seed"],),
        stress=seeds(options["stress_seeds"]),
        epochs=options["epochs"],
        max_steps=options["max_steps"],
        agent_seconds=options["agent_seconds"],
        screenshots=options["screenshots"],
    )


def check_agents(plan: Plan, model: str | None, base_url: str | None) -> None:
    """Ask every agent whether what it needs is there; raises UserError, also for a model that no agent asks."""
    from runner.agents import make  # noqa: PLC0415 - agents bring their own imports

    agents = [make(spec) for spec in plan.agents]
    if model and not any(getattr(agent, "model", None) == model for agent in agents):
        raise UserError(f"model {model} is asked by no agent of this run: {', '.join(plan.agents)}; try --agent model")
    if base_url and (problem := check_url(base_url)):
        raise UserError(f"base-url {problem}")
    for agent in agents:
        agent.ready(environment(base_url))


def check_worlds(plan: Plan, library: Library) -> None:
    """Draw every task in every world before anything starts; raises UserError for a malformed spec or task."""
    for task in plan.tasks:
        checklist = library.checklist(task.partition("/")[0])
        for world in plan.worlds:
            checklist.check(library.goal(task, world))


def new_folder(runs_dir: Path, name: str | None, mode: str) -> Path:
    """Make the folder of a new run; one that is there is never used again, whatever is in it."""
    stem = name or f"{time.strftime('%Y-%m-%d')}-{re.sub(r'[^A-Za-z0-9]+', '-', mode).strip('-')}"
    try:
        runs_dir.mkdir(parents=True, exist_ok=True)
        for at in range(1, 10_000):
            folder = runs_dir / (stem if at == 1 else f"{stem}-{at}")
            try:
                folder.mkdir(PRIVATE_FOLDER)
                # Whatever the umask takes away.
                folder.chmod(PRIVATE_FOLDER)
            except FileExistsError:
                if name:
                    raise UserError(f"run {folder} exists; choose another name, or continue it with --resume") from None
                continue
            return folder
    except OSError as error:
        raise UserError(f"run folder {runs_dir} cannot be written: {error.strerror or error}") from None
    raise UserError(f"too many runs of the name {stem} in {runs_dir}; choose another with --run")


def _resumed(folder: Path, asked: Plan, given: Collection[str]) -> Plan:
    """Return the plan of a run that is continued; raises UserError if its cells are not exactly those of the plan.

    An episode that somebody else put among them would run, and ask a model with the user's key.
    """
    with Store.read(folder / FILE) as store:
        try:
            plan = Plan.model_validate(store.meta().get("plan"))
        except ValidationError as error:
            raise UserError(f"{store.path} holds no plan that can be continued: {_first(error)}") from None
        if plan.size > MOST_CELLS or store.cells() != plan.cells():
            raise UserError(f"{store.path} does not hold exactly the episodes of its plan; it cannot be continued")
    for option, part in _PLANNED.items():
        if option in given and getattr(asked, part) != getattr(plan, part):
            shown = getattr(plan, part)
            planned = ", ".join(map(str, shown)) if isinstance(shown, tuple) else shown
            raise UserError(f"{option.replace('_', '-')} differs from what run {folder} was made with: {planned}")
    return plan


def grade_again(name: str, runs_dir: Path, *, as_json: bool, explain: bool = False) -> int:
    """Grade a run again from its recording and show its table without what was changed after it was recorded.

    A task that has changed since the run is named on standard error, with what has changed. Returns 1 if a grade
    changed, or if an episode is not what was recorded, else 0.
    """
    from runner.episode.grading import regrade  # noqa: PLC0415 - needs lxml

    folder = run_folder(name, runs_dir)
    library = Library()
    with Store.open(folder / FILE) as store:
        recorded = store.meta().get("parts", {})
        if not isinstance(recorded, dict):
            raise UserError(f"{store.path} holds what stressweb does not record: parts is no object")
        for task, what in changed_parts(recorded, library, store.cells()).items():
            say(f"graded with today's checks; task {task} has changed since the run: {', '.join(what)}", err=True)
        again = regrade(store, library)
    for key in again.changed:
        say(f"grade changed: {key}", err=True)
    for key, misfit in again.altered.items():
        say(f"changed after it was recorded, left out: {key}: {misfit}", err=True)
    said = {"regraded": len(again.changed), "altered": list(again.altered)}
    show(folder, runs_dir, 0, as_json=as_json, explain=explain, again=said)
    return 1 if again.changed or again.altered else 0


def run_folder(name: str, runs_dir: Path) -> Path:
    """Return the folder of a run, given by name or by path; raises UserError if there is none."""
    for folder in (runs_dir / name, Path(name)):
        if (folder / FILE).exists():
            return folder
    there = sorted(path.parent.name for path in runs_dir.glob(f"*/{FILE}"))
    raise UserError(f"no run {name!r} in {runs_dir}; there are {', '.join(there) or 'none'}")


def show(
    folder: Path,
    runs_dir: Path,
    errors: int,
    *,
    as_json: bool,
    explain: bool = False,
    again: Mapping[str, Any] | None = None,
) -> int:
    """Print the table of a run, its path and the next command; return 1 if there are errors, else 0.

    `again` is what grading again found, for programs; the episodes in its `altered` are left out.
    """
    from runner.experiment.results import graded  # noqa: PLC0415
    from stressweb.analysis.table import rows, summary  # noqa: PLC0415 - needs scipy

    again = again or {}
    altered = again.get("altered", ())
    with Store.read(folder / FILE) as store:
        episodes = graded(store, altered)
        failed = [one for one in store.episodes(altered) if one.status in ("error", "crashed")]
    if as_json:
        said = {"run": str(folder), "errors": errors, "rows": rows(episodes)}
        say(json.dumps({**said, **again}, indent=2))
    else:
        console = Console()
        console.print(summary(episodes, explain=explain))
        console.print(f"\n {printable(closing(folder, runs_dir, console.width))}", highlight=False, soft_wrap=True)
    for one in failed:
        say(f"{one.status}: {one.cell.key}: {one.message}", err=True)
        if debug() and one.traceback:
            say(one.traceback, err=True)
    return 1 if errors else 0


def closing(folder: Path, runs_dir: Path, width: int) -> str:
    """Return where a run is and the command that shows more of it, which is always the end of the last line."""
    # A folder elsewhere is given by its path: the report would look for its name among the default runs.
    name = folder.name if runs_dir == Path("runs") and folder.parent == runs_dir else str(folder)
    command = f"next: stressweb report {shlex.quote(name)}"
    between = "   " if len(str(folder)) + len(command) + 4 <= width else "\n "
    return f"{folder}{between}{command}"


@contextmanager
def progress(database: Path, *, quiet: bool) -> Iterator[Callable[[Finished], None]]:
    """Show how far a run is, where somebody is looking; yields what hears of every finished cell."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda finished: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    with Store.read(database) as store:
        total, left = len(store.cells()), len(store.pending())
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        shown = bar.add_task("starting", total=total, completed=total - left)
        errors: list[Finished] = []

        def tell(finished: Finished) -> None:
            if finished.status == "error":
                errors.append(finished)
            cell = finished.cell
            failed = f" · {len(errors)} errors" if errors else ""
            bar.update(shown, advance=1, description=f"{cell.task} · {cell.agent} · {cell.condition}{failed}")

        yield tell


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _first(error: ValidationError) -> str:
    """Return the first thing that is wrong, in one line."""
    one = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, one['loc'])) or 'plan'}: {one['msg']}"


def _tables() -> dict[str, Any]:
    return {name: {str(severity): dict(row) for severity, row in mode(name).severities.items()} for name in modes()}


def _power(cells: Sequence[Cell]) -> list[str]:
    """Say what the planned run of an agent can detect, and what it would take."""
    from stressweb.analysis.power import plan_lines  # noqa: PLC0415 - needs scipy

    agent = [cell for cell in cells if cell.agent == cells[0].agent]
    compared = {cell.condition for cell in agent} - set(UNTESTED)
    tasks = {cell.task for cell in agent}
    each = len([cell for cell in agent if cell.condition in compared]) // max(1, len(tasks) * len(compared))
    return plan_lines(len(tasks), each, len(compared))


def _say_plan(plan: Plan, *, as_json: bool) -> None:
    cells = plan.cells()
    if as_json:
        say(json.dumps({"plan": plan.model_dump(), "cells": [cell.model_dump() for cell in cells]}, indent=2))
        return
    say(f"{len(cells)} episodes")
    for line in _power(cells):
        say(line)
    say()
    for cell in cells:
        stress = "" if cell.stress is None else f"  stress {cell.stress}"
        say(f"  {cell.task}  {cell.agent}  {cell.condition}  world {cell.world}{stress}  epoch {cell.epoch}")
