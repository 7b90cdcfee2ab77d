"""Which injections fire in real episodes: all of them are the episode, none of them is sham."""

from collections.abc import Callable
from typing import Any

import pytest

from perturbations import MODES, mode
from perturbations.episode_perturber import EpisodePerturber
from runner.registry import conditions
from scripts.waited import Stage
from stressweb.core.injections import Allowed
from stressweb.html.recorded import digest
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.rule import Narrowing
from tests.runner.causes.conftest import ALPHA, NAME, SAVE, TASK, Presses

WAY = [ALPHA, (NAME, "lamp"), SAVE, (NAME, "lamps"), SAVE]
LABELS = [f"{name}(rate=0.9)" if "rate" in mode(name).model_fields else f"{name}@5" for name in MODES]


type Play = Callable[..., EpisodeRecord]


def told(record: EpisodeRecord) -> tuple[object, ...]:
    """Return what an episode was, without what it says of our own nodes and without times."""
    key = record.cell.mark_key
    steps = [(step.action, step.outcome, step.page.url, digest(step.page.recorded, key)) for step in record.steps]
    return steps, record.grade, record.final, record.status


def happened(record: EpisodeRecord) -> list[Entry]:
    return [one for one in record.ledger if one.phase != "planned"]


@pytest.fixture(scope="module")
def play(stage: Stage) -> Play:
    def _play(label: str, allowed: Allowed | None = None) -> EpisodeRecord:
        (condition,) = conditions(label)
        seed = 1 if condition.drawn else None
        cell = Cell(agent="presses", task=TASK, condition=condition.label, world=0, stress=seed)
        return stage.play(cell, condition, lambda: Presses(WAY), allowed)

    return _play


@pytest.fixture(scope="module")
def sham(play: Play) -> EpisodeRecord:
    return play("sham")


@pytest.mark.audit
@pytest.mark.parametrize("label", LABELS)
def test_all_is_the_episode_and_none_is_sham(play: Play, sham: EpisodeRecord, label: str) -> None:
    plain, watching = play(label), Allowed()
    watched = play(label, watching)
    assert (told(watched), watched.ledger) == (told(plain), plain.ledger)
    assert [step.page.html for step in watched.steps] == [step.page.html for step in plain.steps]
    names = [one.injection for one in watching.fired]
    assert names
    assert len(set(names)) == len(names)
    exactly = play(label, Allowed(names, strengths=watching.strengths))
    assert (told(exactly), happened(exactly)) == (told(plain), happened(plain))
    nothing = play(label, Allowed(only=()))
    assert told(nothing) == told(sham)
    assert happened(nothing) == happened(sham) == []
    assert not any(one.count for one in nothing.ledger)
    # One of them held back is the only one that does not fire, and alone it is the only one that does.
    first = names[0]
    without, alone = Allowed(without={first: 0}), Allowed(only=[first])
    play(label, without)
    assert first not in [one.injection for one in without.fired]
    assert without.fired
    play(label, alone)
    assert [one.injection for one in alone.fired] == [first]
    if label.startswith("failure"):
        # A line of the ledger is an injection, in the same words.
        delivered = [(one.element, one.attempt, one.step) for one in happened(plain) if one.phase == "delivered"]
        assert [(one.element, int(one.injection[-1]), one.step) for one in watching.fired] == delivered


def test_an_ordinary_episode_asks_nobody(monkeypatch: pytest.MonkeyPatch, play: Play) -> None:
    """What only the search for a cause needs is not there otherwise, neither in Python nor in the page."""
    seen: list[str] = []
    real = EpisodePerturber.script

    def script(self: EpisodePerturber, *given: Any) -> str:
        seen.append(real(self, *given))
        return seen[-1]

    monkeypatch.setattr(Narrowing, "of", None)
    monkeypatch.setattr(Allowed, "fires", None)
    monkeypatch.setattr(EpisodePerturber, "script", script)
    assert play("remap(share=0.5)+failure(rate=0.6)").status == "done"
    assert seen
    assert all(one.count('"allowed":null') == 2 for one in seen)


def test_what_fires_again_after_it_was_held_back_is_a_stray() -> None:
    held = Allowed(without={("remap", "k"): 3})
    held.fires(("remap", "k"), 1, "link 'A'")
    assert held.strays == []
    held.fires(("remap", "k"), 3, "link 'A'")
    assert held.strays == [("remap", "k")]
