"""Files that a task offers: their definition, valid names, and uploads of other files."""

from typing import Any

import pytest

from stressweb.core.errors import UserError
from stressweb.plugins.offers import Offer, apart, together
from stressweb.plugins.task import Goal, Task
from tests.stressweb.plugins.shelf import Shelf

FILE = {"name": "{thing.name}.txt", "text": "About {thing.name}."}


def goal(offers: list[dict[str, Any]], step: dict[str, Any]) -> Goal:
    parameters = {"thing": {"pick": "Thing", "where": {"id": "t3"}}, "things": {"all": "Thing", "where": {"on": 1}}}
    fields = {"id": "shelf/x", "goal": "Do it.", "given": parameters, "expect": {}, "evidence": ["/"]}
    return Task.model_validate({**fields, "steps": [step], "offers": offers}).goal(Shelf())


def test_files_use_drawn_parameters_and_are_sorted_by_name() -> None:
    task_goal = goal([{"name": "z.txt", "text": ""}, FILE], {"upload": {"size": "{thing.name}.txt"}})
    assert task_goal.offers == (Offer(name="Thing 3.txt", text="About Thing 3."), Offer(name="z.txt", text=""))
    ((step,),) = task_goal.ways
    assert (step.verb, step.target, step.value, step.files) == ("upload", "How big", "Thing 3.txt", ("Thing 3.txt",))


def test_each_creates_a_file_per_row_and_a_step_takes_several() -> None:
    names = ("Thing 3.txt", "Thing 1.txt")
    task_goal = goal([{**FILE, "each": {"thing": "things"}}], {"upload": {"size": [*names]}})
    assert [offer.text for offer in task_goal.offers] == ["About Thing 1.", "About Thing 3."]
    assert task_goal.ways[0][0].files == names
    assert apart(together(names)) == names
    assert apart("") == ()


@pytest.mark.parametrize(
    ("offers", "step", "says"),
    [
        ([FILE], {"upload": {"size": "Thing 33.txt"}}, "unknown offered file 'Thing 33.txt'; did you mean Thing 3.txt"),
        ([], {"upload": {"size": "a.txt"}}, "unknown offered file 'a.txt'"),
        ([FILE, FILE], {"press": "add"}, "two files have the same name"),
        ([{"name": "a/b.txt", "text": ""}], {"press": "add"}, "offers: String should match pattern"),
        ([{"name": "a, b.txt", "text": ""}], {"press": "add"}, "has a comma"),
        ([{"name": "{nothing.name}", "text": ""}], {"press": "add"}, "'nothing' is not a label"),
        ([{**FILE, "each": {"thing": "none"}}], {"press": "add"}, "'none' is not a label"),
    ],
)
def test_mistakes_are_explained(offers: list[dict[str, Any]], step: dict[str, Any], says: str) -> None:
    with pytest.raises(UserError, match=says.replace("(", r"\(")):
        goal(offers, step)
