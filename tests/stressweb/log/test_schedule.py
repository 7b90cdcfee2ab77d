"""The order of a plan: whole blocks, the longest first, each in an order that is drawn from its cells; and shards."""

import random
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.draws import digest
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.schedule import block_of, blocks, scheduled, sharded
from tests.stressweb.log.test_plan import plans


def seconds(cell: Cell) -> float:
    return 1 + digest("seconds", cell.task, cell.agent, size=1)[0]


@given(plans(), st.integers(0, 99))
def test_every_cell_runs_once_and_blocks_stand_together_the_longest_first(plan: Plan, seed: int) -> None:
    cells = plan.cells()
    order = scheduled(cells, plan.epochs, seconds)
    assert sorted(one.key for one in order) == sorted(one.key for one in cells)
    together = [key for key, _ in groupby(block_of(one, plan.epochs) for one in order)]
    assert len(together) == len(set(together)) == len(blocks(cells, plan.epochs))
    whole = {key: sum(map(seconds, block)) for key, block in blocks(cells, plan.epochs).items()}
    lengths = [whole[key] for key in together]
    assert lengths == sorted(lengths, reverse=True)


@given(plans(), st.integers(0, 99))
def test_the_order_within_a_block_depends_on_its_cells_alone(plan: Plan, seed: int) -> None:
    cells = plan.cells()
    shuffled = random.Random(seed).sample(cells, len(cells))
    within = [
        {key: [one.key for one in block] for key, block in blocks(order, plan.epochs).items()}
        for order in (scheduled(cells, plan.epochs, seconds), scheduled(shuffled, plan.epochs, seconds))
    ]
    assert within[0] == within[1]


def test_no_arm_always_comes_first() -> None:
    """A drifting endpoint must not favour an arm: over many tasks, each is first about as often as any other."""
    cells = [
        Cell(agent="a", task=f"site/{n}", condition=one, world=0, stress=None if one == "clean" else 0)
        for n in range(400)
        for one in ("clean", "remap@3", "noise@3", "failure@3")
    ]
    first = [block[0].condition for block in blocks(scheduled(cells, 1, lambda cell: 1.0), 1).values()]
    # 100 each are expected, with a standard deviation of 8.7.
    assert all(60 < first.count(one) < 140 for one in ("clean", "remap@3", "noise@3", "failure@3"))


@given(plans())
def test_each_block_has_the_clean_cells_that_its_arms_are_compared_with(plan: Plan) -> None:
    for block in blocks(plan.cells(), plan.epochs).values():
        assert [one for one in block if one.condition == "clean"]
        assert {(one.condition, one.stress) for one in block} == {
            (condition.label, seed if condition.drawn else None)
            for condition in plan.conditions
            for seed in plan.stress
        }


@given(plans(), st.integers(1, 7))
def test_shards_share_out_the_blocks(plan: Plan, count: int) -> None:
    cells = plan.cells()
    parts = [sharded(cells, plan.epochs, number, count) for number in range(1, count + 1)]
    assert sorted(one.key for part in parts for one in part) == sorted(one.key for one in cells)
    mine = [set(blocks(part, plan.epochs)) for part in parts]
    assert sum(map(len, mine)) == len(set().union(*mine))
    # As evenly as whole blocks allow.
    assert max(map(len, mine)) - min(map(len, mine)) <= 1
    for number, part in enumerate(parts, 1):
        assert plan.model_copy(update={"shard": (number, count)}).cells() == part
