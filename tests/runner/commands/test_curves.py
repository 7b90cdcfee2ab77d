"""`stressweb curves` of a recorded run, as text and as JSON."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.analysis.curves.measured import to_json
from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.log.recording import EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.checks import Grade
from stressweb.runner.api.run import open_run
from stressweb.runner.commands.curves import prices
from stressweb.runner.registry import task_ids
from tests.runner.commands.command_line import Result
from tests.support.plans import plan as planned

CONDITIONS = ("clean", "failure@1", "failure@3", "failure@5", "popup@3", "failure@3+popup@3")


@pytest.fixture
def graded_run(tmp_path: Path) -> Path:
    """A run of six tasks; more of them fail at higher severity."""
    folder = tmp_path / "runs" / "graded"
    tasks = tuple(task_ids()[:6])
    plan = planned(agents=("naive",), tasks=tasks, conditions=CONDITIONS)
    with Store.create(folder / FILE, {"plan": plan.model_dump()}, plan.cells()) as store:
        for cell in plan.cells():
            lost = int(cell.condition[8]) if cell.condition.startswith("failure@") else 0
            won = tasks.index(cell.task) >= lost
            store.save(EpisodeRecord(cell, "done", "done", grade=Grade({"it": won}, {}, verdict=None)))
    return folder


def test_it_prints_curves_and_missing_data(call: Callable[..., Result], graded_run: Path) -> None:
    before = (graded_run / FILE).read_bytes()
    status, out, err = call("curves", "graded", "--explain")
    assert (status, err) == (0, "")
    for title in ("failure", "interactions", "success within steps", "costs", "hardest tasks"):
        assert f" naive · {title}\n" in "".join(f"{line.rstrip()}\n" for line in out.splitlines())
    assert "failure@5    17 %      −83" in out
    assert " tolerance: not determined: the interval allows all severities (estimate 1.2)" in out
    assert "One severity only (popup@3): no trend and no tolerance" in " ".join(out.split())
    assert "per success: all that the condition cost" in out
    assert (graded_run / FILE).read_bytes() == before


def test_json_has_every_figure_as_the_python_interface_has(call: Callable[..., Result], graded_run: Path) -> None:
    status, out, _ = call("curves", "graded", "--json", "--price", "1,2")
    output = json.loads(out)
    assert (status, output.pop("run")) == (0, "runs/graded")
    assert output == json.loads(json.dumps(to_json(open_run(graded_run).curves({"naive": Price(input=1, output=2)}))))
    (failure, popup) = output["dose_responses"]
    assert [point["severity"] for point in failure["points"]] == [1, 3, 5]
    assert (popup["mode"], popup["tolerance"]) == ("popup", None)
    assert [interaction["condition"] for interaction in output["interactions"]] == ["failure@3+popup@3"]
    assert all(cost["dollars"] == 0 for cost in output["costs"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none",), "run"),
        (("graded", "--price", "cheap"), "--price 'cheap' is not a price; pass US dollars per million input"),
        (("graded", "--price", "1,-2"), "--price '1,-2' is not a price"),
        (("graded", "--price", "nan,1"), "--price 'nan,1' is not a price"),
        (("graded", "--price", "1,2,3"), "--price '1,2,3' is not a price"),
        (("graded", "--price", "naiv=1,2"), "agent 'naiv', which is not in the run; did you mean naive?"),
    ],
)
def test_a_mistake_gets_one_line(
    call: Callable[..., Result], graded_run: Path, arguments: tuple[str, ...], message: str
) -> None:
    status, out, err = call("curves", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_prices_are_of_all_agents_or_of_one() -> None:
    agents = ["model(name=a)", "model(name=b)"]
    assert prices(["2.5,10"], agents) == dict.fromkeys(agents, Price(input=2.5, output=10))
    assert prices(["1,2", "model(name=b)=3,4"], agents) == {
        agents[0]: Price(input=1, output=2),
        agents[1]: Price(input=3, output=4),
    }
    assert prices([], agents) == {}
    with pytest.raises(UserError, match="not in the run"):
        prices(["model=1,2"], agents)
