"""From the store to flat records: exposure by mode, harm, disputes, crashes, and removed modes."""

from pathlib import Path

import pytest

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.core.verdict import Judgement, Truth, Verdict
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.plugins.checks import Grade
from stressweb.runner.outcome.results import graded
from tests.support.plans import meta


def graded_records(path: Path, *records: EpisodeRecord) -> list[Graded]:
    """Return the flat records of a run of these episodes."""
    cells = [record.cell for record in records]
    with Store.create(path / "run.db", meta(cells), cells) as store:
        for record in records:
            store.save(record)
        return graded(store)


def delivered(mode: str, phase: str = "delivered", step: int = 1) -> Entry:
    return Entry.model_validate({"step": step, "mode": mode, "phase": phase})


@pytest.mark.parametrize(
    ("condition", "ledger", "exposed"),
    [
        ("clean", [], None),
        ("sham", [], None),
        ("remap@3", [], {"remap": False}),
        ("remap@3", [delivered("remap")], {"remap": True}),
        ("noise@2+failure@4", [delivered("noise"), delivered("failure", "planned")], {"noise": True, "failure": False}),
        ("gone@2(rate=0.5,deep=True)+noise@0", [delivered("gone")], {"gone": True, "noise": False}),
    ],
)
def test_exposure_is_recorded_by_mode_even_for_removed_modes(
    tmp_path: Path, condition: str, ledger: list[Entry], exposed: dict[str, bool] | None
) -> None:
    cell = Cell(agent="a", task="shop/x", condition=condition, world=0, stress=None if condition == "clean" else 4)
    (graded_episode,) = graded_records(
        tmp_path, EpisodeRecord(cell, "done", "done", ledger=ledger, grade=Grade({"a": True}, {}, verdict=None))
    )
    assert graded_episode.exposed == exposed
    assert graded_episode.stress_seed == cell.stress
    assert graded_episode.fully_exposed == (exposed == {"remap": True})


def test_faults_and_bypasses_of_an_agent_are_counted(tmp_path: Path) -> None:
    cell = Cell(agent="naive", task="shop/x", condition="clean", world=0)
    ledger = [delivered("world", "fault"), delivered("world", "fault"), delivered("navigate", "bypass")]
    (graded_episode,) = graded_records(
        tmp_path, EpisodeRecord(cell, "done", ledger=ledger, grade=Grade({"a": True}, {}, verdict=None))
    )
    assert (graded_episode.site_faults, graded_episode.bypasses) == (2, 1)


@pytest.mark.parametrize(
    ("began", "actions", "steps"),
    [
        # Steps end before the actions 2, 5 and, for the last, at the end.
        ((0, 2, 5), (1, 5), (1, 3)),
        ((0, 2, 5), (2, 4), (2,)),
        ((0, 2, 5), (0, 9), (1, 3)),
        ((0, 2, 5), (), ()),
        # Steps that were not reached last from where the episode got stuck to its end.
        ((0, 2, 2), (4,), (2, 3)),
        # The beginnings of steps in words alone are unknown.
        ((), (1, 5), ()),
    ],
)
def test_a_step_is_disturbed_if_a_mode_delivered_inside_it(
    tmp_path: Path, began: tuple[int, ...], actions: tuple[int, ...], steps: tuple[int, ...]
) -> None:
    judgement = Judgement.of(Truth(verdict="pass"), Verdict(verdict="fail", step=3), [True, True, False], began)
    cell = Cell(agent="retry", task="cases/shop/x", condition="failure@3", world=0, stress=4)
    # What is planned and not delivered disturbs nothing.
    ledger = [delivered("failure", step=action) for action in actions] + [delivered("failure", "planned", step=3)]
    grade = Grade({}, {}, verdict=None, judgement=judgement)
    (episode,) = graded_records(tmp_path, EpisodeRecord(cell, "done", "done", ledger=ledger, grade=grade))
    assert episode.disturbed_steps == steps
    assert (episode.tester_step, episode.judged) == (3, "FP")


def test_a_dispute_a_harm_and_a_crash_are_failures_and_an_error_is_not(tmp_path: Path) -> None:
    grades = {
        "disputed": Grade({"a": True}, {}, verdict=False, contradictions=["they disagree"]),
        "harmed": Grade({"a": True}, {"b": True}, verdict=True),
        "fine": Grade({"a": True}, {"b": False}, verdict=True),
    }
    records = [
        EpisodeRecord(Cell(agent="a", task=f"shop/{name}", condition="clean", world=0), "done", "done", grade=grade)
        for name, grade in grades.items()
    ]
    crash = Cell(agent="a", task="shop/crash", condition="clean", world=0)
    records.append(
        EpisodeRecord(crash, "crashed", grade=Grade({"a": False}, {}, verdict=False), traceback="ValueError")
    )
    records.append(EpisodeRecord(Cell(agent="a", task="shop/error", condition="clean", world=0)))
    by_name = {episode.task.rpartition("/")[2]: episode for episode in graded_records(tmp_path, *records)}
    assert [name for name, episode in by_name.items() if episode.success] == ["fine"]
    assert [name for name, episode in by_name.items() if episode.disputed] == ["disputed"]
    assert [name for name, episode in by_name.items() if episode.harmed] == ["harmed"]
    (row,) = measure(by_name.values())
    assert (row.successes, row.episodes, row.errors, row.disputed, row.harmed) == (1, 4, 1, 1, 1)
