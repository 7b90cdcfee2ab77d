"""Law 2: every random choice is keyed, none is streamed."""

import ast
import json
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from playwright.sync_api import Page

from stressweb.core.conditions import Applied, parse
from stressweb.core.draws import Seeds
from stressweb.log.ledger import Entry
from stressweb.log.recording import EpisodeRecord
from stressweb.perturbations import MODES, mode, modes_of
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation
from stressweb.plugins.rule import Control, Rule
from stressweb.runner.registry.exposure import ALONE, encounters
from tests.support.keyed import PARSED
from tests.support.playing import Player, conditions
from tests.support.script_arguments import ScriptArguments, script_arguments
from tests.support.toy import PAGE
from tests.support.toy_stage import Set

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SEEDS = Seeds(0, 0, "toy/x")
PLACE = "toy /"
CONTROLS = [Control(f"{PLACE} {role} Thing {number} #1", role, f"Thing {number}")
            for number in range(8) for role in ("link", "button", "checkbox", "textbox", "combobox")]  # fmt: skip
MOMENTS: list[tuple[Control | None, int]] = [
    (control, attempt) for control in (None, *CONTROLS) for attempt in range(6)
]
"""Attempts at controls and loads of the page: the events that modes decide on."""
TASKS = ("shop/first-hit", "shop/two-of-a-named-product", "shop/profile")
MIXED = "+".join(name for name in MODES if name != "remap_explicit")


def rule(label: str, seeds: Seeds = SEEDS) -> Rule:
    """Return the rule of a condition's only mode."""
    (condition,) = parse(label, MODES)
    (perturbation,) = modes_of(condition)
    return perturbation.rule(seeds)


def served(label: str, seeds: Seeds = SEEDS, secret: bytes = b"", before: int = 0) -> ScriptArguments:
    """Return the settings of a page's script, after `before` other documents of the episode."""
    stress = EpisodePerturber(modes_of(parse(label, MODES)[0]), seeds, active=True, secret=secret)
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


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", MODES)
def test_what_is_disturbed_at_a_severity_is_disturbed_at_every_higher_one(name: str) -> None:
    """Each attempt is drawn once, and the draw is compared with the rate of every severity."""
    rules = [rule(f"{name}@{severity}") for severity in range(6)]
    met, decided = [0] * 6, 0
    # Some modes act differently on the pages of another template.
    for place in (PLACE, *(f"toy /p{number}" for number in range(3))):
        for control, attempt in MOMENTS:
            hits = [each_rule.meets(control, place, attempt) for each_rule in rules]
            assert hits == sorted(hits), (control, attempt)
            met = [count + meets for count, meets in zip(met, hits, strict=True)]
            drawn = [each_rule.decides(control, place, attempt) for each_rule in rules]
            assert drawn == [drawn[0]] * 6
            if drawn[0] is not None:
                decided += 1
                rates = [next(iter(mode(name).severities[severity].values())) for severity in range(6)]
                assert hits == [drawn[0] < rate for rate in rates]
    if decided:
        # Each severity disturbs more than the one before, which shows that the mode uses its table.
        assert met[0] == 0
        assert all(low < high for low, high in pairwise(met))


@pytest.mark.parametrize("name", MODES)
def test_a_draw_is_made_of_seeds_task_rule_and_element(name: str) -> None:
    """Another seed or task draws anew; severity, site, document and attempts at other elements do not."""
    here = rule(f"{name}@3")
    keys = [control.key for control in CONTROLS]

    def drawn(label: str, seeds: Seeds) -> list[float]:
        return [rule(label, seeds).drawn(key) for key in keys]

    for label in (f"{name}@1", f"{name}@5"):
        assert drawn(label, SEEDS) == [here.drawn(key) for key in keys]
    seeds = [SEEDS, Seeds(1, 0, "toy/x"), Seeds(0, 1, "toy/x"), Seeds(0, 0, "toy/y")]
    draws_by_seeds = [tuple(drawn(f"{name}@3", other_seeds)) for other_seeds in seeds]
    assert len({draw for values in draws_by_seeds for draw in values}) == len(seeds) * len(keys)
    # Each attempt, and each lane of an attempt, has its own draw.
    several = {here.drawn(keys[0], attempt, lane) for attempt in range(20) for lane in range(4)}
    assert len(several) == 80


def test_modes_draw_apart() -> None:
    """Only `remap_explicit` shares the draws of `remap`."""
    drawn = {name: rule(f"{name}@3").rule for name in MODES}
    assert drawn.pop("remap_explicit") == drawn["remap"]
    assert len(set(drawn.values())) == len(drawn)


@pytest.mark.parametrize("name", MODES)
def test_what_a_mode_tells_a_page_depends_on_seeds_alone(name: str) -> None:
    """Neither the document's number nor the episode's secret changes a draw: a page fetched again is the same."""
    first, again = served(name), served(name, secret=b"s" * 16, before=5)
    assert first.rules == again.rules
    assert [sent_rule["mode"] for sent_rule in first.rules] == [name]
    assert served(name, Seeds(0, 1, "toy/x")).rules != first.rules
    moved = {setting for setting in first.settings if first.settings[setting] != again.settings[setting]}
    assert moved == {"loads", "read", "binding", "report"}
    assert (first.settings["loads"], again.settings["loads"]) == (0, 5)


def test_a_page_that_is_fetched_again_is_told_the_attempts_so_far() -> None:
    (condition,) = parse("failure@3", MODES)
    stress = EpisodePerturber(modes_of(condition), SEEDS, active=True)
    first, key = script_arguments(stress.script("toy", (), "/")), CONTROLS[0].key
    stress.take_report(first.settings["report"], json.dumps([1, "failure", key, "passed", 0, ["link", "Thing 0"]]))
    again = script_arguments(stress.script("toy", (), "/"))
    assert again.rules == first.rules
    assert (first.settings["attempts"], again.settings["attempts"]) == ({}, {"failure": {key: 1}})


def test_draws_do_not_move_with_other_modes_or_orders() -> None:
    alone = served("remap@3").rules
    assert [sent_rule for sent_rule in served(MIXED).rules if sent_rule["mode"] == "remap"] == alone
    for order in permutations(MIXED.split("+")):
        stress = EpisodePerturber([mode(name).at(3) for name in order], SEEDS, active=True)
        sent_rules = script_arguments(stress.script("toy", (), "/")).rules
        assert [sent_rule["mode"] for sent_rule in sent_rules] == [*order]
        assert [sent_rule for sent_rule in sent_rules if sent_rule["mode"] == "remap"] == alone


def keys(tab: Page, html: str = PAGE, path: str = "/") -> list[str]:
    """Return the keys of a page's controls, as the page's script computes them."""
    controls, _ = tab.evaluate(PARSED, [html, path, ["toy.test"]])
    return [key for _, _, key in controls]


def test_an_elements_draws_do_not_move_with_the_page_around_it(tab: Page) -> None:
    more = PAGE.replace("<h2>", '<p>Another <a href="/gamma">Gamma page</a> stands here.</p><h2>')
    before, after = keys(tab), keys(tab, more)
    assert set(before) < set(after)
    assert len(after) == len(before) + 1


def test_identical_controls_have_different_keys_by_their_ordinal(tab: Page) -> None:
    element_keys = keys(tab, PAGE.replace("</ul>", '<li><a href="/alpha">Alpha page</a></li></ul>'))
    assert len(set(element_keys)) == len(element_keys) > 5
    assert len({key.rpartition("#")[0] for key in element_keys}) == len(element_keys) - 1


def test_pages_of_one_path_template_share_their_keys(tab: Page) -> None:
    first_keys = [keys(tab, path=path)[0] for path in ("/p/12?x=1", "/p/9", "/q/9")]
    assert first_keys[0] == first_keys[1] != first_keys[2]


def test_two_tabs_of_one_page_do_not_repeat_a_draw(stage: Set) -> None:
    """Each read updates the attempts of a page: they are counted per episode, not per document."""
    toy = stage("failure(rate=1)")
    second_page = toy.page.context.new_page()
    second_page.set_default_timeout(5000)
    toy.recorder.attach(second_page, second_page.context.new_cdp_session(second_page))
    second_page.goto(toy.page.url)
    for page in (toy.page, second_page, second_page, toy.page):
        toy.read(page)
        page.click("#save")
        page.evaluate("0")
    assert [line.attempt for line in toy.lines("delivered")] == [0, 1, 2, 3]


@pytest.mark.parametrize("stress", [0, 1])
def test_a_page_draws_what_python_predicts(stage: Set, stress: int) -> None:
    """Three attempts at each control: the browser's keys and draws equal those that predict exposure."""
    toy, seeds = stage("failure@3", stress=stress), Seeds(0, stress, "toy/x")
    toy.page.evaluate("addEventListener('click', (event) => event.preventDefault())")
    distinct_controls = 'a, button, [name="agree"]'
    for _ in range(3):
        for element in toy.page.locator(distinct_controls).all():
            element.click()
    toy.page.evaluate("0")
    failing, attempts = rule("failure@3", seeds), toy.stress().attempts()["failure"]
    assert [*attempts.values()] == [3] * toy.page.locator(distinct_controls).count()
    predicted_exposure = {
        (str(control), attempt)
        for control in map(named, attempts)
        for attempt in range(3)
        if failing.meets(control, PLACE, attempt)
    }
    assert {(line.element, line.attempt) for line in toy.lines("delivered")} == predicted_exposure
    assert predicted_exposure


def named(key: str) -> Control:
    """Return a control of the toy page by its key, with its name in the ledger."""
    _, _, role, rest = key.split(" ", 3)
    return Control(key, role, next(name for name in ("Alpha page", "Beta page", "Save it", "Agree") if name in rest))


@pytest.mark.parametrize(
    "label", [*(f"{name}@2" for name in MODES), "+".join(f"{name}@2" for name in MIXED.split("+"))]
)
def test_a_script_is_the_same_bytes_for_the_same_seeds(label: str) -> None:
    def script(stress: int) -> str:
        applied_modes = modes_of(parse(label, MODES)[0])
        perturber = EpisodePerturber(applied_modes, Seeds(0, stress, "toy/x"), active=True)
        return perturber.script("toy", ("toy.test",), "/")

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
    """Return for each control that an agent used whether its first try failed, by the ledger.

    Controls that share their name in the ledger are left out.
    """
    failed = {entry.element for entry in record.ledger if (entry.phase, entry.attempt) == ("delivered", 0)}
    used = {
        moment.control.key: str(moment.control) for moment in encounters(record, ALONE) if moment.control is not None
    }
    # A step records only the key of its control, which begins with the name.
    failed_names = {
        key: {name for name in failed if called.startswith(name.removesuffix("'"))} for key, called in used.items()
    }
    names = Counter(name for matches in failed_names.values() for name in matches)
    return {key: bool(matches) for key, matches in failed_names.items() if all(names[name] == 1 for name in matches)}


@pytest.mark.sample(1, "episodes")
@pytest.mark.parametrize("task", ["shop/profile", "shop/checkout"])
def test_every_agent_meets_the_same_draws(play: Player, task: str) -> None:
    """Seeds alone determine which controls fail, for every agent."""
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


class Quitter(Agent):
    """Gives up at once and keeps its brief and first observation."""

    name = "quitter"

    def act(self, observation: Observation) -> Action:
        """Give up."""
        self.seen = observation
        return Action(kind="FAIL")


@pytest.mark.sample(1, "episodes")
def test_an_agents_own_seed_is_the_epoch_in_every_arm(play: Player) -> None:
    """Brief and first page depend on neither condition nor stress seed; the agent's seed is the epoch."""

    def briefed(label: str, stress: int, epoch: int) -> Quitter:
        agent = Quitter()
        play(agent, TASKS[0], label, stress_seed=stress, epoch=epoch)
        return agent

    arms = [("clean", 0), ("sham", 0), ("remap@3", 0), ("remap@3", 7), ("failure@5", 3)]
    for epoch in (0, 4):
        briefs = [briefed(label, stress, epoch).brief for label, stress in arms]
        assert briefs == [briefs[0]] * len(arms)
        assert briefs[0].seed == epoch


@pytest.mark.sample(1, "episodes")
def test_an_epoch_repeats_the_draws(play: Player) -> None:
    """For a deterministic agent that ignores its seed, every epoch is the same episode."""
    first, repeated, redrawn = (
        play("naive", TASKS[2], "failure@3", stress_seed=stress, epoch=epoch)
        for stress, epoch in ((0, 0), (0, 5), (1, 0))
    )
    assert (first.ledger, first.grade, first.actions) == (repeated.ledger, repeated.grade, repeated.actions)
    assert first.ledger != redrawn.ledger


RATES: dict[str, dict[str, tuple[object, ...]]] = {
    "remap": {"share": (0, 0.2, 0.5, 0.8, 0.9, 1)},
    "remap_explicit": {"share": (0, 0.2, 0.5, 0.8, 0.9, 1)},
    "failure": {"rate": (0, 0.1, 0.2, 0.35, 0.42, 0.5)},
    "popup": {"rate": (0, 0.1, 0.2, 0.35, 0.42, 0.5)},
    "noise": {"density": (0, 0.1, 0.2, 0.35, 0.5, 0.7)},
}
"""The severity tables as published."""


@pytest.mark.parametrize("name", RATES)
def test_a_mode_at_a_severity_is_what_is_published(name: str) -> None:
    for severity in range(6):
        published = {column: values[severity] for column, values in RATES[name].items()}
        assert mode(name).at(severity).model_dump() == published
        (perturbation,) = modes_of(parse(f"{name}@{severity}", MODES)[0])
        assert perturbation.model_dump() == published
    (plain,) = modes_of(parse(name, MODES)[0])
    assert plain.model_dump() == {column: values[3] for column, values in RATES[name].items()}, (
        "the default severity is 3"
    )


@pytest.mark.parametrize("name", MODES)
def test_every_parameter_of_a_mode_grows_with_severity(name: str) -> None:
    levels = [mode(name).at(severity).model_dump() for severity in range(6)]
    assert levels[0]
    for column in levels[0]:
        values = [level[column] for level in levels]
        assert values[0] == 0, "a parameter missing from the table would also act at 0"
        assert all(low < high for low, high in pairwise(values)), column
    assert str(Applied(name)) == f"{name}@3"
