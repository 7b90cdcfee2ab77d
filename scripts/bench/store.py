"""What a large run takes: its size, and the time and memory of each command that reads it, in a process of its own."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from scripts.bench.baseline import BaselineSite
from scripts.bench.figure import Figure
from scripts.bench.made_up import STEPS, write
from stressweb.core.errors import InfrastructureError
from stressweb.log.store import FILE

_MOST_KB, _MOST_S, _MOST_GROWTH = 100, 30, 1.5
_SMALLER = 10
"""How many times smaller the run is that the memory is compared with."""
_PATHS = 8
_OPEN = "import sys, stressweb as sw; print(len(sw.open_run(sys.argv[1]).meta))"
_TABLE = "import sys, stressweb as sw; print(sw.open_run(sys.argv[1]).table())"


_LAUNCH = """
import json, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000]))
"""
"""Starts a command from a small process: a process counts the memory of the one that started it as its own."""


class Took(NamedTuple):
    """What a process took."""

    seconds: float
    """Time of the processor, which a busy machine does not lengthen."""
    megabytes: float
    """Most memory that it had at once."""


def took(*command: str | Path) -> Took:
    """Run a command of Python in a process of its own; raises InfrastructureError if it fails."""
    python = sys.executable, "-P"
    launched = subprocess.run([*python, "-c", _LAUNCH, *python, *command], capture_output=True, text=True, check=True)
    status, seconds, megabytes = json.loads(launched.stdout)
    # Status 1 is a finding: grading the made-up pages anew changes the made-up grades.
    if status not in (0, 1):
        raise InfrastructureError(f"{command[1:3]} ended with status {status}: {launched.stderr[-500:]}")
    return Took(seconds, megabytes)


def measure_store(site: BaselineSite, count: int, tell: Callable[[str], None]) -> list[Figure]:
    """Measure a made-up run of `count` episodes, and the memory beside that of a run a tenth as large."""
    pages = _pages(site)
    with tempfile.TemporaryDirectory(prefix="stressweb-bench-") as scratch:
        large, small = Path(scratch) / "large", Path(scratch) / "small"
        tell(f"a made-up run of {count} episodes")
        begun = time.process_time()
        write(large, count, pages)
        writing = time.process_time() - begun
        # The memory of a command that reads a run piece by piece hardly depends on its size; one that holds all shows
        # here.
        write(small, max(1, count // _SMALLER), pages)
        size = (large / FILE).stat().st_size / count / 1000
        kinds = f"{count} episodes of {STEPS} steps, pages of {sum(map(len, pages)) / len(pages) / 1000:.0f} kB"
        figures = [
            Figure("size of an episode without pictures", size, "kB", _MOST_KB, kinds),
            Figure(
                "processor time to write a made-up run", writing, "s", None, f"{1000 * writing / count:.1f} ms each"
            ),
        ]
        for name, command in _commands(Path(scratch)).items():
            tell(name)
            least, most = took(*command(small)), took(*command(large))
            detail = f"{least.megabytes:.0f} MB with a tenth of the episodes"
            figures += [
                Figure(f"processor time to {name}", most.seconds, "s", _MOST_S),
                Figure(f"memory to {name}", most.megabytes / least.megabytes, "x", _MOST_GROWTH,
                       f"{most.megabytes:.0f} MB, {detail}"),
            ]  # fmt: skip
        return figures


def _commands(scratch: Path) -> dict[str, Callable[[Path], Sequence[str | Path]]]:
    runner = ("-m", "runner")
    return {
        "open a run": lambda run: ("-c", _OPEN, run),
        "print its table": lambda run: ("-c", _TABLE, run),
        "export it to CSV": lambda run: (*runner, "export", run, "--output", scratch / f"{run.name}-csv"),
        "write its report": lambda run: (*runner, "report", run, "--output", scratch / f"{run.name}.html"),
        "grade it again": lambda run: (*runner, "grade", run, "--json"),
        "bundle it": lambda run: (*runner, "bundle", run, "--output", scratch / f"{run.name}.zip"),
    }


def _pages(site: BaselineSite) -> list[str]:
    """Return documents of the shop: its start page and what that links to."""
    import lxml.html  # noqa: PLC0415 - where pages are read

    start = site.get("/")
    links = (link.get("href") or "" for link in lxml.html.document_fromstring(start).iter("a"))
    paths = list(dict.fromkeys(path for path in links if path.startswith("/")))[: _PATHS - 1]
    return [start, *(site.get(path) for path in paths)]
