"""Errors of the episode server, each with a one-line message."""

from stressweb.core.errors import UserError


class UnknownEpisodeError(UserError):
    """No episode has this id."""


class OverError(UserError):
    """The episode has already ended."""


class FullError(UserError):
    """Too many episodes are open."""
