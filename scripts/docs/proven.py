"""The certificate of the documents: every task under every mode, as `stressweb prove` prints it."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stressweb.core.cores import cores


def proven() -> dict[str, str]:
    """Prove everything at severity 3 by selector; return the certificate, and the sentence that the README quotes."""
    folder = Path(tempfile.mkdtemp(prefix="stressweb-docs-"))
    certificate = folder / "certificate.md"
    command = [sys.executable, "-P", "-m", "runner", "prove", "--json", "--output", str(certificate)]
    begun = time.monotonic()
    # Status 1 is an answer too: the certificate says which episodes failed.
    done = subprocess.run([*command, "--runs-dir", str(folder)], stdout=subprocess.PIPE, text=True, check=False)
    minutes = (time.monotonic() - begun) / 60
    if done.returncode not in (0, 1):
        raise SystemExit(f"docs: prove ended with status {done.returncode}")
    told = json.loads(done.stdout)
    cells = [line["cells"] for line in told["lines"]]
    passed = sum(line["passed"] for line in told["lines"])
    said = (
        f"`stressweb prove` has run {told['tasks']:,} tasks on {len(told['sites'])} sites under {len(cells)} conditions: the "
        f"agent that knows the way reached the goal in {passed:,} of {sum(cells):,} episodes, in {minutes:.0f} minutes with "
        f"{cores()} workers."
    )
    text = certificate.read_text("utf-8").strip()
    shutil.rmtree(folder)
    return {"certificate": text, "proven": said}
