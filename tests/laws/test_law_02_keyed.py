"""Law 2: every random choice is keyed, none is streamed."""

import ast
import json
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from playwright.sync_api import Page

from perturbations import MODES, mode, modes_of
from perturbations.episode_perturber import EpisodePerturber
from runner.registry.exposure import _moments
from stressweb.core.conditions import Applied, parse
from stressweb.core.draws import Seeds
from stressweb.log.ledger import Entry
from stressweb.log.recording import EpisodeRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation
from stressweb.plugins.rule import Control, Rule
from tests.laws.playing import Player, conditions
from tests.perturbations.conftest import Set, stage
from tests.perturbations.page.conftest import tab
from tests.perturbations.page.keyed import PARSED
from tests.script_arguments import ScriptArguments, script_arguments
from tests.toy import PAGE

__all__ = ["stage", "tab"]

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SEEDS = Seeds(0, 0, "toy/x")
PLACE = "toy /"
CONTROLS = [Control(f"{PLACE} {role} Thing {at} #1", role, f"Thing {at}")
            for at in range(8) for role in ("link", "button", "checkbox", "textbox", "combobox")]  # fmt: skip
MOMENTS: list[tuple[Control | None, int]] = [(one, at) for one in (None, *CONTROLS) for at in range(6)]
"""Attempts at controls, and loads of the page, by which modes decide."""
TASKS = ("shop/first-hit", "shop/two-of-a-named-product", "shop/profile")
MIXED = "+".join(name for name in MODES if name != "remap_explicit")


def rule(label: str, seeds: Seeds = SEEDS) -> Rule:
    """Return the rule of one mode as a condition applies it."""
    (condition,) = parse(label, MODES)
    (found,) = modes_of(condition)
    return found.rule(seeds)


def served(label: str, seeds: Seeds = SEEDS, key: bytes = b"k" * 16, before: int = 0) -> ScriptArguments:
    """Return the arguments of the script of a page, after so many documents of the episode."""
    stress = EpisodePerturber(modes_of(parse(label, MODES)[0]), seeds, key, active=True)
    scripts = [stress.script("toy", ("toy.test",), "/") for _ in range(before + 1)]
    return script_arguments(scripts[-1])


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


@pytest.mark.parametrize("name", MODES)
def test_what_is_disturbed_at_a_severity_is_disturbed_at_every_higher_one(name: str) -> None:
    """One draw of an attempt is compared with the rate of every severity."""
    rules = [rule(f"{name}@{severity}") for severity in range(6)]
    met, decided = [0] * 6, 0
    # Some modes act in one way on the pages of one template, and in another on those of another.
    for place in (PLACE, *(f"toy /p{at}" for at in range(3))):
        for control, attempt in MOMENTS:
            found = [one.meets(control, place, attempt) for one in rules]
            assert found == sorted(found), (control, attempt)
            met = [count + meets for count, meets in zip(met, found, strict=True)]
            drawn = [one.decides(control, place, attempt) for one in rules]
            assert drawn == [drawn[0]] * 6
            if drawn[0] is not None:
                decided += 1
                rates = [next(iter(mode(name).severities[severity].values())) for severity in range(6)]
                assert found == [drawn[0] < rate for rate in rates]
    if decided:
        # Every severity adds to what is disturbed, so that a mode whose table is not used would be seen.
        assert met[0] == 0
        assert all(low < high for low, high in pairwise(met))


@pytest.mark.parametrize("name", MODES)
def test_a_draw_is_made_of_seeds_task_rule_and_element(name: str) -> None:
    """Another seed or task is another draw; severity, site, document and attempts of others are none."""
    here = rule(f"{name}@3")
    keys = [one.key for one in CONTROLS]

    def drawn(label: str, seeds: Seeds) -> list[float]:
        return [rule(label, seeds).drawn(key) for key in keys]

    for label in (f"{name}@1", f"{name}@5"):
        assert drawn(label, SEEDS) == [here.drawn(key) for key in keys]
    seeds = [SEEDS, Seeds(1, 0, "toy/x"), Seeds(0, 1, "toy/x"), Seeds(0, 0, "toy/y")]
    found = [tuple(drawn(f"{name}@3", one)) for one in seeds]
    assert len({value for values in found for value in values}) == len(seeds) * len(keys)
    # And each attempt, and each lane of one, is a draw of its own.
    several = {here.drawn(keys[0], attempt, lane) for attempt in range(20) for lane in range(4)}
    assert len(several) == 80


def test_modes_draw_apart() -> None:
    """But `remap_explicit` remaps what `remap` does."""
    drawn = {name: rule(f"{name}@3").rule for name in MODES}
    assert drawn.pop("remap_explicit") == drawn["remap"]
    assert len(set(drawn.values())) == len(drawn)


@pytest.mark.parametrize("name", MODES)
def test_what_a_mode_tells_a_page_depends_on_seeds_alone(name: str) -> None:
    """Neither the number of the document nor the key of the episode moves a draw: a page that is fetched again is the same."""
    first, again = served(name), served(name, key=b"j" * 16, before=5)
    assert first.rules == again.rules
    assert [one["mode"] for one in first.rules] == [name]
    assert served(name, Seeds(0, 1, "toy/x")).rules != first.rules
    moved = {what for what in first.settings if first.settings[what] != again.settings[what]}
    assert moved == {"loads", "read", "binding", "report"}
    assert (first.settings["loads"], again.settings["loads"]) == (0, 5)


def test_a_page_that_is_fetched_again_is_told_the_attempts_so_far() -> None:
    (condition,) = parse("failure@3", MODES)
    stress = EpisodePerturber(modes_of(condition), SEEDS, b"k" * 16, active=True)
    first, key = script_arguments(stress.script("toy", (), "/")), CONTROLS[0].key
    stress.take_report(first.settings["report"], json.dumps([1, "failure", key, "passed", 0, ["link", "Thing 0"]]))
    again = script_arguments(stress.script("toy", (), "/"))
    assert again.rules == first.rules
    assert (first.settings["attempts"], again.settings["attempts"]) == ({}, {"failure": {key: 1}})


def test_draws_do_not_move_with_other_modes_or_orders() -> None:
    alone = served("remap@3").rules
    assert [one for one in served(MIXED).rules if one["mode"] == "remap"] == alone
    for order in permutations(MIXED.split("+")):
        stress = EpisodePerturber([mode(name).at(3) for name in order], SEEDS, b"k" * 16, active=True)
        found = script_arguments(stress.script("toy", (), "/")).rules
        assert [one["mode"] for one in found] == [*order]
        assert [one for one in found if one["mode"] == "remap"] == alone


def keys(tab: Page, html: str = PAGE, path: str = "/") -> list[str]:
    """Return the keys of a page's controls, as its script makes them."""
    controls, _ = tab.evaluate(PARSED, [html, path, ["toy.test"]])
    return [key for _, _, key in controls]


def test_an_elements_draws_do_not_move_with_the_page_around_it(tab: Page) -> None:
    more = PAGE.replace("<h2>", '<p>Another <a href="/gamma">Gamma page</a> stands here.</p><h2>')
    before, after = keys(tab), keys(tab, more)
    assert set(before) < set(after)
    assert len(after) == len(before) + 1


def test_equals_are_told_apart_by_their_ordinal(tab: Page) -> None:
    found = keys(tab, PAGE.replace("</ul>", '<li><a href="/alpha">Alpha page</a></li></ul>'))
    assert len(set(found)) == len(found) > 5
    assert len({key.rpartition("#")[0] for key in found}) == len(found) - 1


def test_path_templates_join_pages_of_a_kind(tab: Page) -> None:
    found = [keys(tab, path=path)[0] for path in ("/p/12?x=1", "/p/9", "/q/9")]
    assert found[0] == found[1] != found[2]


def test_two_tabs_of_one_page_do_not_repeat_a_draw(stage: Set) -> None:
    """Each read tells a page what was tried elsewhere: the count is the episode's, not the document's."""
    toy = stage("failure(rate=1)")
    other = toy.page.context.new_page()
    other.set_default_timeout(5000)
    toy.recorder.attach(other, other.context.new_cdp_session(other))
    other.goto(toy.page.url)
    for one in (toy.page, other, other, toy.page):
        toy.read(one)
        one.click("#save")
        one.evaluate("0")
    assert [line.attempt for line in toy.lines("delivered")] == [0, 1, 2, 3]


@pytest.mark.parametrize("stress", [0, 1])
def test_a_page_draws_what_the_program_foresees(stage: Set, stress: int) -> None:
    """Of each control of a page, three attempts: the browser's keys and draws are those by which cells are foreseen."""
    toy, seeds = stage("failure@3", stress=stress), Seeds(0, stress, "toy/x")
    toy.page.evaluate("addEventListener('click', (event) => event.preventDefault())")
    told_apart = 'a, button, [name="agree"]'
    for _ in range(3):
        for element in toy.page.locator(told_apart).all():
            element.click()
    toy.page.evaluate("0")
    failing, attempts = rule("failure@3", seeds), toy.stress().attempts()["failure"]
    assert [*attempts.values()] == [3] * toy.page.locator(told_apart).count()
    foreseen = {(str(one), at) for one in map(named, attempts) for at in range(3) if failing.meets(one, PLACE, at)}
    assert {(line.element, line.attempt) for line in toy.lines("delivered")} == foreseen
    assert foreseen


def named(key: str) -> Control:
    """Return a control of the toy page by its key, called as the ledger calls it."""
    _, _, role, rest = key.split(" ", 3)
    return Control(key, role, next(name for name in ("Alpha page", "Beta page", "Save it", "Agree") if name in rest))


@pytest.mark.parametrize(
    "label", [*(f"{name}@2" for name in MODES), "+".join(f"{name}@2" for name in MIXED.split("+"))]
)
def test_a_script_is_the_same_bytes_for_the_same_seeds(label: str) -> None:
    def script(stress: int) -> str:
        found = modes_of(parse(label, MODES)[0])
        made = EpisodePerturber(found, Seeds(0, stress, "toy/x"), b"k" * 16, active=True)
        return made.script("toy", ("toy.test",), "/")

    assert script(0) == script(0)
    assert script(0) != script(1)


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
    # What is recorded of a control is its key, of which the name is the beginning.
    found = {
        key: {name for name in failed if called.startswith(name.removesuffix("'"))} for key, called in used.items()
    }
    names = Counter(name for these in found.values() for name in these)
    return {key: bool(these) for key, these in found.items() if all(names[name] == 1 for name in these)}


@pytest.mark.sample(1, "episodes")
@pytest.mark.parametrize("task", ["shop/profile", "shop/checkout"])
def test_every_agent_meets_the_same_draws(play: Player, task: str) -> None:
    """What fails for one agent fails for the other, and all of it is what the seeds alone say."""
    (failure,) = modes_of(parse("failure@3", MODES)[0])
    shared: list[bool] = []
    for stress in (0, 1):
        tries = {}
        for agent in ("naive", "resilient", "resilient(-search)"):
            record = play(agent, task, "failure@3", stress_seed=stress)
            tries[agent] = first_tries(record)
            failing = failure.rule(record.cell.seeds)
            for key, failed in tries[agent].items():
                assert failed == failing.meets(Control.of(key), "", 0), (agent, key)
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
        (found,) = modes_of(parse(f"{name}@{severity}", MODES)[0])
        assert found.model_dump() == published
    (plain,) = modes_of(parse(name, MODES)[0])
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
