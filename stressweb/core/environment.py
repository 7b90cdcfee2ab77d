"""The environment that worker processes start in, and that agents are checked against before a run."""

import os
from pathlib import Path

REPLAY_LLM = "STRESSWEB_REPLAY_LLM"
"""Variable that says that no language model is needed: answers come from a recording."""


def environment(base_url: str | None = None, replay_llm: Path | None = None) -> dict[str, str]:
    """Return the environment of worker processes: this one's, the import path of this process, and where models are.

    Where their answers come from a recording, it names that.

    A model's key travels only here: it is in no command line and in no message to a worker.
    """
    # `-P` keeps the current folder, which may hold a `runner` of its own, from the path.
    root = str(Path(__file__).resolve().parents[2])
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    settings = {"OPENAI_BASE_URL": base_url} if base_url else {}
    if replay_llm:
        settings[REPLAY_LLM] = str(replay_llm)
    return {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(dict.fromkeys([root, *inherited]))}
