"""The size of a large run, and time and memory of each command that reads it, in separate processes."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.bench.figure import Figure
from scripts.bench.made_up import SITE, STEPS, write
from scripts.bench.recorded import record
from stressweb.core.browser_program import find_browser
from stressweb.core.cores import cores
from stressweb.core.errors import InfrastructureError
from stressweb.log.recording import EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.report.chosen import LARGE, MOST
from stressweb.runner.registry import task_ids

_MOST_KB, _MOST_S, _MOST_GROWTH = 100, 30, 1.5
EPISODES = 10_000
"""Number of episodes for which times are reported; they are extrapolated from smaller runs."""
_SMALLER = 10
"""Factor by which the run for comparison is smaller."""
_FEW = 10
"""Number of detailed episodes in a report that measures the cost of all others."""
_REPORT_OF_FEW = f"""
import sys
from pathlib import Path
from stressweb.runner.outcome import reporting
from stressweb.report.chosen import chosen
reporting.chosen = lambda numbered: chosen(numbered, 0, {_FEW})
reporting.write(Path(sys.argv[1]), Path(sys.argv[2]))
"""
_REPORT = "write its report"
_OPEN = "import sys, stressweb as sw; print(len(sw.open_run(sys.argv[1]).meta))"
_TABLE = "import sys, stressweb as sw; print(sw.open_run(sys.argv[1]).table())"


_LAUNCH = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([status, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000]))
"""
"""Starts a command from a small process, because the peak memory of a process includes that of its parent."""


class Cost(NamedTuple):
    """The cost of a process."""

    seconds: float
    """Seconds from its start to its end."""
    processor_s: float
    """CPU time of the process and its children in seconds."""
    megabytes: float
    """Peak memory of the process or of one of its children."""


def cost_of(*command: str | Path) -> Cost:
    """Run Python with these arguments in a new process and return its cost; raises InfrastructureError if it fails."""
    python = sys.executable, "-P"
    launched = subprocess.run([*python, "-c", _LAUNCH, *python, *command], capture_output=True, text=True, check=True)
    status, *costs = json.loads(launched.stdout)
    # Status 1 would mean changed grades, but the made-up run has the right ones.
    if status:
        raise InfrastructureError(f"{command[1:3]} ended with status {status}: {launched.stderr[-500:]}")
    return Cost(*costs)


def measure_store(count: int, progress: Callable[[str], None]) -> list[Figure]:
    """Measure a made-up run of `count` episodes, and for comparison one a tenth of the size."""
    with tempfile.TemporaryDirectory(prefix="stressweb-bench-") as scratch:
        large, small = Path(scratch) / "large", Path(scratch) / "small"
        progress("real episodes to make up others from")
        recorded, sheets = _recorded(Path(scratch) / "recorded")
        progress(f"a made-up run of {count} episodes")
        start = time.process_time()
        write(large, count, recorded, sheets)
        writing = time.process_time() - start
        fewer = max(1, count // _SMALLER)
        write(small, fewer, recorded, sheets)
        size = (large / FILE).stat().st_size / count / 1000
        figures = [
            Figure("size of an episode without pictures", size, "kB", _MOST_KB, f"{count} episodes of {STEPS} steps"),
            Figure("time to make the run", writing, "s", None, f"{1000 * writing / count:.1f} ms each"),
        ]
        for name, command in _commands(Path(scratch)).items():
            progress(name)
            least, most = cost_of(*command(small)), cost_of(*command(large))
            if name == _REPORT:
                few = [cost_of("-c", _REPORT_OF_FEW, run, Path(scratch) / "few.html") for run in (small, large)]
                seconds, processor_s = extrapolated_report(fewer, least, count, most, few[0], few[1])
            else:
                seconds, processor_s = extrapolated(fewer, least, count, most)
            figures += [
                Figure(f"time to {name}, {EPISODES} episodes", seconds, "s", _MOST_S,
                       f"{processor_s:.0f} s of processors; {count} took {most.seconds:.1f} s, {most.processor_s:.1f}"),
                # The memory of a command must hardly depend on the size of the run.
                Figure(f"memory to {name}", most.megabytes / least.megabytes, "x", _MOST_GROWTH,
                       f"{most.megabytes:.0f} MB, {least.megabytes:.0f} MB with {fewer}"),
            ]  # fmt: skip
        return figures


def extrapolated(fewer: int, least: Cost, count: int, most: Cost) -> tuple[float, float]:
    """Return seconds and CPU-seconds for `EPISODES`, extrapolated from runs of `fewer` and `count` episodes."""
    # Each further episode takes as long as those between the two runs.
    further = max(0, EPISODES - count) / (count - fewer)
    return (
        most.seconds + further * max(0.0, most.seconds - least.seconds),
        most.processor_s + further * max(0.0, most.processor_s - least.processor_s),
    )


def extrapolated_report(
    fewer: int, least: Cost, count: int, most: Cost, least_of_few: Cost, most_of_few: Cost
) -> tuple[float, float]:
    """Return the same for a report, which has a limited number of detailed episodes.

    `least_of_few` and `most_of_few` are the costs with only `_FEW` detailed episodes.
    """
    if count >= EPISODES:
        return most.seconds, most.processor_s
    rows_cost = extrapolated(fewer, least_of_few, count, most_of_few)
    # In a small run, all episodes are detailed.
    detailed = fewer if fewer <= LARGE else MOST
    further = (MOST - _FEW) / max(1, detailed - _FEW)
    return (
        rows_cost[0] + further * max(0.0, least.seconds - least_of_few.seconds),
        rows_cost[1] + further * max(0.0, least.processor_s - least_of_few.processor_s),
    )


def _recorded(folder: Path) -> tuple[list[EpisodeRecord], dict[str, str]]:
    """Return a successful episode of each of the shop's tasks, and the style sheets of their pages."""
    tasks = [task for task in task_ids() if task.startswith(f"{SITE}/")]
    cells = record(folder, find_browser().path, "naive", tasks, cores(), lambda: None)
    with Store.read(folder / FILE) as store:
        records = [store.load(cell) for cell in cells]
        if failed := [record.cell.key for record in records if not (record.grade and record.grade.success)]:
            raise InfrastructureError(f"{failed[0]} did not reach its goal in clean, so no run can be made from it")
        return records, store.sheets(SITE, 0)


def _commands(scratch: Path) -> dict[str, Callable[[Path], Sequence[str | Path]]]:
    runner = ("-m", "stressweb")
    return {
        "open a run": lambda run: ("-c", _OPEN, run),
        "print its table": lambda run: ("-c", _TABLE, run),
        "export it to CSV": lambda run: (*runner, "export", run, "--output", scratch / f"{run.name}-csv"),
        _REPORT: lambda run: (*runner, "report", run, "--output", scratch / f"{run.name}.html"),
        "grade it again": lambda run: (*runner, "grade", run, "--json"),
        "grade what changed": lambda run: (*runner, "grade", run, "--changed", "--json"),
        "bundle it": lambda run: (*runner, "bundle", run, "--output", scratch / f"{run.name}.zip"),
    }
