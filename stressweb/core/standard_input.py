"""Empties standard input of processes in which agents run."""

import os


def empty_standard_input() -> None:
    """Make standard input empty, for this process and all of its children.

    An agent that calls `input()`, or starts a program that reads, gets the end of the input instead of waiting for a
    user or reading input meant for others.
    """
    nowhere = os.open(os.devnull, os.O_RDONLY)
    # It is 0 if the process was started without standard input.
    if nowhere:
        os.dup2(nowhere, 0)
        os.close(nowhere)
    else:
        os.set_inheritable(0, True)
