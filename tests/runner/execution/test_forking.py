"""Workers that are forks of their parent: they inherit its worlds, and act like workers that start anew."""

import io
import json
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from stressweb.log.store import FILE, Store
from stressweb.runner.commands.progress import progress

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks workers")

FORK = """
    import os, signal, sys, threading, time
    from pathlib import Path
    from stressweb.runner.execution.forking import ForkedProcess

    def forked(work):
        with open(sys.argv[1], "ab") as log:
            return ForkedProcess(work, log, {"ONLY": "this"})
"""
PLUG_IN = """
from stressweb import Agent

class Mine(Agent):
    name = "mine"

    def act(self, observation):
        return None
"""
RUN = """
    import os, sys, threading
    from pathlib import Path
    import stressweb
    from stressweb.sites.kit import KitSite

    draw = KitSite.world

    def noted(site, seed):
        with open(sys.argv[1], "a") as notes:
            print(os.getpid(), site.name, seed, file=notes)
        return draw(site, seed)

    def note_fork():
        with open(sys.argv[1], "a") as notes:
            print("fork", file=notes)

    KitSite.world = noted
    os.register_at_fork(after_in_child=note_fork)
    if sys.argv[2] == "threads":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    experiment = stressweb.Experiment(
        agents=("naive",), tasks=("shop/first-hit",), conditions=("clean", "remap")
    )
    print(os.getpid(), stressweb.run(experiment, name=sys.argv[2], runs_dir=sys.argv[3], workers=int(sys.argv[4]), in_flight=1).path)
"""


def python(script: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run a script in a process of its own: the process of the tests has threads, and must not fork."""
    command = [sys.executable, "-P", "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)


def answer_of(script: str, log: Path) -> Any:
    return json.loads(python(FORK + script + "\n    import json\n    print(json.dumps(answer))\n", log).stdout)


def test_a_fork_talks_through_pipes_and_writes_its_errors_to_the_log(tmp_path: Path) -> None:
    script = """
    def work():
        print("heard", repr(sys.stdin.read()), os.read(0, 5).decode(), os.environ.get("ONLY"), len(os.environ))
        print("a line for the log", file=sys.stderr)
        os.write(1, b"straight\\n")
        return 7

    process = forked(work)
    process.stdin.write("hello")
    process.stdin.flush()
    answer = [process.stdout.readlines(), process.wait(30), process.returncode]
    """
    lines, status, again = answer_of(script, tmp_path / "log")
    assert sorted(lines) == ["heard '' hello this 1\n", "straight\n"]
    assert (status, again) == (7, 7)
    assert (tmp_path / "log").read_text() == "a line for the log\n"


def test_every_thread_that_waits_for_a_fork_gets_its_exit_status(tmp_path: Path) -> None:
    """The parent waits in several threads at a time, and the system reports the exit status to one of them."""
    script = """
    process = forked(lambda: time.sleep(60))
    answer = []
    threads = [threading.Thread(target=lambda: answer.append(process.wait())) for _ in range(8)]
    for thread in threads:
        thread.start()
    process.kill()
    for thread in threads:
        thread.join()
    # A second signal must not reach a process that has got the pid since.
    process.kill()
    """
    assert answer_of(script, tmp_path / "log") == [-signal.SIGKILL] * 8


def test_a_fork_ignores_the_handlers_of_its_parent_and_reports_a_time_limit(tmp_path: Path) -> None:
    script = """
    import subprocess
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    process = forked(lambda: print("ready", flush=True) or time.sleep(60))
    process.stdout.readline()
    answer = [os.getpgid(process.pid) == process.pid]
    try:
        process.wait(0.1)
    except subprocess.TimeoutExpired:
        answer.append("runs")
    process.send_signal(signal.SIGTERM)
    answer.append(process.wait(30))
    """
    assert answer_of(script, tmp_path / "log") == [True, "runs", -signal.SIGTERM]


def test_a_process_that_exits_ends_its_forks(tmp_path: Path) -> None:
    script = """
    process = forked(lambda: time.sleep(600))
    answer = process.pid
    """
    pid = answer_of(script, tmp_path / "log")
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("before", "able"),
    [
        ("", True),
        ("threading.Thread(target=threading.Event().wait, daemon=True).start()", False),
        ("registry.load(['mine.py'])", False),
    ],
    ids=["as it starts", "with a thread", "with a plug-in"],
)
def test_only_a_process_without_threads_and_plug_ins_forks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, able: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(PLUG_IN)
    script = f"""
    import threading
    from stressweb.runner import registry
    from stressweb.runner.execution.forking import can_fork
    {before}
    print(can_fork())
    """
    assert python(script).stdout == f"{able}\n"


def test_forks_draw_no_world_again_and_their_episodes_are_those_of_other_workers(tmp_path: Path) -> None:
    contents = []
    # A process with threads starts workers anew, which is slow; one is enough.
    for kind, workers, forks in (("forks", 2, 2), ("threads", 1, 0)):
        notes = tmp_path / f"{kind}.txt"
        parent, path = python(RUN, notes, kind, tmp_path, workers).stdout.split()
        with Store.open(Path(path) / FILE) as store:
            contents.append(store.content())
        lines = notes.read_text().splitlines()
        assert lines.count("fork") == forks
        assert {line.split()[0] for line in lines} - {"fork"} == {parent}
    assert len(contents[0]) == 2, "one for each worker"
    assert contents[0] == contents[1]


@pytest.mark.parametrize("terminal", [False, True])
def test_a_display_has_no_thread_while_the_process_forks(terminal: bool) -> None:
    before = threading.active_count()
    console = Console(file=io.StringIO(), force_terminal=terminal)
    with progress(quiet=False, every_s=60, console=console) as tally:
        assert threading.active_count() == before + 1
        with tally.forking():
            assert threading.active_count() == before
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
