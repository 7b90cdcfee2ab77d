"""The mode and severity of a condition on a curve, and the two modes of a pair."""

from stressweb.core.conditions import Applied, Condition


def dose(condition: Condition) -> Applied | None:
    """Return the only mode of a condition if it is on a severity curve, else None.

    A mode with changed parameters is not on the curve, nor is severity 0, which equals clean.
    """
    if len(condition.applied) != 1:
        return None
    (applied,) = condition.applied
    return applied if applied.severity > 0 and not applied.parameters else None


def pair(condition: Condition) -> tuple[str, str] | None:
    """Return the labels of the two modes of a joined condition, each by itself; None for any other condition."""
    if len(condition.applied) != 2:
        return None
    first, second = condition.applied
    return Condition((first,)).label, Condition((second,)).label
