"""The kinds of failure: invalid input, infrastructure, and a full disk."""

from typing import NamedTuple


class UserError(Exception):
    """Invalid input. The message is one line with the wrong input and the valid choices.

    The command line prints the message and exits with status 2; nothing on disk has changed.
    """


class AlteredError(UserError):
    """A recorded episode was changed: its seal or the hash of one of its pages does not match."""

    misfit = ""
    """The mismatch, without the name of the episode."""


class TooLargeError(Exception):
    """A page, a picture or a text of an episode, or their sum, exceeds a limit of recordings."""


class InfrastructureError(Exception):
    """A failure of browser, proxy, site or grader: the episode becomes an error, never the agent's failure.

    If an agent raises it, it is the agent's failure like any other exception except `EndpointError`.
    """


class EndpointError(InfrastructureError):
    """The model endpoint of an agent does not answer.

    Raise it when a model server is down, refuses the request or runs out of quota, after your own retries. The episode
    becomes an error: it is excluded from all rates and runs again on resume. Any other exception of an agent counts as
    the agent's failure.
    """


class EndpointClosedError(EndpointError):
    """The model endpoint will refuse every further request: it needs money, another key or another model.

    The episode becomes an error, as with `EndpointError`, and no further episode of the run starts. After removing the
    cause, continue the run with `--resume`.
    """


class DiskFullError(InfrastructureError):
    """No space is left for the recording or temporary files. The run ends, because every further episode would fail.

    Finished episodes are kept.
    """


class Fault(NamedTuple):
    """A failure of proxy or site while it served an episode."""

    message: str
    """One line."""
    traceback: str = ""


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or the name of its class if it has none."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
