"""The kinds of failure: invalid input, infrastructure, and a full disk."""

from typing import NamedTuple


class UserError(Exception):
    """Invalid input: one line with the thing and the valid choices.

    The command line prints the message and exits with status 2; nothing on disk has changed.
    """


class AlteredError(UserError):
    """A recorded episode was changed: its seal or the hash of one of its pages does not match."""

    misfit = ""
    """The mismatch, without the episode's name."""


class TooLargeError(Exception):
    """A page, a picture or a text of an episode, or all of them together, exceed the limits of a recording."""


class InfrastructureError(Exception):
    """A failure of browser, proxy, site or grader: the episode becomes an error, never the agent's failure.

    Raised by an agent it is the agent's failure like any other exception: only `EndpointError` is not.
    """


class EndpointError(InfrastructureError):
    """The endpoint that an agent asks does not answer: the one failure inside an agent that is not the agent's.

    Raise it when a model server is down, refuses the request or runs out of quota, after your own retries. The episode
    becomes an error: it is in no rate and runs again on resume. Anything else that an agent raises is its own failure.
    """


class EndpointClosedError(EndpointError):
    """The endpoint that an agent asks will refuse every further request: it wants money, another key or another model.

    The episode becomes an error, as with `EndpointError`, and no further episode of the run starts. Once the cause is
    gone, the run continues with `--resume`.
    """


class DiskFullError(InfrastructureError):
    """No space is left for the recording or for temporary files: the run ends, since every further episode would fail.

    Finished episodes are kept.
    """


class Fault(NamedTuple):
    """A failure of proxy or site while it served an episode."""

    message: str
    """One line."""
    traceback: str = ""


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, which is what fits into one line of a report."""
    # An exception without a message, such as a bare KeyboardInterrupt, is named by its class.
    return (str(error).strip() or type(error).__name__).splitlines()[0]
