"""Causes that were planted are named, in real episodes."""

import pytest

from runner.causes.shrink import Budget, check_failed, shrink
from runner.causes.stage import Stage
from stressweb.core.errors import UserError
from stressweb.log.causes import Answer
from tests.runner.causes.conftest import ALPHA, BETA, NAME, SAVE, Planted, Presses

ALL = "failure(rate=1)"
"""Every attempt fails, so that what an episode does says what breaks it."""


def explain(planted: Planted, stage: Stage, label: str, todo: list[object], episodes: int = 60) -> Answer:
    return shrink(planted(label, todo), stage, Budget(episodes), lambda said: None)


def test_one_cause(planted: Planted, stage: Stage) -> None:
    answer = explain(planted, stage, ALL, [ALPHA, BETA, ALPHA, SAVE])
    assert str(answer) == "caused by: failure of button 'Save it', 1st attempt"
    assert (answer.failure, answer.injections) == ("sent the form", 4)
    assert (answer.sufficient, answer.necessary) == (True, True)
    assert answer.episodes <= 12


def test_two_causes_that_act_together(planted: Planted, stage: Stage) -> None:
    """The agent tries twice: only both failures together break it."""
    answer = explain(planted, stage, ALL, [BETA, ALPHA, SAVE, SAVE, BETA])
    assert [one.injection[-1] for one in answer.causes] == ["0", "1"]
    assert {one.element for one in answer.causes} == {"button 'Save it'"}
    assert answer.verdict == "caused by"


def test_two_causes_each_of_which_is_enough(planted: Planted, stage: Stage) -> None:
    """Both entries must come through, so each failure alone breaks it, and nothing that was found is needed."""
    todo = [(NAME, "lamp"), SAVE, ALPHA, SAVE]
    answer = explain(planted, stage, "popup(rate=1)", todo)
    if answer.verdict == "fails without any":
        pytest.fail("the planted cause is not there")
    assert answer.sufficient


def test_overdetermined(planted: Planted, stage: Stage) -> None:
    answer = explain(planted, stage, "remap(share=1)+failure(rate=1)", [ALPHA, (NAME, "lamp"), SAVE])
    assert answer.verdict in ("caused by", "overdetermined")


def test_it_fails_without_any(planted: Planted, stage: Stage) -> None:
    answer = explain(planted, stage, ALL, [ALPHA, BETA])
    assert (str(answer), answer.episodes) == ("fails without any injection", 2)


def test_a_budget_ends_the_search(planted: Planted, stage: Stage) -> None:
    answer = explain(planted, stage, ALL, [ALPHA, BETA, ALPHA, SAVE], episodes=4)
    assert answer.verdict == "stopped"
    assert answer.episodes == 4
    assert "button 'Save it'" in str(answer)
    assert len(answer.causes) < 4


@pytest.mark.parametrize(("label", "said"), [
    ("remap(share=1)", "caused by: remap of button 'Save it'"),
    ("noise@5+failure(rate=1)", "caused by: failure of button 'Save it', 1st attempt"),
])  # fmt: skip
def test_of_other_modes(planted: Planted, stage: Stage, label: str, said: str) -> None:
    assert str(explain(planted, stage, label, [ALPHA, SAVE])) == said


def test_a_passed_episode_has_no_cause(planted: Planted) -> None:
    with pytest.raises(UserError, match="passed: there is nothing to shrink"):
        check_failed(planted("clean", [(NAME, "lamp"), SAVE]).record)


def test_an_agent_that_acts_otherwise_has_slipped(planted: Planted, stage: Stage) -> None:
    found = planted(ALL, [ALPHA, SAVE])
    other = found._replace(make=lambda: Presses([(NAME, "lamp"), SAVE, SAVE]))
    answer = shrink(other, stage, Budget(), lambda said: None)
    assert answer.verdict == "slipped"
