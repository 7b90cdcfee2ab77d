"""Identities: changes that affect them, changes that do not, and messages about runs with changed tasks."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from stressweb.core import protocol, suite
from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.log.limits import Limits
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from stressweb.perturbations.remap import Remap
from stressweb.plugins.chain import Chain
from stressweb.plugins.limits import Limit
from stressweb.plugins.perturbation import Perturbation, Rate, Stage, table
from stressweb.plugins.rule import Rule
from stressweb.plugins.task import Task
from stressweb.runner.commands.cli import cli
from stressweb.runner.registry import Library, conditions, task_ids
from stressweb.runner.registry.identity import (
    LISTED,
    PROVEN,
    SIZE,
    Identities,
    changed,
    code_of,
    hashed,
    identities,
    parts,
)
from stressweb.sites import kit
from stressweb.sites.kit import KitWorld
from tests.support.plans import condition
from tests.support.plans import plan as planned

pytestmark = pytest.mark.sample(10, "file")

TASK, OTHER = "shop/first-hit", "shop/two-of-a-named-product"
CELL = Cell(agent="naive", task=TASK, condition="remap@3", world=0, stress=0)
REAL = Library()
CONDITIONS = tuple(
    map(
        condition,
        (
            "clean",
            "sham",
            "remap@2",
            "remap@3",
            "remap@4",
            "remap_explicit@3",
            "noise@3",
            "remap@3+noise@3",
            "failure@3+noise@3",
        ),
    )
)


def identities_of(library: Library, **budget: Any) -> Identities:
    return Identities(library, CONDITIONS, Limits(**budget))


type Tasks = Mapping[str, Task | Chain]


class ChangedLibrary(Library):
    """A library with a change in the shop."""

    def __init__(
        self,
        world: Callable[[KitWorld], None] = lambda kit_world: None,
        tasks: Callable[[Tasks], Tasks] = lambda own_tasks: own_tasks,
        sources: Callable[[str], str] = lambda text: text,
    ) -> None:
        """Take functions that change a world, the tasks, or the sources of checkpoints."""
        super().__init__()
        changed_world = kit.load("shop", 0)
        world(changed_world)
        changed_tasks = dict(tasks(REAL.tasks("shop")))
        self.world = cache(lambda site, seed: changed_world if (site, seed) == ("shop", 0) else REAL.world(site, seed))
        self.tasks = cache(lambda site: changed_tasks if site == "shop" else REAL.tasks(site))
        self.checkpoint_sources = cache(
            lambda site: {name: sources(text) for name, text in REAL.checkpoint_sources(site).items()}
        )


def changed_parts(library: Library, cell: Cell = CELL) -> set[str]:
    """Return the kinds of parts that differ from our library; any difference changes the identity."""
    ours, theirs = identities_of(REAL), identities_of(library)
    before, after = ours.parts(cell), theirs.parts(cell)
    kinds = {name.partition(" ")[0] for name in before if before[name] != after[name]}
    assert (ours.of(cell) != theirs.of(cell)) == bool(kinds)
    return kinds


def with_entry(**changes: Any) -> Callable[[Tasks], Tasks]:
    return lambda own_tasks: {**own_tasks, TASK: own_tasks[TASK].model_copy(update=changes)}


def entity(kit_world: KitWorld) -> None:
    first, *rest = kit_world.entities["Product"]
    kit_world.entities = {**kit_world.entities, "Product": [type(first)({**first, "price": first["price"] + 1}), *rest]}


def label(kit_world: KitWorld) -> None:
    kit_world.labels = {**kit_world.labels, "search": "Seek"}


def file(name: str, before: str, after: str) -> Callable[[KitWorld], None]:
    def change(kit_world: KitWorld) -> None:
        texts = kit_world.files()
        assert before in texts[name]
        kit_world.files = lambda: {**texts, name: texts[name].replace(before, after, 1)}  # type: ignore[method-assign]

    return change


def spec(kit_world: KitWorld) -> None:
    action = kit_world.spec.actions["add_to_cart"].model_copy(update={"signed_in": True})
    kit_world.spec = kit_world.spec.model_copy(update={"actions": {**kit_world.spec.actions, "add_to_cart": action}})


def test_nothing_moves_in_an_equal_library() -> None:
    assert changed_parts(ChangedLibrary()) == set()
    assert changed_parts(Library()) == set()


@pytest.mark.parametrize("change", [entity, label, spec], ids=["entity", "label", "spec"])
def test_a_change_of_the_site_moves_every_cell_on_it(change: Callable[[KitWorld], None]) -> None:
    assert "site" in changed_parts(ChangedLibrary(world=change))
    assert "site" in changed_parts(ChangedLibrary(world=change), CELL.model_copy(update={"task": OTHER}))
    assert changed_parts(ChangedLibrary(world=change), CELL.model_copy(update={"task": "calendar/week-view"})) == set()
    assert changed_parts(ChangedLibrary(world=change), CELL.model_copy(update={"world": 1})) == set()


@pytest.mark.parametrize(
    ("name", "before", "after", "moves"),
    [
        ("templates/frames/pieces.html", "role=", "data-role=", True),
        ("templates/kit.css", "{", " {", True),
        ("widgets/items/template.html", "grid", "grip", True),
        ("mixins/account/logic.py", "return", "return not", True),
        ("shop/logic.py", "return", "return not", True),
        ("shop/logic.py", "from", "# A comment.\nfrom", False),
        ("shop/logic.py", '"""', '"""Other words. ', False),
    ],
)
def test_files_of_a_site(name: str, before: str, after: str, moves: bool) -> None:
    assert changed_parts(ChangedLibrary(world=file(name, before, after))) == ({"site"} if moves else set())


def test_a_change_of_the_goal_moves_its_task_alone() -> None:
    library = ChangedLibrary(tasks=with_entry(goal_text='Find "{query.noun}" and put the first hit into your cart.'))
    assert changed_parts(library) == {"task", "goal"}
    assert changed_parts(library, CELL.model_copy(update={"task": OTHER})) == set()


def test_every_field_of_a_task_is_part_of_it() -> None:
    """Each entry of `tasks.yaml` counts, except entries that only lists or proofs use."""
    ours = REAL.tasks("shop")[TASK]
    seen, every = set[str](), [REAL.tasks(task_id.partition("/")[0])[task_id] for task_id in task_ids()]
    for name in sorted(set(Task.model_fields) - {"id", *LISTED, *PROVEN}):
        others = [getattr(task, name) for task in every]
        changed_value = next((field_value for field_value in others if field_value != getattr(ours, name)), None)
        if changed_value is not None:
            seen.add(name)
            theirs = ChangedLibrary(tasks=with_entry(**{name: changed_value}))
            before, after = (identities_of(library).part_of("task", TASK) for library in (REAL, theirs))
            assert before != after, name
    assert seen == set(Task.model_fields) - {"id", *LISTED, *PROVEN}


def test_fields_for_lists_are_not_part_of_the_identity() -> None:
    assert changed_parts(ChangedLibrary(tasks=with_entry(tags=("cart",), difficulty="hard"))) == set()


def test_fields_for_proofs_are_not_part_of_the_identity() -> None:
    limit = Limit.model_validate({"says": "Leave the sort order", "breach": [{"open": "link_home"}]})
    assert changed_parts(ChangedLibrary(tasks=with_entry(limits=(limit,)))) == set()


def test_checks_move_a_task_and_comments_do_not() -> None:
    def checks(text: str) -> str:
        return text.replace('yield "searched for it"', 'yield "looked for it"')

    assert changed_parts(ChangedLibrary(sources=checks)) == {"checks"}
    assert changed_parts(ChangedLibrary(sources=checks), CELL.model_copy(update={"task": OTHER})) == set()
    assert changed_parts(ChangedLibrary(sources=lambda text: f"# Words.\n{text}\n# More words.\n")) == set()
    assert changed_parts(ChangedLibrary(sources=lambda text: text.replace('    """', '    """Other words. '))) == set()


def test_every_task_has_checks_in_its_identity() -> None:
    from stressweb.core.source import marked_code_with_dependencies

    for task in task_ids():
        site = task.partition("/")[0]
        assert marked_code_with_dependencies(f"stressweb.checkpoints.{site}", task, REAL.checkpoint_sources(site)), task


def test_the_parameters_count_and_not_their_label() -> None:
    def identity_under(text: str) -> str:
        (parsed,) = conditions(text)
        return Identities(REAL, [parsed]).of(CELL.model_copy(update={"condition": parsed.label}))

    before = identity_under("remap@3")
    assert before == identity_under("remap(share=0.8)") == identity_under("remap@1(share=0.8)")
    assert (
        len(
            {
                before,
                identity_under("remap@2"),
                identity_under("remap(share=0.75)"),
                identity_under("clean"),
                identity_under("sham"),
                identity_under("remap_explicit@3"),
                identity_under("remap+noise"),
            }
        )
        == 7
    )


@pytest.mark.parametrize(
    ("revision", "kinds", "of_clean"),
    [
        ("engine", {"condition"}, set()),
        ("kit", {"site"}, {"site"}),
        ("grading", {"checks"}, {"checks"}),
        ("harness", {"protocol"}, {"protocol"}),
    ],
)
def test_a_revision_changes_the_parts_that_depend_on_it(
    monkeypatch: pytest.MonkeyPatch, revision: str, kinds: set[str], of_clean: set[str]
) -> None:
    clean = CELL.model_copy(update={"condition": "clean", "stress": None})
    before = {cell: identities_of(REAL).parts(cell) for cell in (CELL, clean)}
    monkeypatch.setattr("stressweb.runner.registry.identity.REVISIONS", {**suite.REVISIONS, revision: 99})
    for cell, expected in ((CELL, kinds), (clean, of_clean)):
        after = identities_of(REAL).parts(cell)
        assert {name.partition(" ")[0] for name in after if after[name] != before[cell][name]} == expected


def test_the_protocol_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identities_of(REAL).of(CELL)
    assert identities_of(REAL, max_steps=99).of(CELL) != before
    assert identities_of(REAL, agent_seconds=60.0).of(CELL) != before
    assert identities_of(REAL, cost_limit=0.5).of(CELL) != before
    with monkeypatch.context() as patch:
        patch.setitem(protocol.VIEWPORT, "width", 1024)
        assert identities_of(REAL).of(CELL) != before
    with monkeypatch.context() as patch:
        patch.setattr(protocol, "SETTLE_TIMEOUT_S", 1.0)
        assert identities_of(REAL).of(CELL) != before
    assert identities_of(REAL).of(CELL) == before


CELLS = st.builds(
    Cell,
    agent=st.sampled_from(["naive", "resilient"]),
    task=st.sampled_from([TASK, OTHER, "calendar/week-view"]),
    condition=st.sampled_from(["remap@3", "remap@4", "noise@3", "failure@3+noise@3"]),
    world=st.integers(0, 1),
    stress=st.integers(0, 3),
    epoch=st.integers(0, 3),
)
OURS = identities_of(REAL)


@given(CELLS, CELLS)
def test_cells_are_equal_where_task_world_condition_and_draws_are(first: Cell, second: Cell) -> None:
    """Agent and epoch do not count; everything else does."""
    same = (first.task, first.condition, first.world, first.stress) == (
        second.task,
        second.condition,
        second.world,
        second.stress,
    )
    assert (OURS.of(first) == OURS.of(second)) == same
    assert len(OURS.of(first)) == 2 * SIZE


LABELS = st.lists(st.sampled_from(["remap@3", "remap@4", "noise@3", "failure@3+noise@3"]), unique=True, min_size=1)
PLANS = st.builds(
    planned,
    tasks=st.lists(st.sampled_from([TASK, OTHER, "calendar/week-view"]), unique=True, min_size=1),
    conditions=LABELS,
    worlds=st.lists(st.integers(0, 1), unique=True, min_size=1).map(tuple),
    stress=st.lists(st.integers(0, 3), unique=True, min_size=1).map(tuple),
)


@settings(max_examples=15)
@given(PLANS)
def test_neither_order_nor_company_counts(plan: Plan) -> None:
    identified = identities(REAL, plan)
    assert identified == {cell.key: OURS.of(cell) for cell in plan.cells()}
    turned = {"tasks": plan.tasks[::-1], "conditions": plan.conditions[::-1], "worlds": plan.worlds[::-1]}
    assert identities(REAL, plan.model_copy(update=turned)) == identified


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from([0.0, 1.0, 1.5]) | st.text("ab,:[]\"\\'1", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab:", max_size=2), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
PARTS = st.tuples(st.text("ab ", max_size=3), JSON)


@given(PARTS, PARTS)
def test_parts_do_not_collide(first: tuple[str, Any], second: tuple[str, Any]) -> None:
    """Equal hashes mean equal values of equal types: 1 is neither 1.0 nor True nor "1"."""
    same = first[0] == second[0] and repr(_sorted(first[1])) == repr(_sorted(second[1]))
    assert (hashed(*first) == hashed(*second)) == same


def _sorted(json_value: Any) -> Any:
    if isinstance(json_value, dict):
        return {key: _sorted(json_value[key]) for key in sorted(json_value)}
    return [_sorted(entry) for entry in json_value] if isinstance(json_value, list) else json_value


def test_identities_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Neither the order of sets nor the folder of the process counts."""

    def listed(seed: str, folder: Path) -> Any:
        command = [sys.executable, "-m", "stressweb.runner.commands.cli", "list", "tasks", "--json"]
        root = str(Path(__file__).parents[3])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True
        )
        return json.loads(done.stdout)

    listing = listed("1", tmp_path)
    assert listing == listed("2", Path(__file__).parents[3])
    ours = {task: OURS.of(Cell(agent="", task=task, condition="clean", world=0)) for task in task_ids()}
    assert {line["task"]: line["identity"] for line in listing} == ours
    assert len(set(ours.values())) == len(ours)


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Create the database of a run with these recorded parts and without episodes."""
    plan = planned(agents=("naive",), tasks=(TASK, OTHER), conditions=("clean", "remap@3"))

    def make(known: dict[str, str]) -> Path:
        path = tmp_path / "runs" / "old" / FILE
        meta = {"plan": plan.model_dump(), "parts": known}
        Store.create(path, meta, plan.cells(), identities(REAL, plan)).close()
        return path

    return make


def test_a_run_keeps_the_identities_of_its_cells(recorded: Callable[[dict[str, str]], Path]) -> None:
    with Store.open(recorded({})) as store:
        assert store.identities() == {cell.key: OURS.of(cell) for cell in store.cells()}
        assert list(store.identities()) == [cell.key for cell in store.cells()]


def test_grade_names_what_has_changed_since(recorded: Callable[[dict[str, str]], Path]) -> None:
    plan = planned(("naive",), (TASK, OTHER), ("clean", "remap@3"))
    cells, known = plan.cells(), parts(REAL, plan)
    assert changed(known, REAL, cells) == {}
    # The mode's table and the protocol affect the recording, but no grade.
    other = {**known, f"checks {TASK}": "0", "site shop 0": "0", "protocol": "0", "condition remap@3": "0"}
    assert changed(other, REAL, cells) == {TASK: ["its checks", "its site"], OTHER: ["its site"]}
    path = recorded({**known, f"task {OTHER}": "0", f"checks {OTHER}": "0"})
    done = CliRunner().invoke(cli, ["grade", "old", "--runs-dir", str(path.parent.parent)])
    assert done.stderr == (
        f"graded with today's checks; task {OTHER} has changed since the run: its text, its checks\n"
    )


def test_grade_says_nothing_where_nothing_has_changed(recorded: Callable[[dict[str, str]], Path]) -> None:
    path = recorded(parts(REAL, planned(("naive",), (TASK, OTHER), ("clean", "remap@3"))))
    assert CliRunner().invoke(cli, ["grade", "old", "--runs-dir", str(path.parent.parent)]).stderr == ""


def test_the_code_of_a_plug_in_is_its_module_and_its_scripts(tmp_path: Path) -> None:
    """Plug-ins have no revision number of ours, so their code is hashed; shipped modes have one."""

    class MineRule(Rule):
        """Rule that the scripts read."""

        script = tmp_path / "mine.js"
        parts = (tmp_path / "part.js",)

    class Mine(Perturbation):
        """A mode of a plug-in."""

        mode = "mine"
        stage = Stage.SEMANTIC
        severities = table(share=(0.1, 0.2, 0.3, 0.4, 0.5))
        share: Rate = 0.3

        def rule(self, seeds: Seeds) -> Rule:
            """Return the rule of the scripts."""
            return MineRule(mode=self.mode, rule=rule_words(seeds, self.mode))

    for path in (MineRule.script, *MineRule.parts):
        path.write_text("() => {}")
    before = code_of(Mine)
    assert "MineRule" in json.dumps(before[0])
    for path in (MineRule.script, *MineRule.parts):
        path.write_text("() => 1")
        assert code_of(Mine) != before
        path.write_text("() => {}")
        assert code_of(Mine) == before
    assert code_of(Remap) == []
