"""Estimates of time and cost from earlier runs; files that are no runs are ignored."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.core.price import Price
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Usage
from stressweb.runner.plan.budget import Budget
from stressweb.runner.plan.earlier_runs import Cost, EarlierRuns, read_earlier_runs
from stressweb.runner.plan.expected import check_budget, expected
from stressweb.runner.plan.experiment import Experiment
from tests.support.plans import plan as planned

PAGE = Shown("http://shop.test/", "<html></html>")


def cell(task: str = "shop/a", agent: str = "naive", condition: str = "clean") -> Cell:
    return Cell(agent=agent, task=task, condition=condition, world=0, stress=None if condition == "clean" else 0)


def test_the_nearest_earlier_episodes_count() -> None:
    known = EarlierRuns(
        [
            (cell(), Cost(2)),
            (cell(), Cost(4)),
            (cell(condition="remap@3"), Cost(10)),
            (cell("shop/b"), Cost(20)),
            (cell("shop/c", "other"), Cost(99)),
        ]
    )
    assert known.seconds(cell()) == 3
    assert known.seconds(cell(condition="remap@3")) == 10
    assert known.seconds(cell(condition="noise@3")) == 4
    assert known.seconds(cell("shop/new")) == 7
    assert known.seconds(cell("shop/c", "newcomer")) == 99
    assert known.seconds(cell("shop/new", "newcomer")) == 1


def test_unknown_episodes_count_as_the_mean() -> None:
    known = EarlierRuns([(cell(), Cost(2, tokens_in=100)), (cell("shop/b"), Cost(6, tokens_in=300))])
    estimate = known.estimate([cell(), cell("shop/b"), cell("shop/b", "newcomer"), cell("shop/x", "newcomer")])
    assert estimate is not None
    assert estimate.seconds == pytest.approx((2 + 6 + 6) * 4 / 3)
    assert (estimate.known, estimate.episodes) == (2, 2)
    assert EarlierRuns().estimate([cell()]) is None


def record_run(folder: Path, name: str, tokens: int) -> None:
    cells = [cell(agent="model(model=big)"), cell("shop/b", "model(model=big)")]
    with Store.create(folder / name / FILE, {}, cells) as store:
        step = StepRecord(PAGE, Action(kind="DONE"), Outcome(ok=True), 1.0, Usage(tokens_in=tokens, model="big"))
        store.save(EpisodeRecord(cells[0], "done", "done", steps=[StepRecord(PAGE), step], seconds=5.0))
        store.save(EpisodeRecord(cells[1], "error", seconds=500.0))


def test_invalid_runs_and_errors_are_ignored(tmp_path: Path) -> None:
    record_run(tmp_path, "one", 1_000)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / FILE).write_text("no database", encoding="utf-8")
    earlier_runs = read_earlier_runs(tmp_path)
    assert earlier_runs.episodes == 1
    assert earlier_runs.cost(cell(agent="model(model=big)")) == Cost(5.0, 1_000, 0)
    assert read_earlier_runs(tmp_path / "nowhere").episodes == 0


def test_a_plan_that_would_cost_more_than_it_may_is_refused(tmp_path: Path) -> None:
    record_run(tmp_path, "one", 1_000_000)
    plan = planned(agents=("model(model=big)",), tasks=("shop/a",), conditions=("clean", "remap@3"), sampled=())
    plan = plan.model_copy(update={"agents": tuple(_asking(agent) for agent in plan.agents)})
    prices = {"big": Price(input=2, output=8)}
    takes = expected(plan, read_earlier_runs(tmp_path), Experiment(prices=prices))
    assert takes is not None
    count = len(plan.cells())
    assert (takes.usd, takes.tokens, takes.seconds) == (2.0 * count, 1e6 * count, 5.0 * count)
    with pytest.raises(UserError, match=rf"will cost about {2 * count}.00 USD, more than its budget of 3.00"):
        check_budget(Experiment(prices=prices, budget=Budget(usd=3)), plan, tmp_path)
    with pytest.raises(UserError, match="tokens, more than its budget of 1,500,000"):
        check_budget(Experiment(prices=prices, budget=Budget(tokens=1_500_000)), plan, tmp_path)
    with pytest.raises(UserError, match=r"budget\.usd needs the price of model big"):
        check_budget(Experiment(budget=Budget(usd=3)), plan, tmp_path)
    check_budget(Experiment(prices=prices, budget=Budget(usd=2.0 * count)), plan, tmp_path)


def _asking(spec: object) -> object:
    return spec.model_copy(update={"options": (("model", "big"),)})  # type: ignore[attr-defined]
