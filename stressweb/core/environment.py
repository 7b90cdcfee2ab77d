"""The environment of worker processes, which is also used to check agents before a run."""

import os
from pathlib import Path

from stressweb.core.import_path import ROOT

REPLAY_LLM = "STRESSWEB_REPLAY_LLM"
"""Variable that is set if answers come from a recording, so that no language model is needed."""


def environment(base_url: str | None = None, replay_llm: Path | None = None) -> dict[str, str]:
    """Return the environment of worker processes: this process's, its import path, and the address of models.

    For a replay it has the recording of the answers.

    A model's key travels only here, never in a command line or a message to a worker.
    """
    # A worker is started with `-P`: it does not look for packages in the current folder, as this process may have done.
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    settings = {"OPENAI_BASE_URL": base_url} if base_url else {}
    if replay_llm:
        settings[REPLAY_LLM] = str(replay_llm)
    return {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(ROOT), *inherited]))}
