"""What a run notes about itself when it begins, and what must be the same when it is continued."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from perturbations import swallowing
from runner import registry
from runner.registry import engine, graders
from runner.registry.about_tasks import GOALS, about_tasks, goals
from runner.registry.identity import identities, parts
from stressweb.core.agent_spec import way_of
from stressweb.core.errors import UserError
from stressweb.core.suite import SUITE
from stressweb.log.plan import Plan
from stressweb.log.store import FILE, Store


def software(browser: str) -> dict[str, Any]:
    """Return what a run records about the software that executes it; `browser` is the browser's name and version."""
    # Severity tables may change, so each run records its own.
    metadata = {**engine.current(browser), "modes": _tables(), "swallowing": swallowing()}
    metadata[graders.CODE] = graders.code()
    return metadata


def about(library: registry.Library, plan: Plan) -> dict[str, Any]:
    """Return what a run notes about its plan, by the name under which it does."""
    return {
        "plan": plan.model_dump(),
        "ways": {agent.label: way_of(agent.label) for agent in plan.agents},
        "suite": SUITE,
        "parts": parts(library, plan),
        "tasks": about_tasks(library, plan.tasks),
        GOALS: goals(library, plan.cells()),
    }


def check_same(folder: Path, plan: Plan, library: registry.Library, current_software: Mapping[str, Any]) -> None:
    """Raise UserError if the run in a folder was made with another engine, or of other tasks, sites or modes.

    `current_software` is as returned by `software`.
    """
    with Store.open(folder / FILE) as store:
        engine.check(folder, store.meta(), current_software)
        # The engine is the same; tasks, sites and plug-ins may not be.
        _check_cells(folder, store.identities(), identities(library, plan))
        graders.note_others(store, library)


def _check_cells(folder: Path, recorded: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Raise UserError if cells of a run are no longer what they were: its episodes would be of two kinds."""
    other = [key for key, identity in now.items() if recorded.get(key) and recorded[key] != identity]
    if other:
        changed = f"{len(other)} of its {len(now)} episodes have changed since, {other[0]} for one"
        raise UserError(f"run {folder} was made with other tasks, sites or modes: {changed}; start a new run")


def _tables() -> dict[str, Any]:
    """Return the severity table of every mode that there is; of a plug-in that does not import, none."""
    modes = ((name, registry.MODES.get(name)) for name in registry.MODES.working())
    return {name: {str(severity): dict(row) for severity, row in kind.severities.items()} for name, kind in modes}
