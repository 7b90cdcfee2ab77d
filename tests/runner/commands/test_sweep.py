"""`stressweb sweep` and `stressweb merge`: dry runs, budgets that stop cleanly, shards that become one run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.log.store import FILE, Store
from tests.runner.commands.command_line import Result

TEXT = "agents: ['null']\ntasks: [shop/profile, calendar/week-view]\nconditions: [remap]\nworkers: 1\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "study.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def statuses(folder: Path) -> list[tuple[str, str]]:
    with Store.read(folder / FILE) as store:
        return [(episode.cell.key, episode.status) for episode in store.episodes()]


@pytest.mark.audit
def test_a_budget_stops_a_run_cleanly_and_the_rest_is_run_on_resume(
    call: Callable[..., Result], file: str, tmp_path: Path
) -> None:
    status, out, err = call("sweep", file, "--run", "a", "--set", "budget.hours=0.0000001")
    assert status == 1
    assert "stopped: the run's 1e-07 hours are over; 4 episodes in 2 blocks were not run" in err
    assert "calendar/week-view null world 0 epoch 0" in err
    assert "--resume --run a" in err
    assert statuses(tmp_path / "runs" / "a") == []
    status, out, err = call("sweep", file, "--run", "a", "--resume")
    assert (status, len(statuses(tmp_path / "runs" / "a"))) == (0, 4)
    assert "remap@3" in out
    assert " report: runs/a/report.html\n" in out
    assert (tmp_path / "runs" / "a" / "report.html").is_file()
    # The next dry run estimates from the time of this run.
    status, out, _ = call("sweep", file, "--dry-run")
    assert status == 0
    assert "(from 4 episodes of earlier runs)" in out


@pytest.mark.audit
def test_shards_become_one_run(call: Callable[..., Result], file: str, tmp_path: Path) -> None:
    call("sweep", file, "--run", "one", "--shard", "1/2")
    status, _, err = call("merge", "one", "--run", "all")
    assert (status, err) == (2, "stressweb: shard 2 of 2 is missing; pass the run of each shard\n")
    call("sweep", file, "--run", "two", "--shard", "2/2")
    status, out, _ = call("merge", "one", "two", "--run", "all")
    assert status == 0
    assert "remap@3" in out
    runs = tmp_path / "runs"
    assert sorted(statuses(runs / "all")) == sorted([*statuses(runs / "one"), *statuses(runs / "two")])
    assert [len(statuses(runs / name)) for name in ("one", "two", "all")] == [2, 2, 4]
    status, out, _ = call("grade", "all", "--json")
    assert (status, json.loads(out)["regraded"]) == (0, 0)


def test_a_dry_run_freezes_its_plan_by_a_hash(call: Callable[..., Result], file: str, tmp_path: Path) -> None:
    status, out, _ = call("sweep", file, "--dry-run", "--json")
    plan = json.loads(out)
    assert (status, len(plan["cells"]), plan["expected"]) == (0, 4, None)
    assert f"4 episodes in 2 blocks, plan {plan['hash']}\n" in call("sweep", file, "--dry-run")[1]
    assert call("sweep", file, "--dry-run", "--plan", plan["hash"])[0] == 0
    status, out, err = call("sweep", file, "--plan", plan["hash"], "--set", "epochs=2")
    assert (status, out) == (2, "")
    assert f"not {plan['hash']}: its tasks, sites, modes, agents or settings have changed since" in err
    assert not (tmp_path / "runs").exists()


def test_an_option_overrides_an_entry(call: Callable[..., Result], file: str) -> None:
    _, out, _ = call(
        "sweep", file, "--dry-run", "--json", "--mode", "failure@1..2", "--limit", "1", STRESSWEB_EPOCHS="2"
    )
    plan = json.loads(out)["plan"]
    assert [len(plan[name]) for name in ("conditions", "tasks")] == [3, 1]
    assert plan["epochs"] == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sweep", "nowhere.yaml"), "nowhere.yaml: cannot be read"),
        (("sweep",), "Missing argument 'FILE'"),
        (("sweep", "study.yaml", "--shard", "3/2"), "shard '3/2' is not of the form 2/8"),
        (("sweep", "study.yaml", "--resume"), "resume needs the name of the run"),
        (("sweep", "study.yaml", "--task", "shop/nowhere"), "unknown task 'shop/nowhere'"),
        (("merge", "nowhere"), "unknown run 'nowhere'"),
        (("merge",), "Missing argument 'RUNS...'"),
    ],
)
def test_a_mistake_gets_one_line(
    call: Callable[..., Result], file: str, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    status, out, err = call(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not (tmp_path / "runs").exists()
