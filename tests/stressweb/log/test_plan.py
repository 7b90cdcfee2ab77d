"""Plans: seeds that vary the draws, epochs that repeat them, and the order of cells."""

import json
from collections import Counter, defaultdict
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.conditions import Applied, Condition
from stressweb.core.errors import UserError
from stressweb.log.plan import MOST_SEEDS, Plan, limited, seeds
from stressweb.log.recording import Cell
from stressweb.runner.agents import REGISTRY, make
from stressweb.runner.execution.worker_config import WorkerConfig
from stressweb.runner.registry import site_names, task_ids
from tests.stressweb.log.drawn_plans import plans


def arms(plan: Plan, **wanted: object) -> list[Cell]:
    return [cell for cell in plan.cells() if all(getattr(cell, name) == expected for name, expected in wanted.items())]


@given(plans())
def test_stress_seeds_and_epochs_are_independent(plan: Plan) -> None:
    cells = plan.cells()
    assert len({cell.key for cell in cells}) == len(cells)
    for agent in plan.agents:
        for condition in plan.conditions:
            pairs = {(cell.stress, cell.epoch) for cell in arms(plan, agent=agent.label, condition=condition.label)}
            if condition.label == "clean":
                assert pairs == {(None, epoch) for epoch in range(plan.clean_epochs(agent))}
            elif condition.label == "sham":
                assert pairs == {(None, epoch) for epoch in range(plan.epochs)}
            else:
                assert pairs == {(seed, epoch) for seed in plan.stress for epoch in range(plan.epochs)}
        assert plan.clean_epochs(agent) == (plan.epochs if agent.name == "naive" else max(2, plan.epochs))


@given(plans())
def test_every_arm_has_its_clean_cell_before_it(plan: Plan) -> None:
    """Wherever a run is interrupted, all but the last few episodes can be compared."""
    seen: set[tuple[object, ...]] = set()
    for cell in plan.cells():
        about = (cell.agent, cell.task, cell.world, cell.epoch)
        if cell.condition == "clean":
            seen.add(about)
        assert about in seen
    # With one seed, cells that are compared are one block per epoch.
    if len(plan.stress) == 1:
        blocks = [key for key, _ in groupby(plan.cells(), key=lambda cell: (cell.agent, cell.task, cell.world))]
        assert len(blocks) <= plan.epochs * len(plan.agents) * len(plan.tasks) * len(plan.worlds)


@given(plans())
def test_epochs_repeat_the_same_draws(plan: Plan) -> None:
    seeds_by_cell = defaultdict(set)
    for cell in plan.cells():
        seeds_by_cell[cell.task, cell.world, cell.stress].add(cell.seeds)
    assert all(len(seeds) == 1 for seeds in seeds_by_cell.values())
    assert len(seeds_by_cell) >= len(plan.tasks) * len(plan.worlds)


OPTIONS = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
AGENTS = st.builds(
    AgentSpec,
    label=st.text(min_size=1, max_size=9),
    name=st.text(min_size=1, max_size=9),
    options=st.lists(st.tuples(st.text(max_size=3), OPTIONS), max_size=3).map(tuple),
    deterministic=st.booleans(),
)
APPLIED = st.builds(
    Applied,
    mode=st.text(min_size=1, max_size=5),
    severity=st.integers(0, 5),
    parameters=st.lists(st.tuples(st.text(max_size=3), st.booleans() | st.floats(allow_nan=False)), max_size=3).map(
        tuple
    ),
)
CONDITIONS = st.builds(Condition, applied=st.lists(APPLIED, max_size=3).map(tuple), sham=st.booleans())


@given(st.lists(AGENTS, min_size=1).map(tuple), st.lists(CONDITIONS, min_size=1).map(tuple))
def test_agents_and_conditions_are_recorded_and_passed_on_unchanged(
    agents: tuple[AgentSpec, ...], conditions: tuple[Condition, ...]
) -> None:
    """Values keep their types: "1" stays a string, 1.0 a float and true a boolean; floats may be infinite."""
    plan = Plan(agents=agents, tasks=("a/b",), conditions=conditions)
    config = WorkerConfig(database=Path("a"), browser=Path("b"), plan=plan, parent=1)
    read = Plan.model_validate(json.loads(json.dumps(plan.model_dump())))
    handed_on = WorkerConfig.model_validate_json(config.model_dump_json())
    for copied in (read, handed_on.plan):
        assert repr((copied.agents, copied.conditions)) == repr((agents, conditions))
    assert (read, handed_on) == (plan, config)


def test_which_agents_are_deterministic() -> None:
    asks_model = {"model", "planner", "single-prompt"}
    assert {name for name in REGISTRY.shipped() if not make(name).deterministic} == {"client", *asks_model}


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=6))
def test_seeds_are_parsed(spans: list[tuple[int, int]]) -> None:
    ordered = [(min(span), max(span)) for span in spans]
    text = " , ".join(f"{low}" if low == high else f"{low}..{high}" for low, high in ordered)
    listed = seeds(text)
    assert list(listed) == list(dict.fromkeys(seed for low, high in ordered for seed in range(low, high + 1)))


@pytest.mark.parametrize(
    "text", ["", "a", "1.5", "1..", "..3", "3..1", "1,,2", "-1", "0...3", "1 2", f"0..{MOST_SEEDS}"]
)
def test_invalid_lists_of_seeds(text: str) -> None:
    with pytest.raises(UserError, match="stress-seeds"):
        seeds(text)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (None, ["a/1", "a/2", "a/3", "b/1", "b/2", "c/1"]),
        (1, ["a/1"]),
        (2, ["a/1", "b/1"]),
        (4, ["a/1", "a/2", "b/1", "c/1"]),
        (5, ["a/1", "a/2", "b/1", "b/2", "c/1"]),
        (9, ["a/1", "a/2", "a/3", "b/1", "b/2", "c/1"]),
    ],
)
def test_a_limit_takes_of_each_site_in_turn_and_keeps_the_order(limit: int | None, expected: list[str]) -> None:
    assert list(limited(["a/1", "a/2", "a/3", "b/1", "b/2", "c/1"], limit)) == expected


def test_a_limit_of_two_per_site_takes_two_of_each_site() -> None:
    sites = Counter(task.partition("/")[0] for task in limited(task_ids(), 2 * len(site_names())))
    assert sites == dict.fromkeys(site_names(), 2)


def test_the_message_for_an_invalid_seed_explains_seeds() -> None:
    with pytest.raises(UserError, match="'x' is not a seed; a stress seed is a whole number from 0 on"):
        seeds("x")


def test_the_most_seeds() -> None:
    assert len(seeds(f"0..{MOST_SEEDS - 1}")) == MOST_SEEDS
