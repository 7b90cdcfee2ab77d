"""The two kinds of failure that stressweb tells apart: the user's mistake, and our own."""


class UserError(Exception):
    """A mistake in what the user gave: one line that names the thing and the valid choices.

    The command line prints the message and exits with status 2; nothing on disk has been touched.
    """


class InfrastructureError(Exception):
    """A failure of browser, proxy, site or grader: the episode becomes an error, never the agent's failure."""


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, which is what fits into one line of a report."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
