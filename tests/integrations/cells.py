"""Cells that an adapter plays, each with the script of its agent."""

from collections.abc import Callable
from typing import Any

type Cells = list[dict[str, Any]]
"""Task, condition and script of each episode."""


type CellsOf = Callable[..., Cells]
