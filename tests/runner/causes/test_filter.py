"""Filtering injections in real episodes: with all of them the episode repeats, with none it equals sham."""

from collections.abc import Callable

import pytest

from stressweb.core.draws import Seeds
from stressweb.core.injections import AllowedInjections
from stressweb.html.recorded import digest
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.perturbations import MODES, mode, modes_of
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.runner.causes.stage import CauseStage
from stressweb.runner.registry import conditions
from tests.runner.causes.planted_causes import ALPHA, NAME, SAVE, TASK, Presses

ACTIONS: list[str | tuple[str, str]] = [ALPHA, (NAME, "lamp"), SAVE, (NAME, "lamps"), SAVE]
LABELS = [f"{name}(rate=0.9)" if "rate" in mode(name).model_fields else f"{name}@5" for name in MODES]


type Play = Callable[..., EpisodeRecord]


def episode_trace(record: EpisodeRecord) -> tuple[object, ...]:
    """Return steps, grade and end of an episode, without our own nodes and without times."""
    steps = [(step.action, step.outcome, step.page.url, digest(step.page.recorded)) for step in record.steps]
    return steps, record.grade, record.final, record.status


def happened(record: EpisodeRecord) -> list[Entry]:
    return [entry for entry in record.ledger if entry.phase != "planned"]


@pytest.fixture(scope="module")
def play(stage: CauseStage) -> Play:
    def _play(label: str, allowed: AllowedInjections | None = None) -> EpisodeRecord:
        (condition,) = conditions(label)
        seed = 1 if condition.drawn else None
        cell = Cell(agent="presses", task=TASK, condition=condition.label, world=0, stress=seed)
        return stage.play(cell, condition, lambda: Presses(ACTIONS), allowed)

    return _play


@pytest.fixture(scope="module")
def sham(play: Play) -> EpisodeRecord:
    return play("sham")


@pytest.mark.audit
@pytest.mark.parametrize("label", LABELS)
def test_all_is_the_episode_and_none_is_sham(play: Play, sham: EpisodeRecord, label: str) -> None:
    plain, watching = play(label), AllowedInjections()
    watched = play(label, watching)
    assert (episode_trace(watched), watched.ledger) == (episode_trace(plain), plain.ledger)
    assert [step.page.html for step in watched.steps] == [step.page.html for step in plain.steps]
    names = [injection.injection for injection in watching.fired]
    assert names
    assert len(set(names)) == len(names)
    exactly = play(label, AllowedInjections(names, strengths=watching.strengths))
    assert (episode_trace(exactly), happened(exactly)) == (episode_trace(plain), happened(plain))
    nothing = play(label, AllowedInjections(only=()))
    assert episode_trace(nothing) == episode_trace(sham)
    assert happened(nothing) == happened(sham) == []
    assert not any(entry.count for entry in nothing.ledger)
    # A single injection held back is the only one that does not fire; allowed alone, it is the only one that fires.
    first = names[0]
    without, only_first = AllowedInjections(without={first: 0}), AllowedInjections(only=[first])
    play(label, without)
    assert first not in [injection.injection for injection in without.fired]
    assert without.fired
    play(label, only_first)
    assert [injection.injection for injection in only_first.fired] == [first]
    if label.startswith("failure"):
        # Each delivered entry of the ledger is an injection, by the same name.
        delivered = [
            (entry.element, entry.attempt, entry.step) for entry in happened(plain) if entry.phase == "delivered"
        ]
        assert [
            (injection.element, int(injection.injection[-1]), injection.step) for injection in watching.fired
        ] == delivered


def test_the_script_of_an_ordinary_episode_has_no_filter() -> None:
    """The filter of the search for causes is absent in the page."""
    (condition,) = conditions("remap(share=0.5)+failure(rate=0.6)")
    for allowed, filters in ((None, 0), (AllowedInjections(), 2)):
        perturber = EpisodePerturber(modes_of(condition), Seeds(0, 1, TASK), active=True, allowed_injections=allowed)
        assert perturber.script("toy", ["toy.test"], "/").count('"allowed":null') == 2 - filters


def test_an_injection_that_fires_although_held_back_is_a_stray() -> None:
    held = AllowedInjections(without={("remap", "k"): 3})
    held.record(("remap", "k"), 1, "link 'A'")
    assert held.fired_though_blocked == []
    held.record(("remap", "k"), 3, "link 'A'")
    assert held.fired_though_blocked == [("remap", "k")]
