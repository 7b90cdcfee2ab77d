"""Memory, start-up and time of many concurrent episodes whose agents wait for a language model."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from scripts.bench.baseline import BaselineSite
from scripts.bench.cpu import cpu_seconds
from scripts.bench.figure import Figure
from scripts.waited import launched
from stressweb.core.cores import cores
from stressweb.core.errors import InfrastructureError
from stressweb.core.process_tree import descendants_of
from stressweb.core.protocol import VIEWPORT
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, act, say
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry import Library

EPISODES = 32
ANSWER_S = 5.0
"""Response time of the endpoint in seconds."""
STEPS = 8
"""Number of questions per episode: the mean number of steps of trajectories."""
_FIRST = r"Actions so far:\nnone"
_SCROLL = 200
"""Distance of each scroll that the endpoint answers, in CSS pixels."""
_MOST_MIB, _MOST_START_S, _MOST_TIMES_IDEAL = 110.0, 20.0, 1.3


class Slow:
    """Answers each question after some seconds with an action, and counts the episodes that have started."""

    def __init__(self) -> None:
        """Start with no episodes."""
        self._lock = threading.Lock()
        self.started = 0
        self._first_at = 0.0
        self.all_at: float | None = None
        """Time at which all episodes were running: the last asked its first question while the first was not
        finished."""

    def __call__(self, exchange: Exchange) -> None:
        """Answer a question."""
        # Only the first question of an episode has no actions before it.
        if _FIRST in json.dumps(exchange.body):
            with self._lock:
                now = time.perf_counter()
                self._first_at = self._first_at or now
                self.started += 1
                if self.started == EPISODES and now < self._first_at + STEPS * ANSWER_S:
                    self.all_at = now
        time.sleep(ANSWER_S)
        say(act("SCROLL", delta=_SCROLL))(exchange)


def measure_in_flight() -> list[Figure]:
    """Run many concurrent episodes with a slow endpoint; raises InfrastructureError if they do not run concurrently."""
    bare = bare_cpu_seconds()
    slow = Slow()
    with tempfile.TemporaryDirectory() as runs, ScriptedModel(slow) as server:
        start = time.perf_counter()
        process = subprocess.Popen(_command(server.url, runs), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        memory, ours = _watched(process, slow)
        seconds = time.perf_counter() - start
        assert process.stderr is not None
        stderr = process.stderr.read().decode()
    if process.returncode or slow.all_at is None:
        raise InfrastructureError(f"{slow.started} of {EPISODES} episodes began, never all at a time: {stderr[-500:]}")
    started, endpoint = slow.all_at - start, STEPS * ANSWER_S
    ideal = max(endpoint, bare / cores())
    about = f"{EPISODES} in flight, endpoint that answers after {ANSWER_S:g} s"
    return [
        Figure("memory of an episode (PSS)", memory / EPISODES / 2**20, "MiB", _MOST_MIB, about),
        Figure("until all episodes run", started, "s", _MOST_START_S, about),
        Figure("time of all episodes / ideal time", seconds / ideal, "x", _MOST_TIMES_IDEAL,
               f"{seconds:.1f} s against {ideal:.1f} s, start included; endpoint {endpoint:.0f} s, bare script "
               f"{bare:.1f} CPU-s on {cores()} cores"),
        Figure("CPU time of all episodes / bare scripts", ours / bare, "x", None,
               f"{ours:.1f} CPU-s against {bare:.1f}"),
    ]  # fmt: skip


def bare_cpu_seconds() -> float:
    """Return the CPU-seconds of a bare Playwright script that also reads, takes pictures and scrolls."""
    library = Library()
    tasks = Experiment(agents=("null",), conditions=("clean",), limit=EPISODES // 2).plan().tasks
    sites = {task: BaselineSite(library.world_of(task, 0)) for task in tasks}
    with sync_playwright() as playwright:
        browser = launched(playwright)
        start = cpu_seconds(os.getpid())
        for site in [*sites.values()] * 2:
            context = browser.new_context(
                viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]}, device_scale_factor=1
            )
            page = context.new_page()
            page.goto(site.url)
            for _ in range(STEPS):
                page.content()
                # The model gets a screenshot, too.
                page.screenshot()
                page.mouse.wheel(0, _SCROLL)
            page.content()
            context.close()
        spent = cpu_seconds(os.getpid()) - start
        browser.close()
    for site in sites.values():
        site.close()
    return spent


def _command(url: str, runs: str) -> list[str]:
    # Clean runs twice, because a model's answers vary.
    arguments = ("--agent", "model", "--model", "small", "--base-url", url, "--mode", "clean")
    size = ("--limit", str(EPISODES // 2), "--max-steps", str(STEPS), "--workers", "1", "--in-flight", str(EPISODES))
    return [sys.executable, "-P", "-m", "stressweb", "run", *arguments, *size, "--runs-dir", runs]


def _watched(process: "subprocess.Popen[bytes]", slow: Slow) -> tuple[int, float]:
    """Wait for the end of a run; return its peak memory in bytes while all episodes ran, and its CPU-seconds."""
    most, cpu = 0, 0.0
    while process.poll() is None:
        if slow.all_at is not None:
            most = max(most, _memory(process.pid))
        # CPU time of processes whose parent is killed first is lost, so take the maximum over time.
        cpu = max(cpu, cpu_seconds(process.pid))
        time.sleep(0.5)
    return most, cpu


def _memory(pid: int) -> int:
    """Return the proportional set size (PSS) of a process and its descendants in bytes."""
    total = 0
    for number in (pid, *(member.pid for member in descendants_of(pid))):
        try:
            text = Path(f"/proc/{number}/smaps_rollup").read_text("ascii")
        # The process may have ended.
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) * 1024
    return total
