"""The order of a plan: whole blocks, the longest first, each in a drawn order; and shards."""

import random
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.draws import digest
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.schedule import block_of, blocks, scheduled, sharded
from tests.stressweb.log.drawn_plans import plans


def seconds(cell: Cell) -> float:
    return 1 + digest("seconds", cell.task, cell.agent, size=1)[0]


@given(plans(), st.integers(0, 99))
def test_every_cell_runs_once_and_blocks_stand_together_the_longest_first(plan: Plan, seed: int) -> None:
    cells = plan.cells()
    order = scheduled(cells, plan.epochs, seconds)
    assert sorted(cell.key for cell in order) == sorted(cell.key for cell in cells)
    block_keys = [key for key, _ in groupby(block_of(cell, plan.epochs) for cell in order)]
    assert len(block_keys) == len(set(block_keys)) == len(blocks(cells, plan.epochs))
    whole = {key: sum(map(seconds, block)) for key, block in blocks(cells, plan.epochs).items()}
    lengths = [whole[key] for key in block_keys]
    assert lengths == sorted(lengths, reverse=True)


@given(plans(), st.integers(0, 99))
def test_the_order_within_a_block_depends_on_its_cells_alone(plan: Plan, seed: int) -> None:
    cells = plan.cells()
    shuffled = random.Random(seed).sample(cells, len(cells))
    block_cells = [
        {key: [cell.key for cell in block] for key, block in blocks(order, plan.epochs).items()}
        for order in (scheduled(cells, plan.epochs, seconds), scheduled(shuffled, plan.epochs, seconds))
    ]
    assert block_cells[0] == block_cells[1]


def test_no_arm_always_comes_first() -> None:
    """A drifting endpoint must not favour an arm, so each arm is first about equally often."""
    cells = [
        Cell(agent="a", task=f"site/{n}", condition=condition, world=0, stress=None if condition == "clean" else 0)
        for n in range(400)
        for condition in ("clean", "remap@3", "noise@3", "failure@3")
    ]
    first = [block[0].condition for block in blocks(scheduled(cells, 1, lambda cell: 1.0), 1).values()]
    # 100 each are expected, with a standard deviation of 8.7.
    assert all(60 < first.count(condition) < 140 for condition in ("clean", "remap@3", "noise@3", "failure@3"))


@given(plans())
def test_each_block_has_the_clean_cells_that_its_arms_are_compared_with(plan: Plan) -> None:
    for block in blocks(plan.cells(), plan.epochs).values():
        assert [cell for cell in block if cell.condition == "clean"]
        assert {(cell.condition, cell.stress) for cell in block} == {
            (condition.label, seed if condition.drawn else None)
            for condition in plan.conditions
            for seed in plan.stress
        }


@given(plans(), st.integers(1, 7))
def test_shards_share_out_the_blocks(plan: Plan, count: int) -> None:
    cells = plan.cells()
    parts = [sharded(cells, plan.epochs, number, count) for number in range(1, count + 1)]
    assert sorted(cell.key for part in parts for cell in part) == sorted(cell.key for cell in cells)
    mine = [set(blocks(part, plan.epochs)) for part in parts]
    assert sum(map(len, mine)) == len(set().union(*mine))
    # As evenly as whole blocks allow.
    assert max(map(len, mine)) - min(map(len, mine)) <= 1
    for number, part in enumerate(parts, 1):
        assert plan.model_copy(update={"shard": (number, count)}).cells() == part
