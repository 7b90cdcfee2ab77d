"""The command line: every mistake gets one line and its status, and existing runs stay as they were."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.cli import cli, guarded
from runner.listing import task_ids
from runner.plan import Plan
from runner.runs import closing
from stressweb.errors import InfrastructureError, UserError
from stressweb.power import tasks_needed
from stressweb.recording import Cell
from stressweb.store import FILE, Store
from tests.runner.conftest import damaged_runs

type Result = tuple[int, str, str]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run the command line in this process, away from the tree's own runs."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STRESSWEB_") and name != "STRESSWEB_BROWSER"]:
        monkeypatch.delenv(name)

    def _call(*arguments: str, **environment: str) -> Result:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        status = guarded(lambda: cli.main(list(arguments), standalone_mode=False))
        out, err = capfd.readouterr()
        return status, out, err

    return _call


@pytest.fixture
def existing(tmp_path: Path) -> Path:
    path = tmp_path / "runs" / "old" / FILE
    plan = Plan(agents=("naive",), tasks=(task_ids()[0],), conditions=("clean",))
    Store.create(path, {"plan": plan.model_dump()}, plan.cells()).close()
    return path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run --mode rmap", "unknown mode 'rmap'; choose from clean, sham, remap"),
        ("run --mode remap@6", "severity 6 of mode 'remap' is outside 0 to 5"),
        ("run --mode remap@-1", "severity -1 of mode 'remap' is outside 0 to 5"),
        ("run --mode remap(shar=1)", "parameter 'shar' of mode"),
        ("run --mode remap(share=2)", "parameter 'share' of mode"),
        ("run --task nothing", "unknown task 'nothing'; choose from"),
        ("run --agent nobody", "unknown agent 'nobody'; there are model, naive"),
        ("run --agent resilient(-wings)", "unknown option '-wings'; there are"),
        ("run --agent model", "agent 'model' needs the name of a model: --model NAME"),
        ("run --agent model --model a,b", "model 'a,b' is no name of a model"),
        ("run --model small", "model small is asked by no agent of this run: naive, resilient"),
        ("run --agent model(model=other) --model small", "asked by no agent of this run: model(model=other)"),
        (
            "run --agent model --model small --base-url localhost:1",
            "base-url 'localhost:1' is no http or https address",
        ),
        ("run --agent model --model small --base-url http://127.0.0.1:1/v1", "nobody answers at http://127.0.0.1:1/v1"),
        ("run --resume --run old --model small", "model small is asked by no agent of this run: naive"),
        ("run --seed -1", "'--seed'"),
        ("run --workers 0", "'--workers'"),
        ("run --limit 0", "'--limit'"),
        ("run --run ../out", "is not a plain folder name"),
        ("run --run old", "exists; choose another name, or continue it with --resume"),
        ("run --resume", "resume needs the name of the run"),
        ("run --resume --run new", "does not exist"),
        ("run --resume --run old --agent null", "agent differs from what run runs/old was made with: naive"),
        ("run --runs-dir runs/old/run.db", "cannot be written"),
        ("grade new", "no run 'new' in runs; there are old"),
        ("list shops", "'shops' is not one of 'sites', 'tasks', 'modes', 'agents'"),
        ("serve market", "unknown site 'market'; choose from"),
        ("serve --mode remap,failure", "is several conditions"),
        ("frobnicate", "No such command 'frobnicate'"),
    ],
)
def test_a_mistake_gets_one_line_and_changes_nothing(
    call: Callable[..., Result], existing: Path, arguments: str, said: str
) -> None:
    before = existing.read_bytes()
    status, out, err = call(*arguments.split())
    assert (status, out) == (2, "")
    assert said in err
    assert err.startswith("stressweb: ")
    assert err.count("\n") == 1
    assert existing.read_bytes() == before
    assert [path.name for path in existing.parent.parent.iterdir()] == ["old"]


@pytest.mark.parametrize("arguments", ["run --resume --run old", "grade old"])
@damaged_runs
def test_a_damaged_run_stays_as_it_is(
    call: Callable[..., Result], existing: Path, arguments: str, damage: Callable[[bytes], bytes], said: str
) -> None:
    data = damage(existing.read_bytes())
    existing.write_bytes(data)
    status, _, err = call(*arguments.split())
    assert (status, err.count("\n")) == (2, 1)
    assert said in err
    assert existing.read_bytes() == data


def test_no_browser(call: Callable[..., Result], tmp_path: Path) -> None:
    status, _, err = call("run", STRESSWEB_BROWSER=str(tmp_path / "none"))
    assert (status, err.count("\n")) == (2, 1)
    assert "STRESSWEB_BROWSER is" in err
    assert not (tmp_path / "runs").exists()


def test_a_browser_that_does_not_start_is_told(call: Callable[..., Result], tmp_path: Path) -> None:
    fake = tmp_path / "browser"
    fake.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Fake 1.0 && exit 0\nexit 1\n')
    fake.chmod(0o755)
    status, _, err = call("run", "--limit", "1", "--workers", "1", STRESSWEB_BROWSER=str(fake))
    assert (status, err.count("\n")) == (2, 1)
    assert "does not start" in err


def test_a_port_in_use() -> None:
    site = task_ids()[0].partition("/")[0]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        # In a process of its own: one mitmproxy master to a process.
        command = [sys.executable, "-m", "stressweb", "serve", site, "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"port {port} cannot be listened on" in done.stderr


def test_flag_over_environment_over_default(call: Callable[..., Result]) -> None:
    def labels(*arguments: str, **environment: str) -> list[str]:
        status, out, _ = call("run", "--dry-run", "--json", "--limit", "1", *arguments, **environment)
        assert status == 0
        return json.loads(out)["plan"]["conditions"]

    assert labels() == ["clean", "remap@3"]
    assert labels(STRESSWEB_MODE="") == ["clean", "remap@3"]
    assert labels(STRESSWEB_MODE="failure@2,noise") == ["clean", "failure@2", "noise@3"]
    assert labels("--mode", "failure+remap", STRESSWEB_MODE="noise") == ["clean", "remap@3+failure@3"]
    assert labels("--mode", "all")[:3] == ["clean", "remap@3", "remap_explicit@3"]


def test_limit_counts_tasks_and_epochs_take_new_stress_seeds(call: Callable[..., Result]) -> None:
    _, out, _ = call("run", "--dry-run", "--json", "--limit", "2", "--epochs", "2", "--stress-seed", "5", "--seed", "3")
    cells = [Cell.model_validate(cell) for cell in json.loads(out)["cells"]]
    assert len(cells) == len({cell.key for cell in cells}) == 2 * 2 * 2 * 2
    assert {(cell.world, cell.stress, cell.epoch) for cell in cells} == {(3, 5, 0), (3, 6, 1)}


def test_a_dry_run_says_what_its_plan_can_detect(call: Callable[..., Result]) -> None:
    _, out, _ = call("run", "--dry-run", "--mode", "remap,noise,sham", "--limit", "12", "--epochs", "3")
    assert "12 tasks with 3 episodes of each in each condition" in out
    assert "adjusted for 2 conditions" in out
    for repeats in (1, 3, 5):
        needed = [f"{tasks_needed(loss, repeats, 2):,}" for loss in (0.05, 0.10, 0.15)]
        assert re.search(rf"{repeats} episodes?\s+" + r"\s+".join(needed), out)
    _, out, _ = call("run", "--dry-run", "--mode", "clean")
    assert "Power" not in out


@pytest.mark.parametrize(
    ("folder", "runs_dir", "width", "last"),
    [
        ("runs/a", "runs", 80, "runs/a   next: stressweb report a"),
        ("runs/a b", "runs", 80, "runs/a b   next: stressweb report 'a b'"),
        ("there/a", "there", 80, "there/a   next: stressweb report there/a"),
        ("runs/" + "a" * 30, "runs", 80, f"runs/{'a' * 30}\n next: stressweb report {'a' * 30}"),
    ],
)
def test_the_last_line_is_the_next_command(folder: str, runs_dir: str, width: int, last: str) -> None:
    assert closing(Path(folder), Path(runs_dir), width) == last


@pytest.mark.parametrize("what", ["sites", "tasks", "modes", "agents"])
def test_lists(call: Callable[..., Result], what: str) -> None:
    status, out, _ = call("list", what, "--json")
    listed = json.loads(out)
    assert status == 0
    assert listed
    status, out, _ = call("list", what)
    assert [line.split()[0] for line in out.splitlines()] == [line[what.removesuffix("s")] for line in listed]


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["list", "modes"], ["list", "agents"]])
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from runner.cli import cli, guarded\n"
        f"status = guarded(lambda: cli.main({arguments!r}, standalone_mode=False))\n"
        "heavy = {'mitmproxy', 'playwright', 'scipy', 'flask'} & set(sys.modules)\n"
        "sys.exit(f'{status} {heavy}' if status or heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("raised", "status"),
    [(UserError("a\nb"), 2), (InfrastructureError("x"), 3), (KeyError("x"), 3), (KeyboardInterrupt(), 130)],
)
def test_exit_statuses(raised: BaseException, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise raised

    assert guarded(command) == status
    assert capsys.readouterr().err.count("\n") == 1


def test_run_and_grade(call: Callable[..., Result]) -> None:
    status, out, err = call("run", "--limit", "1", "--agent", "null", "--workers", "1", "--run", "one", "--json")
    assert (status, err) == (0, "")
    said = json.loads(out)
    assert (said["run"], said["errors"]) == ("runs/one", 0)
    assert [(row["agent"], row["condition"], row["successes"]) for row in said["rows"]] == [
        ("null", "clean", 0),
        ("null", "remap@3", 0),
    ]
    status, out, err = call("grade", "one", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {**said, "regraded": 0}
    status, out, _ = call("grade", "one")
    assert "the test decides" not in " ".join(out.split())
    assert out.splitlines()[-1].split() == ["runs/one", "next:", "stressweb", "report", "one"]
    assert max(map(len, out.splitlines())) <= 80
    status, explained, _ = call("grade", "one", "--explain")
    assert "the test decides" in " ".join(explained.split())
    status, out, _ = call("run", "--resume", "--run", "one")
    assert status == 0
    assert out.endswith("next: stressweb report one\n")
