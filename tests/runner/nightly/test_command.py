"""`stressweb nightly` from the command line: statuses, files, output and dry runs."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from stressweb.analysis.margin import margin
from stressweb.runner.commands.cli import cli, guarded
from tests.runner.nightly.synthetic_nights import SHOP, Stage, failing

type Result = tuple[int, str, str]


@pytest.fixture
def call(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stage: Stage
) -> Callable[..., Result]:
    """Run `stressweb nightly` on the shop's tasks, with synthetic episodes."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STRESSWEB_")]:
        monkeypatch.delenv(name)

    def _call(*arguments: str) -> Result:
        whole = ["nightly", "--task", "shop/*", *arguments]
        status = guarded(lambda: cli.main(whole, standalone_mode=False))
        return status, *capfd.readouterr()

    return _call


def suite(stage: Stage) -> ET.Element:
    (testsuite,) = ET.parse(stage.history.folder / "junit.xml").getroot()
    return testsuite


def test_baseline_unchanged_regressed(call: Callable[..., Result], stage: Stage) -> None:
    stage.families = True
    status, out, _ = call()
    assert status == 0
    assert "resilient: baseline, 12 tasks; the next nights will be compared with it" in out
    assert [case[0].tag for case in suite(stage)] == ["skipped", "skipped"]
    status, out, _ = call()
    assert status == 0
    assert "resilient: unchanged (36); night 1, 12 tasks of 6 families, 12 of 12 blocks, 100 % equal" in out
    assert "page of the nights: nightly/nights.html" in out
    assert suite(stage).attrib["failures"] == suite(stage).attrib["skipped"] == "0"
    stage.outcome = lambda cell: cell.condition != "remap@3"
    status, out, _ = call("--agent", "resilient(-gesture)")
    assert status == 1
    assert "resilient(-gesture) (baseline: resilient): regressed; night 2" in out
    assert "rerun: regressed: −50 points" in out
    assert "stressweb run --task shop/profile --agent 'resilient(-gesture)' --mode remap@3" in out
    assert (suite(stage).attrib["failures"], suite(stage).attrib["tests"]) == ("13", "14")
    page = (stage.history.folder / "nights.html").read_text()
    assert "resilient(-gesture), against resilient: regressed" in page
    status, out, _ = call("--json")
    assert (json.loads(out)["agents"][0]["outcome"], json.loads(out)["status"], status) == ("regressed", 1, 1)


def test_an_unconfirmed_regression_is_no_failure(call: Callable[..., Result], stage: Stage) -> None:
    call()
    stage.outcome = failing(*SHOP, stress=0)
    status, out, _ = call()
    assert (status, "resilient: not confirmed" in out) == (0, True)
    assert suite(stage).attrib["failures"] == "0"
    (robustness, *_) = suite(stage)
    assert "not confirmed on a fresh stress seed" in robustness[0].attrib["message"]


def test_incomparable_nights_have_status_3(call: Callable[..., Result], stage: Stage) -> None:
    stage.outcome = lambda cell: None if cell.task in SHOP[:3] else True
    status, out, err = call()
    assert (status, out) == (3, "")
    assert "not comparable: resilient: at least 90 % of the blocks must be complete" in err
    assert suite(stage).attrib["errors"] == "1"
    stage.outcome = lambda cell: True
    call()
    stage.outcome = lambda cell: None if cell.task in SHOP[:3] else True
    status, out, _ = call()
    assert (status, "resilient: not comparable" in out) == (3, True)
    assert suite(stage).attrib["errors"] == "2"


def test_a_dry_run_says_size_and_margin_and_makes_nothing(call: Callable[..., Result], tmp_path: Path) -> None:
    status, out, _ = call("--dry-run")
    assert status == 0
    assert "tonight records the baseline: 60 episodes, all tasks, once" in out
    assert "36 episodes a night: 12 tasks of 6 families (12 tasks in all), clean, remap@3, failure@3, resilient" in out
    assert f"margin for robustness: {-(-100 * (margin(12, 1, 2, 6) or 0) // 1):.0f} points" in out
    assert list(tmp_path.iterdir()) == []
    call()
    status, out, _ = call("--dry-run", "--limit", "5")
    assert "records the baseline" not in out
    assert re.search(r"15 episodes a night: 5 tasks( of \d families)? \(12 tasks in all\)", out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agent", "resiliant"), "unknown agent 'resiliant'; did you mean"),
        (("--mode", "remapp"), "unknown mode 'remapp'; did you mean remap?"),
        (("--baseline", "gone"), "unknown run 'gone'"),
        (("gone.yaml",), "gone.yaml: cannot be read"),
    ],
)
def test_a_mistake_gets_one_line_and_makes_no_run(
    call: Callable[..., Result], stage: Stage, arguments: tuple[str, ...], message: str
) -> None:
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert stage.played == []
    assert not stage.history.folder.exists()


def test_options_override_the_file_of_a_night(call: Callable[..., Result], stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("agents: [naive]\nconditions: [popup@2]\nlimit: 4\nmax_steps: 50\n")
    assert call("mine.yaml", "--agent", "resilient(-retry)")[0] == 0
    (_, plan, _) = stage.played[-1]
    assert (len(plan.tasks), [str(agent) for agent in plan.agents]) == (12, ["resilient(-retry)"])
    assert ([str(condition) for condition in plan.conditions], plan.max_steps) == (["clean", "popup@2"], 50)
    assert call("mine.yaml", "--agent", "resilient(-retry)")[0] == 0
    assert len(stage.played[-1][1].tasks) == 4
    # Without the file the night follows the baseline.
    assert call()[0] == 0
    assert [str(agent) for agent in stage.played[-1][1].agents] == ["resilient(-retry)"]
