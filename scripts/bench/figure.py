"""One measured figure of the bench."""

from typing import NamedTuple


class Figure(NamedTuple):
    """One measured figure with its target, the maximum; a figure without a target is for information."""

    name: str
    value: float
    unit: str
    target: float | None = None
    detail: str = ""

    @property
    def met(self) -> bool:
        """Whether the figure is within its target."""
        return self.target is None or self.value <= self.target
