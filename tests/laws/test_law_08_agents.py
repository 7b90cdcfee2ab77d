"""Law 8, other agents: the tree alone suffices for a task, random actions solve none, the oracle judges rightly."""

import pytest

from stressweb.core import draws
from stressweb.perturbations import MODES
from stressweb.runner.registry import Library, task_ids
from tests.support.playing import Player, summary_of

pytestmark = pytest.mark.long

TASKS = task_ids()
TREE = "resilient(pointer=tree)"
CONDITIONS = ("clean", *(f"{mode}@3" for mode in MODES))
SAMPLE = 4
"""Tasks that run by the tree in every condition, without the audit."""

FAILING, BUGGY = (next(case for case in Library().cases("food") if kind in case) for kind in ("#F", "#B"))


def sampled(seed: int) -> list[str]:
    """Return the tasks of the sample, the same for every condition."""
    return sorted(TASKS, key=lambda task: draws.unit("by the tree", seed, task))[:SAMPLE]


@pytest.mark.sample(1)
@pytest.mark.parametrize("number", range(SAMPLE))
@pytest.mark.parametrize("condition", CONDITIONS)
def test_resilient_does_it_by_the_tree(play: Player, condition: str, number: int, seed: int) -> None:
    record = play(TREE, sampled(seed)[number], condition)
    assert record.grade is not None
    assert record.grade.success, summary_of(record)
    assert record.claim == "done", summary_of(record)


@pytest.mark.sample(1)
@pytest.mark.parametrize("number", range(SAMPLE))
def test_chance_does_nothing(play: Player, number: int, seed: int) -> None:
    record = play("wander", sampled(seed)[number], epoch=seed)
    assert record.grade is not None
    assert not record.grade.success, summary_of(record)
    assert not record.grade.verdict, summary_of(record)
    assert record.claim == "done"


@pytest.mark.audit
@pytest.mark.parametrize("task", TASKS)
def test_chance_does_nothing_on_any_task(play: Player, task: str, seed: int) -> None:
    record = play("wander", task, epoch=seed)
    assert record.grade is not None
    assert not record.grade.success, summary_of(record)


@pytest.mark.sample(2)
@pytest.mark.parametrize("case", [FAILING.partition("#")[0], FAILING, BUGGY])
@pytest.mark.parametrize("mode", MODES)
def test_the_oracle_judges_rightly_under_the_hardest_stress(play: Player, case: str, mode: str) -> None:
    record = play("oracle", case, f"{mode}@5")
    assert record.grade is not None
    assert record.grade.judgement is not None
    assert record.grade.judgement.right, summary_of(record)
