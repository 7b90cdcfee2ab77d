"""Which injections fire in real episodes: all of them are the episode, none of them is sham."""

from collections.abc import Callable

import pytest

from perturbations.injection_filter import InjectionFilter
from runner.causes.stage import Stage
from stressweb.core.injections import Allowed
from stressweb.html.canonical import digest
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord
from tests.runner.causes.conftest import ALPHA, BETA, NAME, SAVE, TASK, Presses

WAY = [ALPHA, (NAME, "lamp"), SAVE, ALPHA, BETA, (NAME, "lamp"), (NAME, "lamps"), SAVE, SAVE]
LABELS = [
    "failure(rate=0.6)", "popup(rate=0.6)", "remap(share=0.6)", "remap_explicit(share=0.6)", "noise@5", "chaos@5",
    "failure(rate=0.5)+popup(rate=0.5)+noise@3",
]  # fmt: skip


def told(record: EpisodeRecord) -> tuple[object, ...]:
    """Return what an episode was, without what it says of our own nodes and without times."""
    key = record.cell.mark_key
    steps = [(step.action, step.outcome, step.page.url, digest(step.page.html, key)) for step in record.steps]
    return steps, record.grade, record.final, record.status


def happened(record: EpisodeRecord) -> list[Entry]:
    return [one for one in record.ledger if one.phase != "planned"]


def cell(label: str) -> Cell:
    return Cell(agent="presses", task=TASK, condition=label, world=0, stress=None if label == "sham" else 1)


@pytest.fixture(scope="module")
def play(stage: Stage) -> Callable[..., EpisodeRecord]:
    return lambda label, allowed=None: stage.play(cell(label), allowed, lambda: Presses(WAY))


@pytest.mark.parametrize("label", LABELS)
def test_all_is_the_episode_and_none_is_sham(play: Callable[..., EpisodeRecord], label: str) -> None:
    plain, watching = play(label), Allowed()
    assert any(one.phase == "delivered" for one in plain.ledger)
    watched = play(label, watching)
    assert (told(watched), watched.ledger) == (told(plain), plain.ledger)
    assert [step.page.html for step in watched.steps] == [step.page.html for step in plain.steps]
    names = [one.injection for one in watching.fired]
    assert names
    assert len(set(names)) == len(names)
    exactly = play(label, Allowed(only=names))
    assert (told(exactly), happened(exactly)) == (told(plain), happened(plain))
    nothing, sham = play(label, Allowed(only=())), play("sham")
    assert told(nothing) == told(sham)
    assert happened(nothing) == happened(sham) == []
    assert not any(one.count for one in nothing.ledger)


@pytest.mark.parametrize("label", LABELS)
def test_what_is_held_back_alone_does_not_fire(play: Callable[..., EpisodeRecord], label: str) -> None:
    watching = Allowed()
    play(label, watching)
    first = watching.fired[0]
    without = Allowed(without={first.injection: 0})
    play(label, without)
    assert first.injection not in [one.injection for one in without.fired]
    assert without.fired
    alone = Allowed(only=[first.injection])
    play(label, alone)
    assert [one.injection for one in alone.fired] == [first.injection]


def test_a_ledger_names_what_fired(play: Callable[..., EpisodeRecord]) -> None:
    """Of modes that disturb gestures, each delivery is one injection, at the same step and in the same words."""
    for label in ("failure(rate=0.6)", "popup(rate=0.6)"):
        watching = Allowed()
        record = play(label, watching)
        delivered = [(one.mode, one.element or one.detail, one.attempt, one.step) for one in happened(record) if one.phase == "delivered"]  # fmt: skip
        fired = [(one.injection[0], one.element, int(one.injection[-1]), one.step) for one in watching.fired]
        assert fired == delivered


def test_an_ordinary_episode_asks_nobody(monkeypatch: pytest.MonkeyPatch, play: Callable[..., EpisodeRecord]) -> None:
    """What only the search for a cause needs is not there otherwise, neither in Python nor in the page."""
    seen = []
    monkeypatch.setattr(InjectionFilter, "_settings", lambda *given: seen.append(given))
    monkeypatch.setattr(InjectionFilter, "_place", lambda *given: seen.append(given))
    play("failure(rate=0.6)+noise@5")
    assert seen == []
