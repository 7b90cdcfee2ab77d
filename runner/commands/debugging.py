"""Whether `--debug` was given."""

from contextvars import ContextVar

DEBUG: ContextVar[bool] = ContextVar("DEBUG", default=False)
"""Set by the command line, for the command that runs."""


def debug() -> bool:
    """Return whether tracebacks are to be printed."""
    return DEBUG.get()
