"""What many episodes take at a time whose agents wait for a language model: memory, start and time."""

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from runner.execution.process_tree import family
from scripts.bench.figure import Figure
from stressweb.core.errors import InfrastructureError
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, act, say

EPISODES = 32
ANSWER_S = 5.0
"""Seconds after which the endpoint answers."""
STEPS = 4
"""Questions of each episode."""
_MOST_MIB, _MOST_START_S, _MOST_TIMES_IDEAL = 110.0, 20.0, 1.3


class Slow:
    """Answers each question after some seconds with an action, and counts those that wait."""

    def __init__(self) -> None:
        """Begin to count."""
        self._lock = threading.Lock()
        self._waiting = self.most = 0
        self.all_at: float | None = None
        """When every episode waited for the first time."""

    def __call__(self, asked: Exchange) -> None:
        """Answer a question."""
        with self._lock:
            self._waiting += 1
            self.most = max(self.most, self._waiting)
            if self._waiting == EPISODES and self.all_at is None:
                self.all_at = time.perf_counter()
        time.sleep(ANSWER_S)
        with self._lock:
            self._waiting -= 1
        say(act("SCROLL", delta=200))(asked)


def measure_in_flight() -> list[Figure]:
    """Run as many episodes at a time as models have, on an endpoint that is slow; raises InfrastructureError."""
    slow = Slow()
    with tempfile.TemporaryDirectory() as runs, ScriptedModel(slow) as server:
        begun = time.perf_counter()
        process = subprocess.Popen(_command(server.url, runs), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        memory = _watched(process, slow)
        seconds = time.perf_counter() - begun
        assert process.stderr is not None
        said = process.stderr.read().decode()
    if process.returncode or slow.all_at is None:
        raise InfrastructureError(f"at most {slow.most} of {EPISODES} episodes ran at a time: {said[-500:]}")
    started, ideal = slow.all_at - begun, STEPS * ANSWER_S
    about = f"{EPISODES} in flight, an endpoint that answers after {ANSWER_S:g} s"
    return [
        Figure("memory of an episode (PSS)", memory / EPISODES / 2**20, "MiB", _MOST_MIB, about),
        Figure("until all of them run", started, "s", _MOST_START_S, about),
        Figure("their time / that of the endpoint", seconds / ideal, "x", _MOST_TIMES_IDEAL,
               f"{seconds:.1f} s against {ideal:.1f} s, the start included"),
    ]  # fmt: skip


def _command(url: str, runs: str) -> list[str]:
    # A model's answers vary, so that clean runs twice.
    asked = ("--agent", "model", "--model", "small", "--base-url", url, "--mode", "clean")
    size = ("--limit", str(EPISODES // 2), "--max-steps", str(STEPS), "--workers", "1", "--in-flight", str(EPISODES))
    return [sys.executable, "-P", "-m", "runner", "run", *asked, *size, "--runs-dir", runs]


def _watched(process: "subprocess.Popen[bytes]", slow: Slow) -> int:
    """Wait for the end of a run; return the most bytes of memory that it took while all of its episodes ran."""
    most = 0
    while process.poll() is None:
        if slow.all_at is not None:
            most = max(most, _memory(process.pid))
        time.sleep(1)
    return most


def _memory(pid: int) -> int:
    """Return how many bytes of memory a process and all below it take, of what they share each its share."""
    total = 0
    for number in (pid, *(member.pid for member in family(pid))):
        try:
            text = Path(f"/proc/{number}/smaps_rollup").read_text("ascii")
        # It may have ended by now.
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) * 1024
    return total
