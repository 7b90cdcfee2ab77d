"""The environment of worker processes, which is also used to check agents before a run."""

import os
from pathlib import Path

from stressweb.core.import_path import ROOT

REPLAY_LLM = "STRESSWEB_REPLAY_LLM"
"""Variable with the path of recorded answers, if they replace a language model."""


def environment(base_url: str | None = None, replay_llm: Path | None = None) -> dict[str, str]:
    """Return the environment of worker processes: that of this process, with import path and address of the model.

    `replay_llm` is the recording of the answers in a replay. A model's key is passed to workers only in this
    environment, never in a command line or a message.
    """
    # A worker is started with `-P`, so it does not search the current folder for packages, which this process may do.
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    settings = {"OPENAI_BASE_URL": base_url} if base_url else {}
    if replay_llm:
        settings[REPLAY_LLM] = str(replay_llm)
    return {**os.environ, **settings, "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(ROOT), *inherited]))}
