"""The user's own test cases, loaded from files: tasks like others, for testers that read text."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.runner import registry
from stressweb.runner.commands.new import new
from stressweb.runner.plan.experiment import Experiment, check_agents, check_worlds

pytestmark = pytest.mark.usefixtures("isolated_plugins")

TABLE = """site,case,title,seed,start,step,action,expected,verdict
shop,own,See http://qa.local:80/,2,/cart,1,"Open HTTP://qa.local:80/a, not http://qa.local:8080 or http://qa.local.org!",,
,,,,,2,"Enter ""http://other.local/"" there","The address is http://qa.local:80",fail
"""


def file(folder: Path, content: str = TABLE, name: str = "mine.csv") -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def test_they_are_chosen_and_drawn_like_other_cases(tmp_path: Path) -> None:
    proven = registry.chosen_tasks("cases/shop/*")
    source = file(tmp_path)
    registry.load([source])
    assert registry.chosen_tasks("cases/shop/*") == [*proven, "cases/shop/own"]
    assert registry.EXTENSIONS.sources == (source,)
    library = registry.Library()
    assert library.task("cases/shop/own").tags == ("own", "failing")
    goal = library.goal("cases/shop/own", 2)
    address = f"http://{library.world('shop', 2).host}"
    assert goal.text.splitlines()[2:7] == [
        "See http://qa.local:80/",
        "Begin at the path /cart of the site.",
        f"1. Open {address}/a, not http://qa.local:8080 or http://qa.local.org!",
        '2. Enter "http://other.local/" there.',
        f"   Expected: The address is {address}.",
    ]
    assert goal.case is not None
    assert (goal.case.truth.step, goal.case.truth.cause) == (2, None)


def test_another_world_is_refused_before_anything_runs(tmp_path: Path) -> None:
    experiment = Experiment(tasks=("cases/shop/own",), agents=("always-pass",), load=(file(tmp_path),), seed=(2, 0))
    with pytest.raises(UserError, match=r"cases/shop/own is written for world 2: choose --seed 2"):
        check_worlds(experiment.plan(), registry.Library())


@pytest.mark.sample(1)
@pytest.mark.parametrize("agent", ["oracle", "gullible", "retry", "literal"])
def test_an_agent_that_follows_a_program_is_refused(tmp_path: Path, agent: str) -> None:
    plan = Experiment(tasks=("cases/shop/own",), agents=("always-fail", agent), load=(file(tmp_path),)).plan()
    with pytest.raises(
        UserError, match=rf"agent '{agent}' needs executable steps, and your test case cases/shop/own has only text"
    ):
        check_agents(plan, None, None)
    check_agents(plan.model_copy(update={"agents": plan.agents[:1]}), None, None)


def test_a_file_may_be_for_a_site_that_is_loaded_after_it(tmp_path: Path) -> None:
    new("bakery", tmp_path)
    folder = tmp_path / "bakery"
    source = file(tmp_path, "case,action,expected\na,Look,\n", f"{folder.name}.csv")
    registry.load([source, str(folder)])
    assert registry.EXTENSIONS.sources == (str(folder), source)
    assert registry.Library().cases(folder.name).keys() == {f"cases/{folder.name}/a"}


def test_ids_of_cases_are_unique(tmp_path: Path) -> None:
    registry.load([file(tmp_path)])
    with pytest.raises(
        UserError, match=r"b\.csv:2: cases/shop/own: two test cases have this id, the other is at .*mine\.csv:2"
    ):
        registry.load([file(tmp_path, "site,case,action,expected\nshop,own,Look,\n", "b.csv")])
    taken = next(iter(registry.Library().cases("shop")))
    assert taken not in registry.OWN_CASES
    registry.load([file(tmp_path, f"case,action,expected\nother,Look,\n{taken},Look,\n", "shop.csv")])
    with pytest.raises(UserError, match=rf"shop\.csv:3: {taken}: a test case of stressweb has this id"):
        registry.chosen_tasks("cases/shop/*")


def test_a_refused_file_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"mine\.csv:3: cases/shp/b: unknown site"):
        registry.load([file(tmp_path, "site,case,action,expected\nshop,a,Look,\nshp,b,Look,\n")])
    assert "cases/shop/a" not in registry.OWN_CASES
    assert registry.EXTENSIONS.sources == ()


def test_invalid_files_are_named(tmp_path: Path) -> None:
    for source, message in ((tmp_path / "none.csv", "does not exist"), (tmp_path / "x.txt", "is not a Python file")):
        (tmp_path / "x.txt").touch()
        with pytest.raises(UserError, match=rf"--load {source} {message}; give .* test cases \(\.csv, \.yaml\)"):
            registry.load([str(source)])


def test_the_error_for_an_unknown_case_mentions_loading_a_file() -> None:
    with pytest.raises(
        UserError, match=r"unknown test case 'cases/shop/own'; .*--site shop` .*; --load adds a file of your"
    ):
        registry.Library().task("cases/shop/own")
