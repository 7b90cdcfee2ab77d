"""What the label of a condition applies. Everything here that asks for a mode or a severity asks this module."""

from functools import cache

from stressweb.core.conditions import Applied, mode_names, parse


@cache
def applied(label: str) -> tuple[Applied, ...]:
    """Return the modes in the label of a condition, with severities and parameters; none for clean and sham."""
    modes = mode_names(label)
    return parse(label, modes)[0].applied if modes else ()


def dose(label: str) -> Applied | None:
    """Return the only mode of a condition if it stands on a severity curve, else None.

    A mode with parameters of its own is no point of its severity table, and severity 0 disturbs nothing, as clean does.
    """
    modes = applied(label)
    return modes[0] if len(modes) == 1 and modes[0].severity > 0 and not modes[0].parameters else None


def pair(label: str) -> tuple[str, str] | None:
    """Return the labels of the two modes of a joined condition, each by itself; None for any other condition."""
    modes = applied(label)
    return (str(modes[0]), str(modes[1])) if len(modes) == 2 else None
