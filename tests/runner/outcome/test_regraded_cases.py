"""Test cases graded again from the recording, with the same verdict."""

from pathlib import Path

from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import Store
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Usage
from stressweb.runner.outcome.regrading import regrade
from stressweb.runner.registry import Library
from stressweb.runner.registry.grading import Grader
from tests.support.plans import meta


def test_a_model_that_gave_up_has_no_verdict_again(tmp_path: Path) -> None:
    quoted = 'three answers were no action: {"verdict": "pass"}'
    page = Shown("http://food.test/", "<html><body></body></html>")
    record = EpisodeRecord(
        Cell(agent="model", task="cases/food/third-fastest", condition="clean", world=0, stress=None),
        status="gave_up",
        claim="failed",
        message=quoted,
        steps=[StepRecord(page), StepRecord(page, Action(kind="FAIL", message=quoted), usage=Usage(unanswered=quoted))],
    )
    record.grade = Grader(Library()).grade(record)
    assert record.grade.judgement is not None
    assert record.grade.judgement.verdict == "none"
    with Store.create(tmp_path / "run.db", meta([record.cell]), [record.cell]) as store:
        store.save(record)
        again = regrade(store, graded=True)
    assert not again.changed
    assert [episode.tester_verdict for episode in again.graded] == ["none"]
