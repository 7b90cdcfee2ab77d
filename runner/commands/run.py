"""`stressweb run`: the plan is checked, its episodes are run, and the table ends it."""

import os
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from runner.browser.install import AS_ROOT, Browser, check_display, find_browser, is_root
from runner.commands import precheck
from runner.commands.dry_run import say_plan
from runner.commands.output import say
from runner.commands.progress import Tally, progress
from runner.commands.show import show
from runner.experiment import engine
from runner.experiment.identity import identities, parts
from runner.experiment.plan import Plan, limited, seeds
from runner.experiment.pool import run
from runner.experiment.process import environment
from runner.experiment.run_folder import new_folder, resumed_plan
from runner.experiment.worker import WorkerConfig
from runner.registry import Library, chosen_agents, chosen_tasks, conditions
from stressweb.core.address import check_url
from stressweb.core.errors import DiskFullError, UserError
from stressweb.core.suite import SUITE
from stressweb.log.store import FILE, Store


def run_with(options: Mapping[str, Any], given: Collection[str]) -> int:
    """Run what the options of the command line ask for; `given` are those that are not defaults.

    Returns 1 if an episode ended in error, else 0. Raises UserError before anything is made or changed.
    """
    if options["headed"]:
        check_display()
    if is_root() and sys.stderr.isatty() and not options["dry_run"]:
        say(f"stressweb: {AS_ROOT}", err=True)
    with progress(quiet=options["as_json"] or options["dry_run"]) as tally:
        tally.phase("checking tasks, agents and conditions")
        library = Library()
        plan = _checked(options, given, library)
        if not options["dry_run"]:
            folder, browser = _prepared(options, plan, library)
            errors = _run(options, plan, folder, browser, tally)
    if options["dry_run"]:
        say_plan(plan, as_json=options["as_json"], existing=_existing(options))
        return 0
    return show(folder, options["runs_dir"], errors, as_json=options["as_json"], explain=options["explain"])


def _checked(options: Mapping[str, Any], given: Collection[str], library: Library) -> Plan:
    """Return the plan of a run, new or continued, when all that it needs was found; nothing is written."""
    plan, name = plan_of(options), options["name"]
    problem = precheck.check_run(name) if name else None
    if problem:
        raise UserError(f"run {problem}")
    if options["resume"]:
        if not name:
            raise UserError("resume needs the name of the run: --run NAME")
        plan = resumed_plan(options["runs_dir"] / name, plan, given)
    check_agents(plan, options["model"], options["base_url"])
    check_worlds(plan, library)
    return plan


def _existing(options: Mapping[str, Any]) -> Path | None:
    """Return the folder that stands in the way of a new run of the name that was given."""
    folder = options["runs_dir"] / (options["name"] or "")
    return folder if options["name"] and not options["resume"] and os.path.lexists(folder) else None


def _prepared(options: Mapping[str, Any], plan: Plan, library: Library) -> tuple[Path, Browser]:
    """Return the folder of a run with its database, made if it is a new run, and the browser."""
    browser = find_browser()
    made = {**engine.current(browser), "modes": _tables()}
    if options["resume"]:
        folder: Path = options["runs_dir"] / options["name"]
        with Store.read(folder / FILE) as store:
            engine.check(folder, store.meta(), made)
        return folder, browser
    folder = new_folder(options["runs_dir"], options["name"], options["mode"])
    about = library, plan.cells(), plan.max_steps, plan.agent_seconds
    meta = {"plan": plan.model_dump(), "suite": SUITE, "parts": parts(*about), **made}
    Store.create(folder / FILE, meta, plan.cells(), identities(*about)).close()
    return folder, browser


def _run(options: Mapping[str, Any], plan: Plan, folder: Path, browser: Browser, tally: Tally) -> int:
    """Run the episodes that are not there yet; return how many ended in error."""
    config = WorkerConfig(
        database=folder / FILE,
        browser=browser.path,
        headed=options["headed"],
        max_steps=plan.max_steps,
        agent_seconds=plan.agent_seconds,
        screenshots=plan.screenshots,
        base_url=options["base_url"],
        parent=os.getpid(),
    )
    workers = options["workers"] or cores()
    with Store.read(folder / FILE) as store:
        total = len(store.cells())
        tally.expect(total, total - len(store.pending()), workers)
    try:
        return run(folder, config, workers, tally.finished, tally.begun)
    except DiskFullError as error:
        cure = f"free some space and continue with: stressweb run --resume --run {folder.name}"
        raise DiskFullError(f"{error}; finished episodes are kept; {cure}") from error


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return the plan that the options make; raises UserError for what does not exist."""
    from runner.agents import make  # noqa: PLC0415 - agents bring their own imports

    labels = [condition.label for condition in conditions(options["mode"])]
    agents = tuple(chosen_agents(options["agent"], options["model"]))
    return Plan(
        agents=agents,
        sampled=tuple(spec for spec in agents if not make(spec).deterministic),
        tasks=limited(chosen_tasks(options["task"], options["exclude"]), options["limit"]),
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


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tables() -> dict[str, Any]:
    from perturbations import MODES, mode  # noqa: PLC0415

    return {name: {str(severity): dict(row) for severity, row in mode(name).severities.items()} for name in MODES}
