"""Lets worker processes, which have this folder on their path, find the agents in it."""

from pathlib import Path

import stressweb.runner.agents

stressweb.runner.agents.__path__.append(str(Path(__file__).parent / "found"))
