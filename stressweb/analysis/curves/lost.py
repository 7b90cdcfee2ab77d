"""Lists conditions without data because of errors, so that none is silently missing from a curve."""

from collections.abc import Iterator, Mapping, Sequence

from stressweb.analysis.curves.joint import Arm
from stressweb.analysis.graded import Graded
from stressweb.core.conditions import CLEAN
from stressweb.core.words import counted

_MOST = 5
"""Largest number of listed tasks."""


def reason(episodes: Sequence[Graded], arm: Arm | None) -> str:
    """Return why no episode of a condition is in a comparison; "" if any is.

    `arm` has their pairs with clean, None for clean itself.
    """
    if all(episode.status == "error" for episode in episodes):
        return (
            "its episode ended in an error" if len(episodes) == 1 else f"all {len(episodes)} episodes ended in errors"
        )
    if arm is not None and not arm.pairs:
        return f"of {counted(len(episodes), 'episode')} none has a clean partner without an error"
    return ""


def of_conditions(agent: str, cells: Mapping[str, Sequence[Graded]], arms: Mapping[str, Arm]) -> Iterator[str]:
    """List the conditions of an agent that are in no comparison, with the reason."""
    clean = cells.get(CLEAN.label, [])
    if clean and (why := reason(clean, None)):
        yield f"{agent} clean: {why}: nothing can be compared with clean."
    # Without clean, no condition has a partner, which is reported once above.
    for label, cell in cells.items():
        arm = arms.get(label) if clean and not reason(clean, None) else None
        if label != CLEAN.label and (why := reason(cell, arm)):
            yield f"{agent} {label}: {why}: it is in no curve and no comparison."


def of_tasks(agent: str, episodes: Sequence[Graded]) -> Iterator[str]:
    """List the tasks of an agent without a counted episode."""
    known = {episode.task for episode in episodes if episode.counts}
    lost = sorted({episode.task for episode in episodes} - known)
    if lost and known:
        named = ", ".join(lost[:_MOST]) + (f" and {len(lost) - _MOST} more" if len(lost) > _MOST else "")
        unobserved = (
            " or was not observed" if any(episode.undecided for episode in episodes if episode.task in lost) else ""
        )
        yield f"{agent}: every episode of {named} ended in an error{unobserved}: left out of all figures."
