"""Intervals stay within the possible range: 0 to 1 for rates, -1 to 1 for changes of rates."""

import math
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.comparison import compare
from stressweb.analysis.curves.measured import to_json
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.analysis.table import to_json as rows_in_json
from stressweb.analysis.wording import points
from tests.examples import examples
from tests.stressweb.analysis.curves.small_runs import curves
from tests.stressweb.analysis.planned_runs import run
from tests.support.graded_episodes import episode
from tests.support.made_runs import plan_of

CONDITIONS = ("clean", "noise@1", "noise@2", "noise@3", "failure@2", "noise@2+failure@2")
LEAST_OF_CHANGES = ("difference", "checkpoints_difference", "pointwise", "band", "mean_loss")
"""Figures that may be below 0; interactions may even be below -1."""

outcomes = st.sampled_from(["won", "lost", "claimed", "error"])


def drawn(task: int, family: int, label: str, epoch: int, outcome: str) -> Graded:
    status, claim = ("error", "none") if outcome == "error" else ("done", "failed" if outcome == "lost" else "done")
    same = {"family": f"family-{family}", "epoch": epoch, "status": status, "claim": claim}
    site = f"site-{task % 6}"
    seed = None if label == "clean" else 0
    return episode(task, label, outcome == "won", site=site, stress_seed=seed, **same)


def intervals(node: Any, path: str = "") -> Iterator[tuple[str, float, float]]:
    """Yield every interval in JSON values with its path."""
    if isinstance(node, dict):
        for name, member in node.items():
            yield from intervals(member, f"{path}.{name}")
    elif isinstance(node, list):
        named = path.rpartition(".")[2]
        if len(node) == 2 and ("interval" in named or "bounds" in named or named.endswith("sites")):
            low, high = (math.inf if end is None else float(end) for end in node)
            yield path, low, high
        else:
            for member in node:
                yield from intervals(member, path)


def possible(path: str) -> tuple[float, float]:
    if "retention" in path:
        return 0.0, math.inf
    if "interactions" in path:
        return -2.0, 2.0
    return (-1.0 if any(name in path for name in LEAST_OF_CHANGES) else 0.0), 1.0


@given(st.data(), st.integers(1, 14), st.integers(1, 14), st.integers(1, 2))
@examples(200)
def test_of_tables_and_curves(data: st.DataObject, tasks: int, families: int, epochs: int) -> None:
    episodes = [
        drawn(task, task % families, label, epoch, data.draw(outcomes))
        for task in range(tasks)
        for label in CONDITIONS
        for epoch in range(epochs)
    ]
    for path, low, high in intervals({"rows": rows_in_json(measure(episodes)), **to_json(curves(episodes))}):
        least, most = possible(path)
        assert least <= low <= high <= most, path


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=14), st.data())
@examples(200)
def test_of_comparisons(before: list[tuple[bool, bool, bool]], data: st.DataObject) -> None:
    """Only an estimate can exceed 100 points: stress that helped the agent and no longer does."""
    plan = plan_of(tasks=len(before))
    labels = [str(condition) for condition in plan.conditions]
    after = data.draw(st.permutations(before))
    comparison = compare(
        *(
            run(lambda cell, drawn=drawn: drawn[int(cell.task[-2:])][labels.index(cell.condition)], plan)  # type: ignore[misc]
            for drawn in (before, after)
        )
    )
    for line in (comparison.robustness, comparison.clean, *comparison.by_condition.values()):
        assert line.change is not None
        for interval in filter(None, (line.interval, line.sites_interval)):
            assert min(-1.0, line.change) <= interval.low <= line.change <= interval.high <= max(1.0, line.change)


def test_five_of_five_that_fail_reach_no_further_than_all() -> None:
    plan = plan_of(tasks=5, conditions=("remap@3",))
    line = compare(run(plan=plan), run(lambda cell: cell.condition == "clean", plan)).robustness
    assert line.interval is not None
    assert [points(end) for end in line.interval] == ["−100", "+21"]
