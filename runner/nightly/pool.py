"""The pool of a night: the tasks and conditions of the baseline that have not changed since."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from stressweb.analysis import cusum
from stressweb.analysis.nights import LeftOut
from stressweb.core.chosen import chosen, without
from stressweb.core.conditions import CLEAN, split
from stressweb.core.errors import UserError
from stressweb.core.task_id import CHAINS, is_chain, site_of
from stressweb.core.words import counted
from stressweb.log.recording import Cell
from stressweb.runner import registry
from stressweb.runner.api.start import Experiment


class Pool(NamedTuple):
    """The tasks that nights rotate through, and their conditions."""

    tasks: tuple[str, ...]
    conditions: tuple[str, ...]
    left_out: LeftOut


def selected_tasks(experiment: Experiment, baseline: Sequence[str]) -> list[str]:
    """Return the tasks that an experiment selects from those of the baseline and of today.

    Tasks of the baseline that no longer exist are included, and reported later. Raises UserError for a task that is in
    neither.
    """
    today = registry.task_ids()
    known = list(dict.fromkeys([*baseline, *today]))
    # As in other runs, chains only run if the user names them.
    tasks = [task for task in known if not is_chain(task) or (task in baseline and not experiment.tasks)]
    if experiment.tasks:
        chains = list(dict.fromkeys([*filter(is_chain, known), *registry.chain_ids()]))
        tasks = [
            task
            for part in split(registry.named(",".join(experiment.tasks)))
            for task in (
                chosen(part if "/" in part else f"{part}/*", chains)
                if site_of(part) == CHAINS
                else chosen(part, [task for task in known if not is_chain(task)])
            )
        ]
    if experiment.exclude:
        tasks = without(tasks, ",".join(experiment.exclude))
    if experiment.tags or experiment.difficulty:
        # Without missing tasks, whose tags are unknown.
        existing = [task for task in tasks if task in today]
        tasks = registry.tasks_with(existing, experiment.tags, experiment.difficulty)
    return list(dict.fromkeys(tasks))


def pool(
    wanted: Sequence[str],
    baseline: Sequence[str],
    pinned: Collection[str],
    today: Mapping[Cell, str],
    missing: Mapping[str, str],
) -> Pool:
    """Return the wanted tasks and conditions that are comparable.

    `baseline` are the baseline's tasks, `pinned` the identities of its cells, and `today` the current identities of the
    wanted tasks' cells. `missing` are tasks without cells today, each with the reason, which is empty for a removed
    task.
    """
    changed = {(cell.task, cell.condition) for cell, identity in today.items() if identity not in pinned}
    conditions = tuple(dict.fromkeys(cell.condition for cell in today))
    tasks = [task for task in wanted if task in set(baseline)]
    loadable = [task for task in tasks if task not in missing]
    same_clean = [task for task in loadable if (task, CLEAN.label) not in changed]
    # If a mode has changed, which affects every task, leave out the condition instead of all tasks.
    gone = tuple(label for label in conditions if same_clean and all((task, label) in changed for task in same_clean))
    unchanged = [label for label in conditions if label not in gone]
    comparable = tuple(task for task in loadable if not any((task, label) in changed for label in unchanged))
    left_out = LeftOut(
        asked=len(tasks),
        changed=tuple(task for task in loadable if task not in comparable),
        removed=tuple(task for task in tasks if missing.get(task) == ""),
        broken={task: missing[task] for task in tasks if missing.get(task)},
        new=tuple(task for task in wanted if task not in set(baseline) and task not in missing),
        conditions=gone,
    )
    return Pool(comparable, tuple(unchanged), left_out)


def missing(tasks: Iterable[str]) -> dict[str, str]:
    """Return the tasks that do not exist today, each with the reason if its site cannot be loaded, else empty."""
    today = {*registry.task_ids(), *registry.chain_ids()}
    return {task: _why_missing(site_of(task)) for task in tasks if task not in today}


def _why_missing(site: str) -> str:
    if site not in registry.site_names():
        return ""
    try:
        registry.SITES.get(site).tasks()
    except UserError as error:
        return str(error)
    return ""


def why_too_small(pool: Pool, families: Mapping[str, str]) -> str:
    """Return why a pool is too small to detect a decline; empty if it is not, or if the user selected too few families.

    `families` has the family of each selected task.
    """
    families_before = len({families.get(task, task) for task in (*pool.tasks, *pool.left_out.tasks)})
    families_left = len({families.get(task, task) for task in pool.tasks})
    disturbed = [label for label in pool.conditions if label != CLEAN.label]
    if not pool.tasks:
        return f"none of the {counted(pool.left_out.asked, 'task')} of the baseline remains: {pool.left_out}"
    if not disturbed and pool.left_out.conditions:
        return f"no disturbed condition remains: {pool.left_out}"
    if _too_few(families_left) and not _too_few(families_before):
        tasks = f"{counted(len(pool.tasks), 'task')} of {counted(families_left, 'family', 'families')}"
        return f"only {tasks} remain, which is too few to detect a decline: {pool.left_out}"
    return ""


def _too_few(families: int) -> bool:
    """Return whether nights of so few families add nothing to the chart even if all of them fail."""
    return cusum.score(-1.0, 2.0 ** (1 - families)) >= -cusum.REFERENCE
