"""Limiting words are found in a goal's own wording, and breaches replace or extend its steps."""

from typing import Any

import pytest
from pydantic import ValidationError

from stressweb.core.errors import UserError
from stressweb.plugins.limits import Limit, unlimited
from stressweb.plugins.task import Task
from tests.stressweb.plugins.shelf import Shelf


def limit(**fields: Any) -> Limit:
    return Limit.model_validate(fields)


ADD = {"press": "add"}


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("Give it a star.", []),
        ("Give it a star, and no other.", ["no"]),
        ("Give exactly three a star.\nAll others\nstay as they are.", ["exactly", "stay"]),
        ('Call it "No other" and write "only".', []),
        ("Send it to {alone.name} alone.", ["alone"]),
        ("Go on as {one.name}, without a note.", ["Go on as", "without"]),
        ("Note the notes of nobody's leaves.", ["nobody", "leaves"]),
        ("Leave its page open. Change nothing.", ["Leave", "nothing"]),
        ("Alonely notwithstanding nonesuch.", []),
    ],
)
def test_limiting_words(goal: str, words: list[str]) -> None:
    assert [complaint.split("'")[1] for complaint in unlimited(goal, [])] == words


@pytest.mark.parametrize(
    ("says", "left"),
    [("and no other", 1), ("only the first", 1), ("other. Take only the first", 1), ("no other.\n  Take only", 0)],
)
def test_a_limit_covers_its_own_words_wherever_lines_break(says: str, left: int) -> None:
    goal = "Give it a star, and no other.\nTake only the first."
    assert len([*unlimited(goal, [limit(says=says, breach=[ADD])])]) == left


def task(**changes: Any) -> Task:
    whole = {
        "id": "shelf/take", "goal": "Take it, and no other one.", "expect": {}, "evidence": ["/"],
        "steps": [{"open": "{one.name}"}, {"press": "add", "optional": "why"}, {"press": "add"}, {"choose": {"size": "size_s"}}],
        "given": {"one": {"pick": "Thing", "where": {"id": "t1"}}, "any": {"pick": "Thing"}},
    }  # fmt: skip
    return Task.model_validate(whole | changes)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"says": "no other one"}, "needs either breach"),
        ({"says": "no other one", "breach": [ADD], "describes": "one"}, "needs either breach"),
        ({"says": "no othr", "breach": [ADD]}, "the goal does not say 'no othr'"),
        ({"says": "no other", "describes": "onw"}, "unknown given 'onw'; did you mean one"),
        ({"says": "no other", "describes": "any"}, "given.any has no condition"),
    ],
)
def test_malformed_limits_are_refused(entry: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        task(limits=[entry])


def breach(**entry: Any) -> list[str] | None:
    limited = task(limits=[{"says": "no other", **entry}])
    (limit_breach,) = limited.breaches(limited.goal(Shelf()), Shelf())
    return None if limit_breach.steps is None else [step.value or step.target for step in limit_breach.steps]


@pytest.mark.parametrize(
    ("entry", "targets"),
    [
        ({"breach": [{"open": "{one.name}"}]}, ["Thing 1", "Put in", "Put in", "Small", "Thing 1"]),
        ({"breach": [{"open": "{other.name}"}], "given": {"other": {"pick": "Thing", "where": {"price": 4}}}}, ["Thing 1", "Put in", "Put in", "Small", "Thing 2"]),
        ({"in_place_of": [ADD]}, ["Thing 1", "Put in", "Small"]),
        ({"in_place_of": [ADD, ADD], "breach": [{"open": "{{x}}"}]}, ["Thing 1", "{x}", "Small"]),
        ({"in_place_of": [{"choose": {"size": "size_s"}}], "breach": [{"choose": {"size": "size_l"}}, ADD]}, ["Thing 1", "Put in", "Put in", "Large", "Put in"]),
        ({"breach": [ADD], "given": {"other": {"pick": "Thing", "where": {"id": "t9"}}}}, None),
    ],
)  # fmt: skip
def test_a_breach_extends_the_trajectory_or_replaces_its_steps(entry: dict[str, Any], targets: list[str]) -> None:
    assert breach(**entry) == targets


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"breach": [{"press": "ad"}]}, "limits: 'no other': 'ad'"),
        ({"breach": [{"press": "{two.name}"}]}, "limits: 'no other'"),
        ({"in_place_of": [ADD, ADD, ADD]}, "limits: 'no other': the trajectory has no step"),
    ],
)
def test_a_breach_with_unknown_names_is_refused_in_one_line(entry: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says) as refused:
        breach(**entry)
    assert str(refused.value).count("\n") == 0
