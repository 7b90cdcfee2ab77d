"""Describes the missing episodes of an unfinished run in one line."""

from collections import Counter
from collections.abc import Sequence

from stressweb.core.agent_names import split_title
from stressweb.core.agent_spec import CLIENT
from stressweb.core.program_name import program_name
from stressweb.log.recording import Cell

_MOST = 5
"""Largest number of listed conditions."""


def unfinished(run: str, planned: int, missing: Sequence[Cell], *, resume: str = "") -> str:
    """Return the missing episodes of a run with `planned` episodes; "" if none.

    `resume` is the run's name for `--resume`; without it, for example for a bundle, no command is suggested.
    """
    if not missing:
        return ""
    by_condition = Counter(cell.condition for cell in missing).most_common()
    parts = [f"{label} {count}" for label, count in by_condition[:_MOST]]
    if remaining := sum(count for _, count in by_condition[_MOST:]):
        parts.append(f"others {remaining}")
    cure = f"; {_cure(run, missing, resume)}" if resume else ""
    are = "is" if planned == 1 else "are"
    return f"run {run} is not finished: {len(missing)} of {planned} episodes {are} missing ({', '.join(parts)}){cure}"


def _cure(run: str, missing: Sequence[Cell], resume: str) -> str:
    # A run cannot start external clients.
    if all(split_title(cell.agent)[1].partition("(")[0] == CLIENT for cell in missing):
        return f"open them again with: {program_name()} host --out {run}"
    return f"run them with: {program_name()} run --resume --run {resume}"
