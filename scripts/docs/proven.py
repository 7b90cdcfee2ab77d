"""The certificate of the documents: every task under every mode, as `stressweb prove` prints it."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stressweb.core.cores import cores


def proven() -> dict[str, str]:
    """Prove everything at severity 3 by selector; return the certificate, and the sentence that the README quotes."""
    folder = Path(tempfile.mkdtemp(prefix="stressweb-docs-"))
    begun = time.monotonic()
    found = parts(folder, "--run", "proof")
    minutes = (time.monotonic() - begun) / 60
    shutil.rmtree(folder)
    return {**found, "proven": f"{found['proven']}, in {minutes:.0f} minutes with {cores()} workers."}


def parts(folder: Path, *arguments: str) -> dict[str, str]:
    """Run the proof in a folder, or finish one that is there; return its parts. Raises SystemExit if it cannot run."""
    certificate = folder / "certificate.md"
    command = [sys.executable, "-P", "-m", "runner", "prove", "--json", "--output", str(certificate), *arguments]
    done = subprocess.run([*command, "--runs-dir", str(folder)], stdout=subprocess.PIPE, text=True, check=False)
    # Status 1 is an answer, too: the certificate says which episodes failed.
    if done.returncode not in (0, 1):
        raise SystemExit(f"docs: prove ended with status {done.returncode}")
    return {"certificate": certificate.read_text("utf-8").strip(), "proven": sentence(json.loads(done.stdout))}


def sentence(told: Mapping[str, Any]) -> str:
    """Return what is proven, without an end."""
    cells, passed = (sum(line[name] for line in told["lines"]) for name in ("cells", "passed"))
    where = f"{told['tasks']:,} tasks on {len(told['sites'])} sites under {len(told['lines'])} conditions"
    reached = f"reached the goal in {passed:,} of {cells:,} episodes"
    return f"`stressweb prove` ran {where}. The agent that knows the way {reached}"
