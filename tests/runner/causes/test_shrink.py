"""Shrinking real episodes names the planted causes."""

import pytest

from stressweb.core.errors import UserError
from stressweb.log.causes import Answer
from stressweb.perception.dom_view import DomView
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation
from stressweb.runner.causes.outcome import failure
from stressweb.runner.causes.shrink import Budget, check_failed, shrink
from stressweb.runner.causes.stage import CauseStage
from tests.runner.causes.planted_causes import AGREE, CODE, NAME, NOTE, SAVE, SEND, SENT, TASK, Planted, Presses

pytestmark = pytest.mark.long

ALL = "failure(rate=1)"
"""Every attempt fails, so the actions of an episode determine its causes."""


def explain(
    planted: Planted, stage: CauseStage, label: str, todo: list[object], episodes: int = 60, task: str = SENT
) -> Answer:
    return shrink(planted(label, todo, task=task), stage, Budget(episodes), lambda line: None)


@pytest.mark.sample(1, "searches")
def test_one_cause(planted: Planted, stage: CauseStage) -> None:
    answer = explain(planted, stage, ALL, [AGREE, (NOTE, "x"), SAVE])
    assert str(answer) == "caused by: failure of button 'Save it', 1st attempt"
    assert (answer.failure, answer.injections) == ("sent the form", 3)
    assert (answer.sufficient, answer.necessary) == (True, True)
    assert answer.episodes <= 10


@pytest.mark.sample(1, "searches")
def test_two_causes_that_act_together(planted: Planted, stage: CauseStage) -> None:
    """The agent tries twice: only both failures together break it."""
    answer = explain(planted, stage, ALL, [AGREE, SAVE, SAVE])
    assert [(cause.element, cause.injection[-1]) for cause in answer.causes] == [
        ("button 'Save it'", attempt) for attempt in "01"
    ]
    assert answer.verdict == "caused by"


@pytest.mark.audit
def test_two_causes_each_of_which_is_enough(planted: Planted, stage: CauseStage) -> None:
    """A form with a required field: a failed entry breaks it, and so does a failed button."""
    answer = explain(planted, stage, ALL, [(CODE, "7"), SEND])
    assert answer.verdict == "overdetermined"
    assert len(answer.causes) == 1
    assert (answer.sufficient, answer.necessary) == (True, False)


@pytest.mark.audit
def test_a_cause_without_which_it_fails_at_another_checkpoint(planted: Planted, stage: CauseStage) -> None:
    """If the button works, the failed entry of the name shows."""
    answer = explain(planted, stage, ALL, [(NAME, "lamp"), SAVE], task=TASK)
    assert (answer.verdict, answer.failure) == ("overdetermined", "sent the form")
    assert [cause.element for cause in answer.causes] == ["button 'Save it'"]
    assert str(answer).endswith("the other injections break it without that, too, at 'with the name'")


@pytest.mark.sample(1, "searches")
def test_an_episode_that_fails_undisturbed(planted: Planted, stage: CauseStage) -> None:
    answer = explain(planted, stage, ALL, [AGREE])
    assert (str(answer), answer.episodes) == ("undisturbed it fails too, at 'sent the form'", 2)


@pytest.mark.sample(1, "searches")
def test_an_episode_that_fails_later_undisturbed(planted: Planted, stage: CauseStage) -> None:
    """It never enters the name: undisturbed it sends the form, and then misses the next checkpoint."""
    answer = explain(planted, stage, ALL, [AGREE, SAVE], task=TASK)
    assert (answer.verdict, answer.failure) == ("fails without any", "sent the form")
    assert (str(answer), answer.causes) == ("undisturbed it fails too, at 'with the name'", ())


@pytest.mark.sample(1, "searches")
def test_a_budget_ends_the_search(planted: Planted, stage: CauseStage) -> None:
    answer = explain(planted, stage, ALL, [AGREE, (NOTE, "x"), SAVE], episodes=4)
    assert (answer.verdict, answer.episodes) == ("stopped", 4)
    assert "button 'Save it'" in str(answer)
    assert answer.sufficient is None


@pytest.mark.sample(1, "searches")
@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("remap(share=1)", "caused by: remap of button 'Save it'"),
        ("noise@3+failure(rate=1)", "caused by: failure of button 'Save it', 1st attempt"),
    ],
)
def test_causes_of_other_modes(planted: Planted, stage: CauseStage, label: str, message: str) -> None:
    assert str(explain(planted, stage, label, [AGREE, SAVE])) == message


def test_a_passed_episode_has_no_cause(planted: Planted) -> None:
    with pytest.raises(UserError, match="passed, so there is nothing to shrink"):
        check_failed(planted("clean", [(NAME, "lamp"), SAVE]).record)


@pytest.mark.sample(1, "searches")
def test_an_agent_that_acts_differently_has_slipped(planted: Planted, stage: CauseStage) -> None:
    episode = planted(ALL, [AGREE, SAVE])
    changed = episode._replace(new_agent=lambda: Presses([(NAME, "lamp"), SAVE, SAVE]))
    answer = shrink(changed, stage, Budget(), lambda line: None)
    assert answer.verdict == "slipped"


class Points(Presses):
    """Clicks at the place of a button on the undisturbed page."""

    place: tuple[float, float] | None = None
    wants = frozenset({"boxes"})

    def act(self, observation: Observation) -> Action:
        """Remember the place of the button, or click there."""
        page = DomView(observation)
        place = type(self).place
        if place is None:
            type(self).place = page.centre(page.root.cssselect(SAVE)[0])
            return Action(kind="DONE")
        self._index += 1
        x, y = place
        return Action(kind="DONE") if self._index else Action(kind="CLICK", x=x, y=y)


@pytest.mark.audit
def test_a_distortion_is_a_cause_too(planted: Planted, stage: CauseStage) -> None:
    """A click by coordinates misses a moved button; no other distortion is needed."""
    Points.place = None
    planted("clean", [], kind=Points, task=SENT)
    played = (planted("chaos@5", [], seed, Points, SENT) for seed in range(9))
    episode = next(candidate for candidate in played if failure(candidate.record.grade) == "sent the form")
    answer = shrink(episode, stage, Budget(), lambda line: None)
    assert answer.verdict in ("caused by", "overdetermined")
    assert {cause.injection[0] for cause in answer.causes} == {"chaos"}
    assert len(answer.causes) <= 3 < answer.injections
