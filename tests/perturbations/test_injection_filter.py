"""What an episode records for the search of a cause, from the reports of a page, without a browser."""

import json
from pathlib import Path
from typing import ClassVar

import pytest

from stressweb.core.draws import Seeds
from stressweb.core.injections import AllowedInjections, Injection
from stressweb.core.page_draws import rule_words
from stressweb.perturbations.episode_perturber import EpisodePerturber, ReportError
from stressweb.perturbations.failure import Failure
from stressweb.perturbations.remap import Remap
from stressweb.perturbations.remap.explicit import RemapExplicit
from stressweb.plugins.perturbation import Perturbation, Stage, table
from stressweb.plugins.rule import Control, Rule

SEEDS = Seeds(0, 0, "toy/x")
BUTTON = Control("toy / button Save it /do #1", "button", "Save it")
LINK = Control("toy / link Beta page /beta #1", "link", "Beta page")


class GreetingRule(Rule):
    """Draws for each load of a page, and for each press."""

    script = Path(Failure.at(0).rule(SEEDS).script)

    def decides(self, control: Control | None, page: str, attempt: int) -> float | None:
        """Return the draw of a load, or of a press."""
        return self.drawn(page if control is None else control.key, attempt)


class Greeting(Perturbation):
    """A mode that disturbs loads and presses."""

    mode: ClassVar[str] = "greeting"
    stage = Stage.EXECUTION
    severities = table()

    def rule(self, seeds: Seeds) -> GreetingRule:
        """Return its rule."""
        return GreetingRule(mode=self.mode, rule=rule_words(seeds, self.mode))


class Page:
    """A document of an episode that reports."""

    def __init__(self, modes: list[Perturbation], allowed: AllowedInjections | None, *, step: int = 0) -> None:
        """Open an episode and load its page."""
        self.episode = EpisodePerturber(modes, SEEDS, active=True, allowed_injections=allowed)
        self.episode.step = step
        self.script = self.load()
        self.number = 0

    def load(self) -> str:
        """Load the page once more."""
        return self.episode.script("toy", ["toy.test"], "/")

    def read(self, changed: dict[str, int]) -> None:
        """Read the first document, which has `changed` changes of each mode since it was loaded."""
        where = f"{self.episode.report_path}/0"
        self.episode.read("/", {"from": where, "reports": [], "changed": changed}, [])

    def report(self, mode: str, about: Control | str, event: str, value: object) -> None:
        """Send a report of the first document."""
        self.number += 1
        key, role_and_name = (about, None) if isinstance(about, str) else (about.key, [about.role, about.name])
        body = json.dumps([self.number, mode, key, event, value, role_and_name])
        self.episode.take_report(f"{self.episode.report_path}/0", body)


def test_every_attempt_has_the_draw_of_its_own_number() -> None:
    allowed, mode = AllowedInjections(), Failure(rate=0.5)
    page = Page([mode], allowed)
    draws = [mode.rule(SEEDS).drawn(BUTTON.key, attempt) for attempt in range(3)]
    assert len(set(draws)) == 3
    for attempt in range(3):
        page.report("failure", BUTTON, "passed", attempt)
        assert allowed.met == set(draws[: attempt + 1])


def test_a_press_that_one_mode_tells_of_has_the_draw_of_another() -> None:
    """Failure at rate 0 reports every gesture; the number of the attempt is that of the other mode."""
    allowed, greeting = AllowedInjections(), Greeting()
    page = Page([Failure(rate=0), greeting], allowed)
    drawn = [greeting.rule(SEEDS).drawn(BUTTON.key, attempt) for attempt in range(3)]
    for number, attempts in ((0, 1), (5, 1), (6, 2)):
        if number == 6:
            page.report("greeting", BUTTON, "hit", 0)
        page.report("failure", BUTTON, "passed", number)
        assert [draw in allowed.met for draw in drawn] == [True] * attempts + [False] * (3 - attempts)


def test_a_control_with_one_draw_has_it_at_every_attempt() -> None:
    allowed, remap = AllowedInjections(), Remap(share=0.5)
    page = Page([remap, Failure(rate=0)], allowed)
    for attempt in range(3):
        page.report("failure", BUTTON, "passed", attempt)
    assert len(allowed.met) == 4
    assert remap.rule(SEEDS).drawn(BUTTON.key) in allowed.met


def test_every_load_has_the_draw_of_its_own_number() -> None:
    allowed = AllowedInjections()
    page = Page([Greeting()], allowed)
    page.load()
    rule = Greeting().rule(SEEDS)
    assert allowed.met == {rule.drawn("toy /", load) for load in range(2)}


@pytest.mark.parametrize(
    ("mode", "attempt", "injection"),
    [(Failure(rate=1), 2, ("failure", BUTTON.key, "2")), (Remap(share=1), 2, ("remap", BUTTON.key))],
)
def test_what_fired_is_named_by_attempt_or_by_control(mode: Perturbation, attempt: int, injection: Injection) -> None:
    allowed = AllowedInjections()
    page = Page([mode], allowed, step=3)
    page.report(mode.mode, LINK, "passed", 0)
    page.report(mode.mode, BUTTON, "hit", attempt)
    assert [tuple(record) for record in allowed.fired] == [(injection, 3, "button 'Save it'")]
    assert allowed.fired_though_blocked == []


def test_all_that_a_mode_moves_on_a_page_is_one_injection_where_it_asks_once() -> None:
    allowed, mode = AllowedInjections(), RemapExplicit(share=1)
    page = Page([mode, Failure(rate=1)], allowed)
    for number, name in enumerate(("remap_explicit", "remap_explicit", "failure")):
        page.report(name, "page /", "moved", number + 1)
        # A claim counts when a read confirms it.
        assert [tuple(record) for record in allowed.fired] == [(("remap_explicit", "page /"), 0, "/")] * bool(number)
        page.read({"remap_explicit": 3, "failure": number})
    assert [tuple(record) for record in allowed.fired] == [(("remap_explicit", "page /"), 0, "/")]
    held = '"allowed":{"others":true,"controls":{"page /":[true,[]]}}'
    assert held in Page([mode], AllowedInjections(without={("remap_explicit", "page /"): 0})).script


def test_a_hit_of_what_was_held_back_is_a_stray() -> None:
    held_back = ("failure", BUTTON.key, "1")
    allowed = AllowedInjections(without={held_back: 2})
    page = Page([Failure(rate=1)], allowed, step=1)
    page.report("failure", BUTTON, "hit", 1)
    assert allowed.fired_though_blocked == []
    page.episode.begin(2)
    page.report("failure", BUTTON, "hit", 1)
    assert allowed.fired_though_blocked == [held_back]


def test_a_page_is_told_what_may_be_disturbed() -> None:
    """Only in a search for a cause; the settings of an ordinary page have `null`."""
    held = '"allowed":{"others":true,"controls":{"toy / button Save it /do #1":[false,[1]]}}'
    assert held in Page([Failure(rate=1)], AllowedInjections(without={("failure", BUTTON.key, "1"): 0})).script
    restricted = '"allowed":{"others":false,"controls":{"toy / button Save it /do #1":[true,[0,2]]}}'
    injections = [("failure", BUTTON.key, attempt) for attempt in ("2", "0")]
    assert restricted in Page([Failure(rate=1)], AllowedInjections(only=injections)).script
    # Without draws of its own for each attempt, a control is disturbed or not.
    remap = '"allowed":{"others":true,"controls":{"toy / button Save it /do #1":[true,[]]}}'
    assert remap in Page([Remap(share=1)], AllowedInjections(without={("remap", BUTTON.key): 0})).script
    assert '"allowed":null' in Page([Failure(rate=1)], None).script


def test_how_far_a_mode_goes_is_told_only_where_it_is_asked_for() -> None:
    """An agent that posts to the path of reports must not void an episode that it is losing."""
    watched = AllowedInjections()
    with pytest.raises(ReportError):
        Page([Failure(rate=0)], None).report("failure", "page /", "fitted", {"p Hello 1": 0.5})
    page = Page([Failure(rate=0)], watched)
    page.report("failure", "page /", "fitted", {"p Hello 1": 0.5})
    for wrong in ("no mapping", {"p Hello 1": "far"}):
        with pytest.raises(ReportError):
            page.report("failure", "page /", "fitted", wrong)
    assert watched.strengths == {("/", "p Hello 1"): 0.5}
