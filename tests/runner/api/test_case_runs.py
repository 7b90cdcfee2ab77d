"""Test cases run, shard, merge, compare, export, regrade and report as tasks do; constant testers need no pages."""

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest

import stressweb as sw
from stressweb.analysis.graded import Graded
from stressweb.runner import registry
from stressweb.runner.commands.compare import compare_runs
from stressweb.runner.outcome.merging import merge

pytestmark = pytest.mark.audit

PASSING = "cases/food/new-address"
CASES = (PASSING, f"{PASSING}#F1", f"{PASSING}#B1", "cases/food/third-fastest")
TESTERS = ("always-pass", "always-fail")


def verdicts(episodes: list[Graded]) -> dict[tuple[str, ...], str]:
    return {(episode.agent, episode.task, episode.condition): episode.judged for episode in episodes}


def test_everything_that_does_tasks_does_test_cases(tmp_path: Path) -> None:
    def run(name: str, shard: str | None = None) -> sw.Run:
        experiment = sw.Experiment(agents=TESTERS, tasks=CASES, conditions=["failure@3"], shard=shard)
        return sw.run(experiment, name=name, runs_dir=tmp_path, workers=1)

    whole = run("whole")
    expected = verdicts(whole.episodes())
    assert len(expected) == len(TESTERS) * len(CASES) * 2
    assert {expected["always-pass", case, "clean"] for case in CASES} == {"TN", "FN"}
    assert expected["always-fail", PASSING, "failure@3"] == "FP"

    parts = [run("part1", "1/2"), run("part2", "2/2")]
    assert all(0 < len(part.episodes()) < len(expected) for part in parts)
    merged = sw.open_run(merge([part.path for part in parts], tmp_path, "merged"))
    assert verdicts(merged.episodes()) == expected

    regraded = whole.grade()
    assert (regraded["changed"], regraded["altered"]) == ([], {})
    assert verdicts(whole.episodes()) == expected
    assert compare_runs(["whole", "merged"], None, (), tmp_path, None, as_json=True) == 0

    suite = ElementTree.parse(whole.export("junit") / "junit.xml")
    failures = [element for element in suite.iter("testcase") if element.find("failure") is not None]
    alarms = [name for name, judged in expected.items() if name[0] == "always-fail"]
    assert len(failures) == len(alarms)
    case = registry.Library().goal(PASSING, 0).case
    assert case is not None
    messages = [element.get("message") or "" for failure in failures for element in failure.iter("failure")]
    assert any(case.steps[0].action in message for message in messages)
    folder = whole.export("csv")
    rows = [*csv.DictReader((folder / "episodes.csv").open(encoding="utf-8", newline=""))]
    assert {(row["agent"], row["task"], row["condition"]): row["judged"] for row in rows} == expected
    assert "false alarms" in whole.report().read_text("utf-8")
