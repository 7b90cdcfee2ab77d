"""The certificates for the documents: every task under every mode, as printed by `stressweb prove`."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any

from scripts.docs.markers import ROOT
from stressweb.core.cores import cores

FIRST = "proof"
"""The setting whose sentence and time are in docs/proof.md."""
SETTINGS: Mapping[str, tuple[str, ...]] = {
    FIRST: (),
    "proof-severities": ("--limit", "200", "--severity", "1", "--severity", "5"),
    "proof-tree": ("--limit", "200", "--pointer", "tree"),
    "proof-coordinates": ("--limit", "200", "--pointer", "coordinates"),
}
"""The settings, each with its options of `stressweb prove`."""


def proven(name: str) -> dict[str, str]:
    """Prove everything in one setting; return its certificate, and for the first setting a sentence about it.

    Interrupted proofs of other settings are resumed. Raises SystemExit if the proof cannot run.
    """
    folder = ROOT / "runs" / f"docs-{name}"
    if name == FIRST:
        # Start again, because a resumed proof has no total time.
        shutil.rmtree(folder, ignore_errors=True)
    start = time.monotonic()
    output = folder / "certificate.md"
    command = [sys.executable, "-P", "-m", "stressweb", "prove", "--json", "--output", str(output)]
    command += ["--run", name, "--runs-dir", str(folder), *SETTINGS[name]]
    command += ["--resume"] if (folder / name).exists() else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    # Status 1 is a valid outcome: the certificate names the failed episodes.
    if done.returncode not in (0, 1):
        raise SystemExit(f"docs: prove ended with status {done.returncode}")
    outcome = json.loads(done.stdout)
    parts = {f"certificate-{name}": output.read_text(encoding="utf-8").strip()}
    if name == FIRST:
        minutes = (time.monotonic() - start) / 60
        parts["proven"] = f"{sentence(outcome)}, in {minutes:.0f} minutes with {cores()} workers."
    # Keep the runs of failed proofs for inspection.
    if outcome["proven"]:
        shutil.rmtree(folder)
    return parts


def sentence(outcome: Mapping[str, Any]) -> str:
    """Return a sentence about the proof, without the final full stop."""
    cells, passed = (sum(line[name] for line in outcome["lines"]) for name in ("cells", "passed"))
    where = f"{outcome['tasks']:,} tasks on {len(outcome['sites'])} sites under {len(outcome['lines'])} conditions"
    reached = f"reached the goal and claimed it in {passed:,} of {cells:,} episodes"
    return f"`stressweb prove` ran {where}. The agent that follows the reference trajectories {reached}"
