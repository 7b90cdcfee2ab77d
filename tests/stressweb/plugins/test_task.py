"""Task files: draws, the wording of steps, and messages for mistakes."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from stressweb.core.errors import UserError
from stressweb.plugins.task import Task, load_tasks, refuse_twice
from tests.stressweb.plugins.shelf import Shelf


def task(**changes: Any) -> Task:
    fields = {"id": "shelf/x", "goal": "Do it.", "steps": [{"press": "add"}], "expect": {}, "evidence": ["/"]}
    return Task.model_validate(fields | changes)


def test_steps_follow_the_wording_and_the_draw() -> None:
    goal = task(
        goal="Take {count} of\n  {thing.name}, {size.name}.",
        given={
            "thing": {"pick": "Thing", "where": {"id": "t3"}},
            "count": {"between": [2, 2]},
            "size": {"label": ["size_l"]},
        },
        steps=[
            {"open": "{thing.name}"},
            {"choose": {"size": "{size.name}"}},
            {"choose": {"size": "size_s"}, "optional": "for show"},
            [{"enter": {"{thing.name} count": "{count}"}}],
            {"press": "add", "on": "{thing.name}"},
        ],
        evidence=["/things/{thing.id}"],
    ).goal(Shelf())
    assert goal.text == "Take 2 of Thing 3, Large."
    assert goal.evidence == ("/things/t3",)
    assert goal.thing.price == 1
    assert [(step.verb, step.target, step.value, step.on, step.optional) for step in goal.ways[0]] == [
        ("open", "Thing 3", None, None, ""),
        ("choose", "How big", "Large", None, ""),
        ("choose", "How big", "Small", None, "for show"),
        ("enter", "Thing 3 count", "2", None, ""),
        ("press", "Put in", None, "Thing 3", ""),
    ]


def test_each_repeats_its_steps_for_every_row() -> None:
    goal = task(
        given={"things": {"all": "Thing", "where": {"on": 1}}},
        steps=[{"each": {"thing": "things"}, "steps": [[{"press": "add", "on": "{thing.name}"}]]}],
    ).goal(Shelf())
    assert [step.on for step in goal.ways[0]] == ["Thing 1", "Thing 3"]


def test_draws_differ_by_seed_and_repeat() -> None:
    wanted = task(given={"thing": {"pick": "Thing"}, "count": {"between": [1, 9]}})
    drawn = [(wanted.goal(Shelf(seed)).thing.id, wanted.goal(Shelf(seed)).count) for seed in range(20)]
    assert len(set(drawn)) > 5
    assert drawn == [(wanted.goal(Shelf(seed)).thing.id, wanted.goal(Shelf(seed)).count) for seed in range(20)]


def test_draws_are_repeated_until_all_conditions_fit() -> None:
    wanted = task(
        given={
            "one": {"pick": "Thing"},
            "two": {"pick": "Thing", "where": {"id": {"other_than": "{one.id}"}}},
            "cheaper": {"all": "Thing", "where": {"id": "{one.id}", "price": {"at_most": 1}}, "count": [1, 1]},
        }
    )
    for seed in range(30):
        goal = wanted.goal(Shelf(seed))
        assert goal.one.price <= 1
        assert goal.one.id != goal.two.id


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"given": {"thing": {"pick": "Thing", "where": {"id": "t9"}}}}, "nothing that matches 'thing'"),
        ({"given": {"thing": {"pick": "Thong"}}}, "Thong"),
        ({"steps": [{"press": "ad"}]}, "'ad'"),
        ({"goal": "Take {nothing}."}, "nothing"),
        ({"given": {"thing": {"pick": "Thing"}}, "goal": "Take {thing.weight}."}, "weight"),
        ({"steps": [{"press": "add"}] * 31}, "31 steps"),
    ],
)
def test_the_error_of_an_impossible_goal_gives_the_reason(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says):
        task(**changes).goal(Shelf())


def test_a_draw_that_is_passed_over_gives_way_to_the_next_that_fits() -> None:
    wanted = task(given={"thing": {"pick": "Thing", "where": {"on": 1}}})
    goals = [wanted.goal(Shelf(), skip) for skip in range(20)]
    assert goals[0].params == wanted.goal(Shelf()).params
    assert {goal.thing.id for goal in goals} == {"t1", "t3"}
    with pytest.raises(UserError):
        wanted.goal(Shelf(), 1000)


@pytest.mark.parametrize(
    ("where", "fits"),
    [({"id": "t3"}, True), ({"id": "t9"}, False), ({"id": "{nothing}"}, True), ({"weight": 3}, True)],
)
def test_a_task_fits_a_world_that_has_what_it_needs(where: dict[str, Any], fits: bool) -> None:
    """A malformed task fits, because no other world would help; its goal is refused."""
    assert task(given={"thing": {"pick": "Thing", "where": where}}).fits(Shelf()) == fits


TASKS = """\
- id: shelf/x
  goal: Do it.
  steps:
    - press: add
      on: "{thing.name}"
  expect: {}
  evidence: [/]
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("- press: add", "- prod: add", 4),
        ("- press: add", "- {press: add, open: add}", 4),
        ("evidence: [/]", "evidence: []", 7),
        ("expect: {}", "expect: {thing: {added: [{where: {id: x}}]}}", 6),
        ("expect: {}", "expects: {}", 6),
        ("id: shelf/x", "id: x", 1),
        ("goal: Do it.", "gaol: Do it.", 2),
        ("goal: Do it.", "goal: Do it.\n  goal: Do that.", 3),
        ("[/]", "[/", 7),
    ],
)
def test_a_malformed_file_names_file_and_line(tmp_path: Path, old: str, new: str, line: int) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(TASKS.replace(old, new), "utf-8")
    with pytest.raises(UserError) as caught:
        load_tasks(path)
    reported_line = int(str(caught.value).removeprefix(f"{path}:").partition(":")[0])
    assert reported_line in (line, line + 1)
    assert "\n" not in str(caught.value)


def test_two_tasks_of_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(TASKS + TASKS, "utf-8")
    with pytest.raises(UserError) as caught:
        load_tasks(path)
    assert str(caught.value) == f"{path}:8: shelf/x: two tasks have this id, the other is at {path}:1"


def test_two_tasks_of_one_id_in_two_files_name_both(tmp_path: Path) -> None:
    first_path, second_path = tmp_path / "one.yaml", tmp_path / "other.yaml"
    first_path.write_text(TASKS, "utf-8")
    second_path.write_text(f"# Ours.\n{TASKS}", "utf-8")
    with pytest.raises(UserError) as caught:
        refuse_twice([("shelf/x", first_path, 0), ("shelf/x", second_path, 0)])
    assert str(caught.value) == f"{second_path}:2: shelf/x: two tasks have this id, the other is at {first_path}:1"


@pytest.mark.parametrize(
    ("steps", "explicit", "expected"),
    [(1, {}, "easy"), (8, {}, "easy"), (9, {}, "medium"), (16, {}, "medium"), (17, {}, "hard"), (30, {}, "hard"),
     (30, {"difficulty": "easy"}, "easy"), (1, {"difficulty": "hard"}, "hard")],
)  # fmt: skip
def test_difficulty_is_by_the_number_of_steps_unless_stated(
    steps: int, explicit: dict[str, Any], expected: str
) -> None:
    wanted = task(steps=[{"press": "add"}] * steps, **explicit)
    assert wanted.difficulty_of(wanted.goal(Shelf())) == expected


def test_tags_are_plain_words() -> None:
    assert task(tags=["cart", "two-steps"]).tags == ("cart", "two-steps")
    with pytest.raises(ValidationError):
        task(tags=["two steps"])
    with pytest.raises(ValidationError):
        task(difficulty="impossible")


def test_on_is_a_word_and_not_a_truth_value(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    path.write_text(TASKS, "utf-8")
    assert load_tasks(path)[0].steps[0].on == "{thing.name}"


def test_an_unreadable_file_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        load_tasks(tmp_path / "none.yaml")
