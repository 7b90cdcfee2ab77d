"""What the episode server refuses, each in one line."""

from stressweb.core.errors import UserError


class UnknownEpisodeError(UserError):
    """There is no episode of this id."""


class OverError(UserError):
    """The episode is over, or was finished before."""


class FullError(UserError):
    """No further episode can be opened now."""
