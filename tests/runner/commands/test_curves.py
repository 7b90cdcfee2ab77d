"""`stressweb curves`: of a recorded run, for people and for programs."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.commands.curves import prices
from stressweb.analysis.curves.costs import Price
from stressweb.core.errors import UserError
from stressweb.log.store import FILE
from tests.runner.commands.conftest import Result

GOLDEN = Path(__file__).parents[2] / "golden" / "run.db"


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    folder = tmp_path / "runs" / "golden"
    folder.mkdir(parents=True)
    shutil.copy(GOLDEN, folder / FILE)
    return folder


def test_it_prints_what_a_run_has_and_what_it_lacks(call: Callable[..., Result], golden: Path) -> None:
    before = (golden / FILE).read_bytes()
    status, out, err = call("curves", "golden", "--explain")
    assert (status, err) == (0, "")
    for title in ("success within steps", "costs", "hardest tasks"):
        assert title in out
    assert "No interval speaks of new sites" in " ".join(out.split())
    assert "per success: all that the condition cost" in out
    assert (golden / FILE).read_bytes() == before


def test_json_has_every_figure(call: Callable[..., Result], golden: Path) -> None:
    status, out, _ = call("curves", "golden", "--json", "--price", "1,2")
    told = json.loads(out)
    assert (status, told["run"]) == (0, "runs/golden")
    assert {one["agent"] for one in told["costs"]} == {one["agent"] for one in told["steps"]}
    assert all(one["dollars"] == 0 for one in told["costs"])
    assert told["difficulties"]
    assert told["missing"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none",), "run"),
        (("golden", "--price", "cheap"), "--price 'cheap' is no price; give US dollars per million tokens"),
        (("golden", "--price", "1,-2"), "--price '1,-2' is no price"),
        (("golden", "--price", "nan,1"), "--price 'nan,1' is no price"),
        (("golden", "--price", "1,2,3"), "--price '1,2,3' is no price"),
        (("golden", "--price", "naiv=1,2"), "agent 'naiv', which is not in the run; did you mean naive?"),
    ],
)
def test_a_mistake_is_one_line(
    call: Callable[..., Result], golden: Path, arguments: tuple[str, ...], said: str
) -> None:
    status, out, err = call("curves", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_prices_are_of_all_agents_or_of_one() -> None:
    agents = ["model(name=a)", "model(name=b)"]
    assert prices(["2.5,10"], agents) == dict.fromkeys(agents, Price(2.5, 10))
    assert prices(["1,2", "model(name=b)=3,4"], agents) == {agents[0]: Price(1, 2), agents[1]: Price(3, 4)}
    assert prices([], agents) == {}
    with pytest.raises(UserError, match="not in the run"):
        prices(["model=1,2"], agents)
