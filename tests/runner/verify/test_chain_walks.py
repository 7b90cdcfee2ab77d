"""Chains: parts work in any order, none can be left out, and conflicting parts are refused."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.plugins.chain import way_of
from stressweb.plugins.chain_world import ChainWorld
from stressweb.plugins.checks import Grade
from stressweb.plugins.steps import Step
from stressweb.runner import registry
from stressweb.runner.registry import Library, chain_ids, site_names, task_ids
from stressweb.runner.verify.chain_walker import ChainWalker
from stressweb.runner.verify.chain_walks import unproven

THREE = "chains/an-evening-out"
LIBRARY = Library()


def grade_of(*numbers: int, chain: str = THREE) -> Grade:
    """Return the grade of an episode that does these parts of a chain, in this order."""
    goal, world = LIBRARY.goal(chain, 0), LIBRARY.world_of(chain, 0)
    assert isinstance(world, ChainWorld)
    walker = ChainWalker(world).walk(way_of([goal.parts[number - 1] for number in numbers]))
    return LIBRARY.checklist("chains").grade(walker.run(goal), goal)


@pytest.mark.sample(1)
@pytest.mark.parametrize("chain", chain_ids())
def test_a_chain_is_proven(chain: str) -> None:
    """Its trajectory succeeds, also in reverse order, and fails if any part is left out."""
    assert unproven(LIBRARY, chain, 0) == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(25))
def test_every_chain_can_be_drawn(seed: int) -> None:
    """In 14 of these worlds, parts of some chain conflict in their first draws."""
    library = Library()
    for chain in chain_ids():
        assert [part.goal.task for part in library.goal(chain, seed).parts] == [*library.parts(chain)]


def test_only_parts_that_conflict_are_drawn_anew() -> None:
    library = Library()

    def redrawn(chain: str, seed: int) -> set[str]:
        parts = [part.goal for part in library.goal(chain, seed).parts]
        return {goal.task for goal in parts if goal.text != library.goal(goal.task, seed).text}

    assert [chain for chain in chain_ids() if redrawn(chain, 0)] == [
        "chains/a-month-replanned",
        "chains/opinions-given",
    ]
    assert {"calendar/recolour-two", "calendar/new-category"} <= redrawn("chains/a-month-replanned", 0)


def test_the_product_of_a_part_may_be_renamed() -> None:
    chain = "chains/a-document-and-a-post"
    goal, world = LIBRARY.goal(chain, 0), LIBRARY.world_of(chain, 0)
    assert isinstance(world, ChainWorld)
    notes, network = goal.parts
    name, labels = notes.goal.new.name, world.parts[0].labels
    typo = [step.model_copy(update={"value": f"{name} 2"}) if step.value == name else step for step in way_of([notes])]
    put_right = [
        Step(verb="open", target=labels["edit_document"]),
        Step(verb="enter", target=labels["doc_name"], value=name),
        Step(verb="press", target=labels["save_document"]),
    ]
    walker = ChainWalker(world).walk([*typo, *put_right, *way_of([network])])
    grade = LIBRARY.checklist("chains").grade(walker.run(goal), goal)
    assert grade.success, [name for name, passed in grade.passed.items() if not passed]
    # Before the correction, the document's name differs from the goal.
    grade = LIBRARY.checklist("chains").grade(ChainWalker(world).walk([*typo, *way_of([network])]).run(goal), goal)
    assert (grade.success, grade.disputed) == (False, False)


def test_the_split_has_every_site_every_difficulty_and_even_horizons() -> None:
    """At least 40 chains of 2 to 8 tasks on one to four sites."""
    chains = [LIBRARY.task(chain) for chain in chain_ids()]
    parts = [LIBRARY.parts(chain.id) for chain in chains]
    assert len(chains) >= 40
    assert {len(chain_parts): [*map(len, parts)].count(len(chain_parts)) for chain_parts in parts} == dict.fromkeys(
        range(2, 9), len(chains) // 7
    )
    assert {len(LIBRARY.sites(chain.id)) for chain in chains} == {1, 2, 3, 4}
    assert {site for chain in chains for site in LIBRARY.sites(chain.id)} == set(site_names())
    used = {task for chain_parts in parts for task in chain_parts}
    levels = {LIBRARY.task(task).difficulty_of(LIBRARY.goal(task, 0)) for task in used}
    assert levels == {"easy", "medium", "hard"}


def test_chains_are_no_tasks_unless_they_are_asked_for() -> None:
    """Neither all tasks nor a pattern over them contains a chain; `chains` selects all chains."""
    assert not [
        task for task in (*task_ids(), *registry.chosen_tasks("*"), *registry.chosen_tasks(None)) if "chains" in task
    ]
    assert registry.chosen_tasks("chains") == chain_ids()
    assert registry.chosen_tasks(f"shop/profile,{THREE}") == ["shop/profile", THREE]
    with pytest.raises(UserError, match="chains/an-evening-out"):
        registry.chosen_tasks("chains/an-evening-outt")


@pytest.mark.sample(1)
@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_any_order_succeeds(order: tuple[int, ...]) -> None:
    """The goal says that the order is free."""
    assert grade_of(*order).success


@pytest.mark.sample(1)
@pytest.mark.parametrize("out", [1, 2, 3])
def test_a_part_left_out_fails_only_its_own_checkpoints(out: int) -> None:
    """Checkpoints have the number of their part, and the change of the part is missing in the database."""
    got = grade_of(*({1, 2, 3} - {out}))
    assert not got.success
    assert not got.disputed
    assert {name.partition(".")[0] for name, passed in got.passed.items() if not passed} == {str(out)}
    site = LIBRARY.goal(THREE, 0).parts[out - 1].site
    assert got.unmet
    assert all(what.startswith(f"{site}: ") for what in got.unmet)


def test_a_part_done_twice_is_harm() -> None:
    """A change that a part needs once must not happen twice, even if all else is right."""
    chain = "chains/two-things-for-the-cart"
    assert grade_of(1, 2, chain=chain).success
    got = grade_of(1, 2, 1, chain=chain)
    assert not got.success


def test_a_change_on_a_site_without_a_part_is_harm() -> None:
    """A read-only part's site must not change while the other part is done."""
    chain = "chains/a-date-and-a-letter"
    goal, world = LIBRARY.goal(chain, 0), LIBRARY.world_of(chain, 0)
    assert isinstance(world, ChainWorld)
    walker = ChainWalker(world).walk(way_of(goal.parts))
    letter = goal.parts[1].goal
    letter_grade = LIBRARY.checklist("mail").grade(walker.run(goal), letter)
    assert not letter_grade.success
    further_goal = LIBRARY.goal("mail/add-the-sender", 0)
    got = LIBRARY.checklist("chains").grade(walker.walk(further_goal.ways[0]).run(goal), goal)
    assert not got.success
    assert any(name.startswith("mail: added to ") for name, done in got.harms.items() if done)


def test_references_to_new_rows_of_two_parts_are_kept_separate() -> None:
    """Both parts add a row and another row that refers to it; each reference goes to its own row."""
    assert grade_of(1, 2, 3, chain="chains/next-week-in-colour").success


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Library]:
    """Return a function that returns a library with the chains of a file instead of the shipped ones."""

    def written(text: str) -> Library:
        path = tmp_path / "chains.yaml"
        path.write_text(text, encoding="utf-8")
        return Library(path)

    return written


DISTURBED = [
    (("reservation/a-new-diet", "reservation/vegan-evening"), "both change row me of reservation.profile"),
    (("mail/second-latest-sent", "mail/template-for-two"), "mail/second-latest-sent fails: missed '"),
    (("food/latest-receipt", "food/cheapest-main"), "food/latest-receipt fails: missed 'left it open'"),
    (("calendar/week-view", "network/oldest-unread"), "both end with a page that is left open"),
    (("food/dish-with-options", "food/reorder-with-a-code"), "fails: missed 'put it into the basket'"),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("tasks", "message"), DISTURBED, ids=lambda param: param[0] if isinstance(param, tuple) else ""
)
def test_parts_that_disturb_each_other_are_named(
    write: Callable[[str], Library], tasks: tuple[str, str], message: str
) -> None:
    """One line names both parts and the reason, even with an unrelated part between them."""
    between = "shop/first-hit"
    library = write(f"- id: chains/x\n  tasks: [{tasks[0]}, {between}, {tasks[1]}]\n")
    reasons = unproven(library, "chains/x", 0)
    assert reasons
    disturbances = [reason for reason in reasons if " conflict: " in reason]
    assert disturbances
    assert all(
        "\n" not in reason and tasks[0] in reason and tasks[1] in reason and between not in reason
        for reason in disturbances
    )
    assert any(re.search(message, reason) for reason in disturbances), disturbances


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("- {id: chains/x, tasks: [shop/first-hit]}", "chains.yaml:1: 0.tasks: it takes 2 or more entries"),
        (
            "- {id: chains/x, tasks: [shop/first-hit, shop/first-hit]}",
            "chains.yaml:1: .*task shop/first-hit is in it twice",
        ),
        ("- {id: chains/x, tasks: [shop/first-hit, mail/nothing]}", "chains.yaml:1: chains/x: .*'mail/nothing'"),
        ("- {id: shop/x, tasks: [shop/first-hit, shop/profile]}", "chains.yaml:1: 0.id"),
        ("- {id: chains/x, tasks: [a/b, c/d], way: 1}", "chains.yaml:1: 0.way: "),
    ],
)
def test_a_malformed_chain_is_refused_with_its_line(write: Callable[[str], Library], text: str, what: str) -> None:
    """Errors name file, line and the valid choices."""
    with pytest.raises(UserError, match=what):
        write(text).task("chains/x")


def test_the_goal_of_a_chain_names_sites_and_order() -> None:
    """Each part has its own line with its number and the address of its site, and steps lead to each."""
    goal = LIBRARY.goal(THREE, 0)
    opening, *lines = goal.text.split("\n")
    assert "in any order" in opening
    for number, (line, part) in enumerate(zip(lines, goal.parts, strict=True), start=1):
        site = LIBRARY.world(part.site, 0)
        assert line == f"{number}. At http://{site.host}/: {part.goal.text}"
    went = [step.target for step in goal.ways[0] if step.verb == "go"]
    assert went == [part.address for part in goal.parts[1:]]
    assert [part.number for earlier, part in pairwise(goal.parts) if earlier.number > part.number] == []
    assert goal.horizon == 3
