"""Repeated actions of an agent."""

from stressweb.analysis.repeats import repetitions
from stressweb.plugins.actions import Action


def test_repetitions() -> None:
    a, b = Action(kind="CLICK", selector="a"), Action(kind="CLICK", selector="b")
    again = a.model_copy(update={"reasoning": "once more"})
    assert repetitions([]) == (0, 0)
    assert repetitions([a, b, a, b]) == (0, 0)
    assert repetitions([a, again, a, b, b, a]) == (3, 2)
