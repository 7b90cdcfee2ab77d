"""The certificate of the documents: every task under every mode, as `stressweb prove` prints it."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stressweb.core.cores import cores

SAMPLES = (("--severity", "1", "--severity", "5"), ("--pointer", "tree"), ("--pointer", "coordinates"))
"""Settings of which a sample is proven."""
SAMPLE = 100
"""Episodes of a sample, spread over sites and conditions."""
SAMPLE_HEAD = ("proof", "agent", "tasks", "conditions", "episodes", "passed")


def proven() -> dict[str, str]:
    """Prove everything at severity 3 by selector; return the certificate, and the sentence that the README quotes."""
    folder = Path(tempfile.mkdtemp(prefix="stressweb-docs-"))
    begun = time.monotonic()
    found = parts(folder, "--run", "proof")
    minutes = (time.monotonic() - begun) / 60
    shutil.rmtree(folder)
    return {**found, "proven": f"{found['proven']}, in {minutes:.0f} minutes with {cores()} workers."}


def samples() -> dict[str, str]:
    """Prove a keyed sample of what takes hours as a whole; return a table with a line for each setting."""
    lines = [_row(SAMPLE_HEAD), _row("---" if at < 2 else "---:" for at in range(len(SAMPLE_HEAD)))]
    for number, arguments in enumerate(SAMPLES):
        folder = Path(tempfile.mkdtemp(prefix="stressweb-docs-"))
        told = _told(folder, "--run", f"sample-{number}", *arguments, "--limit", str(SAMPLE))
        cells, passed = counts(told)
        lines.append(_row((f"`stressweb prove {' '.join(arguments)}`", told["agent"], str(told["tasks"]),
            str(len(told["lines"])), str(cells), str(passed))))  # fmt: skip
        # Whoever writes the documents can look at what failed.
        if passed == cells:
            shutil.rmtree(folder)
    return {"certificate-samples": "\n".join(lines)}


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def parts(folder: Path, *arguments: str) -> dict[str, str]:
    """Run the proof in a folder, or finish one that is there; return its parts. Raises SystemExit if it cannot run."""
    told = _told(folder, *arguments)
    return {"certificate": _certificate(folder).read_text("utf-8").strip(), "proven": sentence(told)}


def _certificate(folder: Path) -> Path:
    return folder / "certificate.md"


def _told(folder: Path, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-P", "-m", "runner", "prove", "--json", "--output", str(_certificate(folder))]
    command += [*arguments, "--runs-dir", str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    # Status 1 is an answer, too: the certificate says which episodes failed.
    if done.returncode not in (0, 1):
        raise SystemExit(f"docs: prove ended with status {done.returncode}")
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def counts(told: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many episodes a proof has, and how many of them passed."""
    cells, passed = (sum(line[name] for line in told["lines"]) for name in ("cells", "passed"))
    return cells, passed


def sentence(told: Mapping[str, Any]) -> str:
    """Return what is proven, without an end."""
    cells, passed = counts(told)
    where = f"{told['tasks']:,} tasks on {len(told['sites'])} sites under {len(told['lines'])} conditions"
    reached = f"reached the goal in {passed:,} of {cells:,} episodes"
    return f"`stressweb prove` ran {where}. The agent that knows the way {reached}"
