"""The metadata that a run records when it starts, and the checks against it when the run is resumed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stressweb.core.agent_spec import way_of
from stressweb.core.errors import UserError
from stressweb.core.suite import SUITE
from stressweb.log.plan import Plan
from stressweb.log.store import FILE, Store
from stressweb.perturbations import gesture_stopping_modes
from stressweb.runner import registry
from stressweb.runner.registry import engine, graders
from stressweb.runner.registry.about_tasks import GOALS, about_tasks, goals
from stressweb.runner.registry.identity import Identities, identities, parts


def software(browser: str) -> dict[str, Any]:
    """Return the metadata about the software of a run; `browser` is the browser's name and version."""
    # Severity tables may change, so each run records its own.
    metadata = {**engine.current(browser), "modes": _tables(), "swallowing": gesture_stopping_modes()}
    metadata[graders.GRADING_CODE] = graders.code()
    return metadata


def about(library: registry.Library, plan: Plan, cell_identities: Identities | None = None) -> dict[str, Any]:
    """Return the metadata about a run's plan, by name; `cell_identities` may have hashed its parts already."""
    return {
        "plan": plan.model_dump(),
        "ways": {agent.label: way_of(agent.label) for agent in plan.agents},
        "suite": SUITE,
        "parts": parts(library, plan, cell_identities),
        "tasks": about_tasks(library, plan.tasks),
        GOALS: goals(library, plan.cells()),
    }


def check_same(folder: Path, plan: Plan, library: registry.Library, current_software: Mapping[str, Any]) -> None:
    """Raise UserError if the run in a folder used another engine, or other tasks, sites or modes.

    `current_software` is the return value of `software`.
    """
    with Store.open(folder / FILE) as store:
        engine.check(folder, store.meta(), current_software)
        # Even with the same engine, tasks, sites and plug-ins may have changed.
        _check_cells(folder, store.identities(), identities(library, plan))
        graders.note_mixed_grades(store, library)


def _check_cells(folder: Path, recorded_identities: Mapping[str, str], current_identities: Mapping[str, str]) -> None:
    """Raise UserError if cells of a run have changed, because old and new episodes would not be comparable."""
    changed_keys = [
        key
        for key, identity in current_identities.items()
        if recorded_identities.get(key) and recorded_identities[key] != identity
    ]
    if changed_keys:
        share = f"{len(changed_keys)} of its {len(current_identities)} episodes"
        changed = f"{share} have changed since, {changed_keys[0]} for one"
        raise UserError(f"run {folder} was made with other tasks, sites or modes: {changed}; start a new run")


def _tables() -> dict[str, Any]:
    """Return the severity tables of all modes, except for plug-ins that cannot be imported."""
    modes = ((name, registry.MODES.get(name)) for name in registry.MODES.working())
    return {name: {str(severity): dict(row) for severity, row in mode.severities.items()} for name, mode in modes}
