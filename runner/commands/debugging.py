"""The state of `--debug`."""

from contextvars import ContextVar

DEBUG: ContextVar[bool] = ContextVar("DEBUG", default=False)
"""Whether the current command has `--debug`."""


def debug() -> bool:
    """Return whether to print tracebacks."""
    return DEBUG.get()
