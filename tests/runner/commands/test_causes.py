"""`stressweb shrink`, `fork` and `breaking-point` on a run of a real site, each in a separate process."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import stressweb as sw
from stressweb.log.causes import FILE
from tests.support.small_tree import ROOT

pytestmark = [pytest.mark.long, pytest.mark.sample(4, "file")]

TASK = "first-hit"
EPISODE = f"{TASK}|naive|remap@5"

type Call = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one run, in which `naive` fails once."""
    folder = tmp_path_factory.mktemp("runs")
    experiment = sw.Experiment(agents=("naive",), tasks=(f"shop/{TASK}",), conditions=("remap@5",))
    sw.run(experiment, name="one", runs_dir=folder, workers=1)
    return folder


def program(*arguments: object) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_S")}
    command = [sys.executable, "-P", "-m", "stressweb", *map(str, arguments)]
    done = subprocess.run(
        command, env={**environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.audit
def test_the_cause_of_a_real_failure_is_found_and_shown(runs: Path) -> None:
    before = (runs / "one" / "run.db").read_bytes()
    output = json.loads(program("shrink", "one", EPISODE, "--runs-dir", runs, "--json"))
    assert output["verdict"] in ("caused by", "overdetermined")
    assert output["causes"]
    assert output["sufficient"]
    step = output["causes"][0]["step"]
    effect = program("fork", "one", EPISODE, "--step", step, "--runs-dir", runs)
    assert re.fullmatch(
        rf"step {step}: with .*, 0 of 1 passed; without it, (1 of 1 passed|0 of 1 passed: it fails without it, too, at .*)\n",
        effect,
    )
    stored = json.loads((runs / "one" / FILE).read_text("utf-8"))["episodes"][output["episode"]]
    assert stored["answer"]["verdict"] == output["verdict"]
    assert list(stored["effects"]) == [str(step)]
    # The recording does not change.
    assert (runs / "one" / "run.db").read_bytes() == before
    report = sw.open_run(runs / "one").report()
    assert report.exists()


@pytest.mark.audit
def test_a_breaking_point_is_found(runs: Path) -> None:
    options = ["--agent", "naive", "--mode", "remap", "--task", f"shop/{TASK}", "--stress-seeds", "0,1", "--json"]
    points = json.loads(program("breaking-point", *options))["points"]
    assert [point["stress_seed"] for point in points] == [0, 1]
    assert all(0 < point["rate"] < 1 for point in points)
    assert all(point["exact"] and point["monotone"] for point in points)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shrink", "two", EPISODE], "unknown run 'two'"),
        (["shrink", "one", "first-hot|naive"], "did you mean shop/first-hit|naive|"),
        (["shrink", "one", TASK], f"episode '{TASK}' matches 2 episodes"),
        (["shrink", "one", f"{TASK}|naive|clean"], "passed, so there is nothing to shrink"),
        (["fork", "one", EPISODE, "--step", "99"], "has no step 99"),
        (["breaking-point", "--mode", "falure"], "did you mean failure"),
        (["breaking-point", "--mode", "noise"], "mode noise has no rate"),
        (["breaking-point", "--agent", "model"], "needs the name of a model"),
        (["breaking-point", "--stress-seeds", "x"], "stress-seeds 'x'"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(runs: Path, call: Call, arguments: list[str], message: str) -> None:
    before = {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()}
    where = ["--runs-dir", str(runs)] if arguments[0] != "breaking-point" else []
    status, out, err = call(*arguments, *where)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()} == before
