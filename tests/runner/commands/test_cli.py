"""The command line: every mistake gets one line and its exit status, and existing runs do not change."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.core.browser_program import find_browser
from stressweb.core.errors import InfrastructureError, UserError
from stressweb.core.suite import SUITE
from stressweb.log.recording import Cell
from stressweb.log.store import FILE, Store
from stressweb.plugins.scripted_model import ScriptedModel
from stressweb.runner.commands.cli import cli, guarded
from stressweb.runner.execution import start
from stressweb.runner.execution.listener import Listener
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry import Library, engine, site_names, task_ids
from tests.runner.commands.command_line import Result
from tests.runner.damaged import damaged_runs
from tests.support.plans import plan as planned

pytestmark = pytest.mark.sample(20, "file")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run --mode rmap", "unknown mode 'rmap'; did you mean remap? There are clean, sham, remap"),
        ("run --mode remap@6", "severity 6 of mode 'remap' is outside 0 to 5"),
        ("run --mode remap@-1", "severity -1 of mode 'remap' is outside 0 to 5"),
        ("run --mode remap(shar=1)", "parameter 'shar' of mode"),
        ("run --mode remap(share=2)", "parameter 'share' of mode"),
        ("run --mode remap+remap_explicit@2", "has remap_explicit, which does all that remap does; name only one"),
        ("run --mode clean+remap", "mode 'clean+remap': clean means that nothing is disturbed, so it is not joined"),
        ("run --task nothing", "unknown task 'nothing'; `stressweb list tasks` lists all 30"),
        ("run --task profil", "unknown task 'profil'; did you mean shop/profile"),
        ("run --task market/*", "task 'market/*' matches no task"),
        ("run --exclude market/*", "exclude 'market/*' does not match any of the 30 chosen tasks"),
        ("run --exclude *", "exclude '*' leaves no task of 30"),
        ("run --agent nobody", "unknown agent 'nobody'; there are model, naive"),
        ("run --agent niave", "unknown agent 'niave'; did you mean naive? There are model, naive"),
        ("run --agent resilient(-wings)", "unknown option '-wings'; there are"),
        ("run --agent model", "agent 'model' needs the name of a model: pass --model NAME"),
        ("run --agent model --model a,b", "model 'a,b' is not a valid model name"),
        ("run --model small", "no agent of this run uses model small: naive, resilient"),
        ("run --agent model(model=other) --model small", "no agent of this run uses model small: model(model=other)"),
        (
            "run --agent model --model small --base-url localhost:1",
            "base-url 'localhost:1' is not an http or https URL",
        ),
        ("run --agent model --model small --base-url http://127.0.0.1:1/v1", "no answer from http://127.0.0.1:1/v1"),
        ("run --resume --run old --model small", "no agent of this run uses model small: naive"),
        ("run --mode remap(share=2)", "is 2; it takes at most 1; the parameters of remap are share"),
        ("run --seed -1", "'--seed'"),
        ("run --seed x", "'x' is no seed; a seed is a whole number from 0 on"),
        ("serve --stress-seed x", "'x' is no seed; a seed is a whole number from 0 on"),
        (
            "run --stress-seeds 3..1",
            "stress-seeds '3..1': '3..1' is not a seed; a stress seed is a whole number from 0 on",
        ),
        ("run --stress-seeds 1,,2", "stress-seeds '1,,2': '' is not a seed"),
        ("run --stress-seed -1", "stress-seeds '-1': '-1' is not a seed"),
        ("run --stress-seeds 0..99999", "is more than 1000 seeds"),
        ("run --workers 0", "'--workers'"),
        ("run --in-flight 0", "'--in-flight'"),
        ("run --in-flight 100000", "1 worker with 100000 episodes in flight each need about 15000.5 GB of memory"),
        ("run --limit 0", "'--limit'"),
        ("run --run ../out", "is not a plain folder name"),
        ("run --run old", "exists; choose another name, or continue it with --resume"),
        ("run --resume", "resume needs the name of the run"),
        ("run --resume --run new", "does not exist"),
        ("run --resume --run old --agent null", "agent differs from what run runs/old was made with: naive"),
        ("run --runs-dir runs/old/run.db", "cannot be written"),
        ("grade new", "unknown run 'new'; there are old in runs"),
        ("grade odl", "unknown run 'odl'; did you mean old? There are old in runs"),
        ("report odl", "unknown run 'odl'; did you mean old? There are old in runs"),
        ("list shops", "'shops' is not one of 'sites', 'tasks', 'modes', 'agents'"),
        ("serve market", f"unknown site 'market'; there are {', '.join(site_names())}"),
        ("serve --mode remap,failure", "has several conditions"),
        ("frobnicate", "No such command 'frobnicate'"),
    ],
)
def test_a_mistake_gets_one_line_and_changes_nothing(
    call: Callable[..., Result], existing: Path, arguments: str, message: str
) -> None:
    before = existing.read_bytes()
    status, out, err = call(*arguments.split())
    assert (status, out) == (2, "")
    assert message in err
    assert err.startswith("stressweb: ")
    assert err.count("\n") == 1
    assert existing.read_bytes() == before
    assert [path.name for path in existing.parent.parent.iterdir()] == ["old"]


@pytest.mark.parametrize("occupied", ["old", "broken"])
def test_an_existing_name_is_refused_before_worlds_are_drawn(
    call: Callable[..., Result], existing: Path, occupied: str
) -> None:
    """Drawing them takes seconds. A task that does not exist would be named first, before any world is drawn."""
    runs = existing.parent.parent
    (runs / "broken").symlink_to(runs / "nowhere")
    line = f"stressweb: run runs/{occupied} exists; choose another name, or continue it with --resume\n"
    assert call("run", "--run", occupied, "--task", "shop/none") == (2, "", line)
    with pytest.raises(UserError, match="exists; choose another name"):
        start.play(Experiment(tasks=("shop/none",)), start.Place(name=occupied, runs_dir=runs), Listener())


@pytest.mark.parametrize("arguments", ["run --resume --run old", "grade old"])
@damaged_runs
def test_a_damaged_run_stays_as_it_is(
    call: Callable[..., Result], existing: Path, arguments: str, damage: Callable[[bytes], bytes], message: str
) -> None:
    data = damage(existing.read_bytes())
    existing.write_bytes(data)
    status, _, err = call(*arguments.split())
    assert (status, err.count("\n")) == (2, 1)
    assert message in err
    assert existing.read_bytes() == data


def test_no_browser(call: Callable[..., Result], tmp_path: Path) -> None:
    status, _, err = call("run", STRESSWEB_BROWSER=str(tmp_path / "none"))
    assert (status, err.count("\n")) == (2, 1)
    assert "STRESSWEB_BROWSER is" in err
    assert not (tmp_path / "runs").exists()


@pytest.mark.audit
def test_a_browser_that_does_not_start_is_reported(call: Callable[..., Result], tmp_path: Path) -> None:
    fake = tmp_path / "browser"
    fake.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Fake 1.0 && exit 0\nexit 1\n')
    fake.chmod(0o755)
    status, _, err = call("run", "--limit", "1", "--workers", "1", STRESSWEB_BROWSER=str(fake))
    assert status == 3
    assert f"no worker process started in 3 attempts: browser {fake} does not start" in err.splitlines()[-1]
    assert all(line.startswith("stressweb: 0 of 4 episodes done, ") for line in err.splitlines()[:-1])


def test_a_port_in_use() -> None:
    site = task_ids()[0].partition("/")[0]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        # In a separate process: mitmproxy allows one master per process.
        command = [sys.executable, "-m", "stressweb", "serve", site, "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"port {port} cannot be opened" in done.stderr


def test_flag_over_environment_over_default(call: Callable[..., Result]) -> None:
    def labels(*arguments: str, **environment: str) -> list[str]:
        status, out, _ = call("run", "--dry-run", "--json", "--limit", "1", *arguments, **environment)
        assert status == 0
        return list(dict.fromkeys(cell["condition"] for cell in json.loads(out)["cells"]))

    assert labels() == ["clean", "remap@3"]
    assert labels(STRESSWEB_MODE="") == ["clean", "remap@3"]
    assert labels(STRESSWEB_MODE="failure@2,noise") == ["clean", "failure@2", "noise@3"]
    assert labels("--mode", "failure+remap", STRESSWEB_MODE="noise") == ["clean", "remap@3+failure@3"]
    assert labels("--mode", "all")[:3] == ["clean", "remap@3", "remap_explicit@3"]


def test_limit_counts_tasks_and_epochs_keep_the_draws(call: Callable[..., Result]) -> None:
    _, out, _ = call("run", "--dry-run", "--json", "--limit", "2", "--epochs", "2", "--stress-seed", "5", "--seed", "3")
    cells = [Cell.model_validate(cell) for cell in json.loads(out)["cells"]]
    assert len(cells) == len({cell.key for cell in cells}) == 2 * 2 * 2 * 2
    assert {(cell.condition, cell.world, cell.stress, cell.epoch) for cell in cells} == {
        ("clean", 3, None, 0), ("clean", 3, None, 1), ("remap@3", 3, 5, 0), ("remap@3", 3, 5, 1)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("--stress-seeds", "4,0..2"), {}),
        (("--stress-seed", "4,0..2"), {}),
        ((), {"STRESSWEB_STRESS_SEEDS": "4,0..2"}),
        ((), {"STRESSWEB_STRESS_SEED": "4,0..2"}),
    ],
)
def test_stress_seeds_vary_the_draws(
    call: Callable[..., Result], arguments: tuple[str, ...], environment: dict[str, str]
) -> None:
    _, out, _ = call("run", "--dry-run", "--json", "--limit", "1", "--agent", "naive", *arguments, **environment)
    cells = json.loads(out)["cells"]
    assert [(cell["condition"], cell["stress"], cell["epoch"]) for cell in cells] == [
        ("clean", None, 0), ("remap@3", 4, 0), ("remap@3", 0, 0), ("remap@3", 1, 0), ("remap@3", 2, 0)
    ]  # fmt: skip


def test_a_resumed_run_keeps_its_stress_seeds(call: Callable[..., Result], existing: Path) -> None:
    status, _, err = call("run", "--resume", "--run", "old", "--stress-seeds", "0..2")
    assert status == 2
    assert err.startswith(
        "stressweb: stress-seeds differs from what run runs/old was made with: 0; leave stress-seeds out"
    )
    assert call("run", "--resume", "--run", "old", "--stress-seeds", "0", "--dry-run")[0] == 0


def test_a_model_runs_clean_twice(call: Callable[..., Result]) -> None:
    """Every run measures the variation of a non-deterministic agent by two clean episodes."""
    with ScriptedModel("Left.") as server:
        base = ("--model", "small", "--base-url", server.url)
        _, out, _ = call("run", "--dry-run", "--json", "--limit", "1", "--agent", "naive,model", *base)
    output = json.loads(out)
    assert [(agent["label"], agent["deterministic"]) for agent in output["plan"]["agents"]] == [
        ("naive", True),
        ("model(model=small)", False),
    ]
    assert [(cell["agent"], cell["condition"], cell["epoch"]) for cell in output["cells"]] == [
        ("naive", "clean", 0), ("naive", "remap@3", 0),
        ("model(model=small)", "clean", 0), ("model(model=small)", "clean", 1), ("model(model=small)", "remap@3", 0),
    ]  # fmt: skip


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["list", "modes"], ["list", "agents"]])
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from stressweb.runner.commands.cli import cli, guarded\n"
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


def test_an_internal_error_shows_its_traceback_only_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> None:
        raise KeyError("planted")

    def debugged() -> None:
        cli.main(["--debug", "list", "sites"], standalone_mode=False)
        raise KeyError("planted")

    assert guarded(command) == 3
    plain = capsys.readouterr().err
    assert plain == "stressweb: internal error: KeyError: 'planted' (--debug shows the traceback)\n"
    assert guarded(debugged) == 3
    traced = capsys.readouterr().err
    assert traced.startswith("Traceback (most recent call last):")
    assert ", in debugged" in traced
    assert traced.endswith("stressweb: internal error: KeyError: 'planted'\n")
    assert guarded(command) == 3
    assert capsys.readouterr().err == plain, "--debug applies to one call only"


@pytest.mark.parametrize("command", ["run", "list", "serve", "grade", "report", "doctor"])
def test_every_command_takes_debug(command: str) -> None:
    assert "--debug" in {name for parameter in cli.commands[command].params for name in parameter.opts}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"version": "0.0.1"}, "was made with stressweb 0.0.1 and this is stressweb "),
        ({"browser": "Chromium 99.0.1"}, "was made with browser 99 and this is browser "),
        ({"engine": "0123456789abcdef"}, "was made with engine 0123456789abcdef and this is engine "),
        ({"engine": None}, "was made with engine unknown and this is engine "),
    ],
)
def test_a_run_of_another_engine_is_not_resumed(
    call: Callable[..., Result], existing: Path, changed: dict[str, str | None], message: str
) -> None:
    plan = planned(agents=("null",), tasks=(task_ids()[0],), conditions=("clean",))
    path = existing.parent.parent / "other" / FILE
    meta = {"plan": plan.model_dump(), **engine.current(find_browser().version), **changed}
    Store.create(path, meta, plan.cells()).close()
    before = path.read_bytes()
    status, out, err = call("run", "--resume", "--run", "other")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert path.read_bytes() == before


def test_a_newer_build_of_the_same_browser_may_resume() -> None:
    meta = {"version": "1", "browser": "Chromium 156.0.1", "engine": "a"}
    engine.check(Path("x"), meta, {**meta, "browser": "Chromium 156.0.2"})


def test_run_and_grade(call: Callable[..., Result]) -> None:
    status, out, err = call("run", "--limit", "1", "--agent", "null", "--workers", "1", "--run", "one", "--json")
    assert (status, err) == (0, "")
    output = json.loads(out)
    assert (output["run"], output["errors"]) == ("runs/one", 0)
    assert [(row["agent"], row["condition"], row["successes"]) for row in output["rows"]] == [
        ("null", "clean", 0),
        ("null", "remap@3", 0),
    ]
    with Store.open(Path("runs/one") / FILE) as store:
        assert store.meta()["suite"] == SUITE
        assert store.meta()["goals"] == {task_ids()[0]: {"0": Library().goal(task_ids()[0], 0).text}}
        known = {cell.condition: store.identities()[cell.key] for cell in store.cells()}
    listed = {line["task"]: line["identity"] for line in json.loads(call("list", "tasks", "--json")[1])}
    assert known["clean"] == listed[task_ids()[0]] != known["remap@3"]
    status, out, err = call("grade", "one", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out) == {**output, "regraded": 0, "altered": []}
    status, out, _ = call("grade", "one")
    assert "the test decides" not in " ".join(out.split())
    assert out.splitlines()[-1].split() == ["runs/one", "next:", "stressweb", "report", "one"]
    assert max(map(len, out.splitlines())) <= 80
    status, explained, _ = call("grade", "one", "--explain")
    assert "the test decides" in " ".join(explained.split())
    status, out, _ = call("run", "--resume", "--run", "one")
    assert status == 0
    assert out.endswith("next: stressweb report one\n")
