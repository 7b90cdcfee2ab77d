"""Logs of Inspect AI: its own reader finds the figures of the run in them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.runner.export.formats import check_inspect
from tests.support.extra_packages import python_with
from tests.support.plans import meta

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden"
READER_PROGRAM = """
import json, sys
from pathlib import Path
import stressweb as sw
from inspect_ai.log import read_eval_log

folder = sw.open_run(sys.argv[1]).export("inspect", sys.argv[2])
found = []
for path in sorted(folder.glob("*.eval")):
    log = read_eval_log(str(path))
    (score,) = log.results.scores
    found.append({
        "agent": log.eval.model.removeprefix("stressweb/"), "condition": log.eval.task, "status": log.status,
        "task_id": log.eval.task_id, "accuracy": score.metrics["accuracy"].value, "scored": score.scored_samples, "unscored": score.unscored_samples,
        "samples": [{
            "task": one.metadata["task"], "identity": one.metadata["identity"], "input": one.input,
            "score": one.scores["success"].value if one.scores else None, "error": one.error and one.error.message,
            "actions": [call.function for message in one.messages for call in getattr(message, "tool_calls", None) or ()],
            "tools": sum(event.event == "tool" for event in one.events),
            "ledger": sum(event.event == "info" for event in one.events),
        } for one in log.samples],
    })
print(json.dumps(found))
"""


def test_without_inspect_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(UserError, match=re.escape("pip install 'stressweb[inspect]'")):
        check_inspect()
    with pytest.raises(UserError, match="needs inspect-ai"):
        sw.open_run(GOLDEN).export("inspect", GOLDEN / "never")


def python_with_inspect(folder: Path) -> Path:
    return python_with("inspect-ai>=0.3.200,<0.4", "inspect_ai", folder)


@pytest.mark.audit
@pytest.mark.timeout(900)
def test_inspect_reads_the_same_figures(tmp_path: Path) -> None:
    python = python_with_inspect(tmp_path)
    run = sw.open_run(GOLDEN)
    command: list[str | Path] = [python, "-P", "-c", READER_PROGRAM, GOLDEN, tmp_path / "logs"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0, done.stderr
    logs = {(log["agent"], log["condition"]): log for log in json.loads(done.stdout)}
    rows = {(row.agent, row.condition): row for row in run.results()}
    assert logs.keys() == rows.keys()
    # Inspect's viewer hides a log if a later log has the same task id.
    assert len({log["task_id"] for log in logs.values()}) == len(rows)
    steps, ledger = list(run.steps()), list(run.ledger())
    for about, log in logs.items():
        row = rows[about]
        assert (log["status"], log["accuracy"], log["scored"]) == (
            "success",
            row.successes / row.episodes,
            row.episodes,
        )
        assert sum(sample["score"] == "C" for sample in log["samples"]) == row.successes
        for sample in log["samples"]:
            own = [
                step for step in steps if (step["agent"], step["condition"], step["task"]) == (*about, sample["task"])
            ]
            assert sample["actions"] == [step["action"] for step in own if step["action"]]
            assert sample["tools"] == len(sample["actions"])
            lines = [
                line for line in ledger if (line["agent"], line["condition"], line["task"]) == (*about, sample["task"])
            ]
            assert sample["ledger"] == len(lines)
            assert len(sample["identity"]) == 16
            assert sample["input"] != sample["task"]


@pytest.mark.audit
@pytest.mark.timeout(900)
def test_an_error_is_a_sample_without_a_score(tmp_path: Path) -> None:
    python = python_with_inspect(tmp_path)
    cell = Cell(agent="naive", task="market/gone", condition="clean", world=0)
    with Store.create(tmp_path / "run" / FILE, meta([cell]), [cell]) as store:
        store.save(EpisodeRecord(cell, "error", message="no browser", traceback="Traceback"))
    command: list[str | Path] = [python, "-P", "-c", READER_PROGRAM, tmp_path / "run", tmp_path / "logs"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == 0, done.stderr
    ((log,),) = [json.loads(done.stdout)]
    assert (log["accuracy"], log["scored"], log["unscored"]) == (0, 0, 1)
    assert [(sample["score"], sample["error"], sample["input"]) for sample in log["samples"]] == [
        (None, "no browser", "market/gone")
    ]
