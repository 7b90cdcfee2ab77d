"""The environment that worker processes start in, and that agents are checked against before a run."""

import os
from pathlib import Path


def environment(base_url: str | None = None) -> dict[str, str]:
    """Return the environment of worker processes: this one's, the import path of this process, and where models are.

    A model's key travels only here: it is in no command line and in no message to a worker.
    """
    # `-P` keeps the current folder, which may hold a `runner` of its own, from the path.
    root = str(Path(__file__).resolve().parents[2])
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    asked = {"OPENAI_BASE_URL": base_url} if base_url else {}
    return {**os.environ, **asked, "PYTHONPATH": os.pathsep.join(dict.fromkeys([root, *inherited]))}
