"""Selects tasks by ids, short names and patterns such as `shop/*`, and excludes some."""

from collections.abc import Sequence

from stressweb.core.choices import nearest, unknown
from stressweb.core.conditions import split
from stressweb.core.errors import UserError
from stressweb.core.task_id import CASES, TaskId

_LIST = "stressweb list tasks"
_PATTERN = frozenset("*?[")


def chosen(text: str, known: Sequence[str]) -> list[str]:
    """Return the ids in a comma-separated list, each once, in the order of the list.

    A part is an id, an id without its site, or a pattern for either, which selects all matches. Raises UserError for a
    part without a match, and for a short name that several sites have.
    """
    parts = split(text)
    if not parts:
        raise UserError(f"task is empty; `{_LIST}` lists all {len(known)}")
    return list(dict.fromkeys(task for part in parts for task in _matching(part, known)))


def without(tasks: Sequence[str], text: str) -> list[str]:
    """Return the tasks that match no part of a comma-separated list of ids, short names and patterns.

    Raises UserError for a part that matches no task, and if all tasks match.
    """
    remaining = list(tasks)
    for part in split(text):
        matched = [task for task in tasks if _matches(part, task)]
        # An exclusion without effect is probably a typo.
        if not matched:
            number = "the only chosen task" if len(tasks) == 1 else f"any of the {len(tasks)} chosen tasks"
            raise UserError(f"exclude {part[:80]!r} does not match {number}; `{_LIST}` lists them")
        remaining = [task for task in remaining if task not in matched]
    if not remaining:
        raise UserError(f"exclude {text[:80]!r} leaves no task of {len(tasks)}; exclude fewer")
    return remaining


def _matching(part: str, known: Sequence[str]) -> list[str]:
    if part in known:
        return [part]
    matched = [task for task in known if _matches(part, task)]
    # A pattern may match several tasks, but a plain name must not: one of them is the wrong one.
    if len(matched) > 1 and not _PATTERN & set(part):
        raise UserError(f"task {part!r} is in several sites; choose from {', '.join(matched)}")
    if not matched:
        raise UserError(_unmatched(part, known))
    return matched


def _unmatched(part: str, known: Sequence[str]) -> str:
    """Return one line about a part that matches no task, with the nearest tasks or the nearest site."""
    site, slash, _ = part.partition("/")
    sites = sorted({TaskId.read(task).site for task in known})
    nearest_sites = nearest(site, sites) if slash and site not in sites else []
    is_pattern = bool(_PATTERN & set(part))
    if not is_pattern and (nearest(part, known) or not nearest_sites):
        return unknown("task", part, known, command=_list(part))
    problem = f"task {part[:80]!r} matches no task" if is_pattern else f"unknown task {part[:80]!r}"
    guess = f"; did you mean the site {nearest_sites[0]}?" if nearest_sites else ";"
    return f"{problem}{guess} `{_list(part)}` lists all {len(known)}"


def _list(part: str) -> str:
    """Return the command that lists the candidates for a part."""
    return "stressweb list cases" if part.startswith(f"{CASES}/") else _LIST


def _matches(part: str, task: str) -> bool:
    return TaskId.read(task).matches(part)
