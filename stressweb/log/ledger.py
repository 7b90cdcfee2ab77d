"""The ledger: what was planned, delivered, met and overcome, joined to the steps of an episode."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Phase = Literal["planned", "delivered", "met", "overcome", "bypass", "blocked", "fault", "unreached", "unread"]


class Entry(BaseModel):
    """One line of the ledger, without times and ports, so that two runs of a cell are equal byte for byte."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    step: int
    """Number of the action that was under way, counted from 1; 0 is the first page."""
    mode: str
    """Name of the mode, or the origin of another kind of line: a bypass, a refused request, a fault of the site."""
    phase: Phase
    """What happened; docs/modes.md explains planned, delivered, met and overcome for each mode."""
    element: str = ""
    """Which element, in words: role, name, path template."""
    attempt: int = 0
    """Number of the attempt on this element in the episode, from 0."""
    # A line for each node would make the ledger of a disturbed page longer than the page.
    count: int = 1
    """Number of cases that this line stands for, such as nodes injected into a page."""
    detail: str = ""
    """Further details."""
