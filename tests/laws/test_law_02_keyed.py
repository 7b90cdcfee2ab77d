"""Law 2: every random choice is keyed, none is streamed."""

import ast
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from perturbations import MODES, mode
from perturbations.episode_perturber import EpisodePerturber
from runner.episode.exposure import _moments
from runner.registry import perturbations
from stressweb.core.conditions import Applied, parse
from stressweb.core.draws import Seeds, page_draw, units
from stressweb.html.marks import Marks
from stressweb.html.page import Page
from stressweb.log.ledger import Entry
from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation
from tests.laws.playing import Player, conditions
from tests.told import told
from tests.toy import PAGE

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SEEDS = Seeds(0, 0, "toy/x")
KEY = b"k" * 16
TASKS = ("shop/first-hit", "shop/two-of-a-named-product", "shop/profile")


def page(html: str = PAGE) -> Page:
    return Page(html, "toy", "/", Marks(KEY))


@pytest.mark.parametrize("wing", ["perturbations", "stressweb", "sites", "runner"])
def test_nothing_draws_from_a_stream_or_a_clock(wing: str) -> None:
    for file in (ROOT / wing).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = {a.name for a in node.names} if isinstance(node, ast.Import | ast.ImportFrom) else set()
            sources = {node.module or ""} if isinstance(node, ast.ImportFrom) else names
            assert "random" not in names | sources, f"{file}: {names}"
            if wing in ("perturbations", "sites"):
                assert not {"time", "secrets", "uuid"} & sources, f"{file}: {names}"
    for script in (ROOT / wing).rglob("*.js"):
        assert "Math.random" not in script.read_text("utf-8")


@pytest.mark.parametrize("name", ["remap", "remap_explicit"])
def test_what_is_remapped_grows_with_severity(name: str) -> None:
    chosen = []
    for severity in range(6):
        (found,) = perturbations(parse(f"{name}@{severity}", MODES)[0])
        instruction = found.instruct(page(), SEEDS)
        assert instruction is not None
        chosen.append(set(instruction.settings.tokens))
    assert all(low <= high for low, high in pairwise(chosen))
    assert chosen[0] == set()


def test_what_fails_at_a_severity_fails_at_every_higher_one() -> None:
    """The page gets the same numbers to draw from at every severity, and only the rate that they are compared with."""
    modes = [mode("failure").at(severity) for severity in range(6)]
    given = [one.instruct(page(), SEEDS) for one in modes]
    assert all(one is not None for one in given)
    numbers = [one.settings.seeds for one in given if one is not None]
    assert numbers == [numbers[0]] * 6
    assert [one.settings.rate for one in given if one is not None] == [one.rate for one in modes]  # type: ignore[attr-defined]
    made = page()
    failed = [0] * 6
    for control in made.controls:
        for attempt in range(20):
            fails = [one.would_hit(made, control, attempt, SEEDS) for one in modes]
            drawn = page_draw(tuple(numbers[0][control.token]), attempt)
            assert fails == [drawn < one.rate for one in modes] == sorted(fails)  # type: ignore[attr-defined]
            failed = [count + fail for count, fail in zip(failed, fails, strict=True)]
    # Every severity adds to what fails, so that a mode whose table is not used would be seen.
    assert failed[0] == 0
    assert all(low < high for low, high in pairwise(failed))


def test_what_meets_a_dialog_at_a_severity_meets_it_at_every_higher_one() -> None:
    modes = [mode("popup").at(severity) for severity in range(6)]
    met = 0
    for stress in range(8):
        seeds, one = Seeds(0, stress, "toy/x"), page()
        for attempt in range(10):
            one.loads = attempt
            moments = [[popup.would_greet(one, seeds) for popup in modes]]
            moments += [[popup.would_hit(one, control, attempt, seeds) for popup in modes] for control in one.controls]
            assert moments == [sorted(moment) for moment in moments]
            met += sum(moment[5] for moment in moments)
    assert met


@pytest.mark.parametrize("name", [name for name in MODES if mode(name).script])
def test_what_a_mode_tells_a_page_depends_on_seeds_alone(name: str) -> None:
    """Neither the number of the document nor the key of the episode moves a draw."""

    def said(key: bytes, document: int) -> list[object]:
        made = Page(PAGE, "toy", "/", Marks(key), document)
        (found,) = perturbations(parse(name, MODES)[0])
        answers = [told(made, found.answer(made, control, n, SEEDS)) for control in made.controls for n in range(4)]
        return [told(made, found.instruct(made, SEEDS)), answers]

    assert said(KEY, 0) == said(b"j" * 16, 5)
    assert said(KEY, 0)[0] is not None


def test_draws_do_not_move_with_other_modes_or_orders() -> None:
    alone = [one.instruct(page(), SEEDS) for one in perturbations(parse("remap@3", MODES)[0])]
    for order in permutations(("remap", "failure", "noise")):
        (condition,) = parse("+".join(order), MODES)
        together = perturbations(condition)
        stressed = page()
        found = [one.instruct(stressed, SEEDS) for one in together if one.mode == "remap"]
        assert found == alone


def test_an_elements_draws_do_not_move_with_the_page_around_it() -> None:
    more = PAGE.replace("<h2>", '<p>Another <a href="/gamma">Gamma page</a> stands here.</p><h2>')
    before = {control.key: units(SEEDS.drawer("remap")(control.key)) for control in page().controls}
    after = {control.key: units(SEEDS.drawer("remap")(control.key)) for control in page(more).controls}
    assert before.items() <= after.items()
    assert len(after) == len(before) + 1


def test_equals_are_told_apart_by_their_ordinal() -> None:
    twice = PAGE.replace("</ul>", '<li><a href="/alpha">Alpha page</a></li></ul>')
    keys = [control.key for control in page(twice).controls]
    assert len(set(keys)) == len(keys)


def test_path_templates_join_pages_of_a_kind() -> None:
    keys = [Page(PAGE, "toy", path, Marks(KEY)).controls[0].key for path in ("/p/12?x=1", "/p/9", "/q/9")]
    assert keys[0] == keys[1] != keys[2]


def test_a_served_page_is_the_same_bytes_for_the_same_seeds() -> None:
    def served(stress: int) -> str:
        found = perturbations(parse("+".join(f"{name}@2" for name in MODES if name != "remap_explicit"), MODES)[0])
        made = EpisodePerturber(found, Seeds(0, stress, "toy/x"), KEY, active=True)
        return made.rewrite(PAGE, "toy", "/", "nonce", lambda _: frozenset())

    assert served(0) == served(0)
    assert served(0) != served(1)


@pytest.mark.sample(1, "episodes")
@pytest.mark.parametrize("condition", conditions(3))
def test_ledger_and_grades_are_the_same_in_any_order(play: Player, condition: str) -> None:
    def swept(tasks: tuple[str, ...]) -> dict[str, tuple[list[Entry], object]]:
        played = {task: play("resilient", task, condition) for task in tasks}
        return {task: (record.ledger, record.grade) for task, record in played.items()}

    assert swept(TASKS) == swept(TASKS[::-1])


def first_tries(record: EpisodeRecord) -> dict[str, bool]:
    """Return for each control that an agent used whether its first try failed, as the ledger has it.

    Controls that the ledger calls alike although they are several are left out.
    """
    failed = {one.element for one in record.ledger if (one.phase, one.attempt) == ("delivered", 0)}
    used = {moment.control.key: str(moment.control) for moment in _moments(record) if moment.control is not None}
    names = Counter(used.values())
    return {key: name in failed for key, name in used.items() if names[name] == 1}


@pytest.mark.sample(1, "episodes")
@pytest.mark.parametrize("task", ["shop/profile", "shop/checkout"])
def test_every_agent_meets_the_same_draws(play: Player, task: str) -> None:
    """What fails for one agent fails for the other, and all of it is what the seeds alone say."""
    (failure,) = perturbations(parse("failure@3", MODES)[0])
    shared: list[bool] = []
    for stress in (0, 1):
        tries = {}
        for agent in ("naive", "resilient", "resilient(-search)"):
            record = play(agent, task, "failure@3", stress_seed=stress)
            controls = {one.control.key: one for one in _moments(record) if one.control is not None}
            tries[agent] = first_tries(record)
            for key, failed in tries[agent].items():
                moment = controls[key]
                assert moment.control is not None
                assert failed == failure.would_hit(moment.page, moment.control, 0, record.cell.seeds), (agent, key)
        both = tries["naive"].keys() & tries["resilient"].keys()
        shared += [tries["naive"][key] for key in both]
        assert {key: tries["naive"][key] for key in both} == {key: tries["resilient"][key] for key in both}
    assert set(shared) == {True, False}
    assert len(shared) >= 3


class Told(Agent):
    """Gives up at once, and keeps what it was told."""

    name = "told"

    def act(self, observation: Observation) -> Action:
        """Give up."""
        self.seen = observation
        return Action(kind="FAIL")


@pytest.mark.sample(1, "episodes")
def test_an_agents_own_seed_is_the_epoch_in_every_arm(play: Player) -> None:
    """What an agent is told and shown at first depends on neither condition nor stress seed; its seed is the epoch."""

    def told(label: str, stress: int, epoch: int) -> Told:
        agent = Told()
        play(agent, TASKS[0], label, stress_seed=stress, epoch=epoch)
        return agent

    arms = [("clean", 0), ("sham", 0), ("remap@3", 0), ("remap@3", 7), ("failure@5", 3)]
    for epoch in (0, 4):
        briefs = [told(label, stress, epoch).brief for label, stress in arms]
        assert briefs == [briefs[0]] * len(arms)
        assert briefs[0].seed == epoch


@pytest.mark.sample(1, "episodes")
def test_an_epoch_repeats_the_draws(play: Player) -> None:
    """Of a deterministic agent that does not look at its seed every epoch is the same episode."""
    one, other, drawn_anew = (
        play("naive", TASKS[2], "failure@3", stress_seed=stress, epoch=epoch)
        for stress, epoch in ((0, 0), (0, 5), (1, 0))
    )
    assert (one.ledger, one.grade, one.actions) == (other.ledger, other.grade, other.actions)
    assert one.ledger != drawn_anew.ledger


RATES = {
    "remap": {"share": (0, 0.2, 0.5, 0.8, 0.9, 1)},
    "remap_explicit": {"share": (0, 0.2, 0.5, 0.8, 0.9, 1)},
    "failure": {"rate": (0, 0.1, 0.2, 0.35, 0.42, 0.5)},
    "popup": {"rate": (0, 0.1, 0.2, 0.35, 0.42, 0.5)},
    "noise": {"density": (0, 0.1, 0.2, 0.35, 0.5, 0.7)},
}
"""The tables as the design publishes them."""


@pytest.mark.parametrize("name", RATES)
def test_a_mode_at_a_severity_is_what_is_published(name: str) -> None:
    for severity in range(6):
        published = {column: values[severity] for column, values in RATES[name].items()}
        assert mode(name).at(severity).model_dump() == published
        (found,) = perturbations(parse(f"{name}@{severity}", MODES)[0])
        assert found.model_dump() == published
    (plain,) = perturbations(parse(name, MODES)[0])
    assert plain.model_dump() == {column: values[3] for column, values in RATES[name].items()}, "3 where none is said"


@pytest.mark.parametrize("name", MODES)
def test_every_parameter_of_a_mode_grows_with_severity(name: str) -> None:
    made = [mode(name).at(severity).model_dump() for severity in range(6)]
    assert made[0]
    for column in made[0]:
        values = [one[column] for one in made]
        assert values[0] == 0, "what is not in the table would act at 0 as well"
        assert all(low < high for low, high in pairwise(values)), column
    assert str(Applied(name)) == f"{name}@3"
