"""Standard input of processes in which agents run: it is empty."""

import os


def empty_standard_input() -> None:
    """Make standard input end at once, for this process and for all that it starts.

    An agent that calls `input()`, or starts a program that reads, then gets the end of the input, and neither waits for
    somebody to type nor reads what is meant for somebody else.
    """
    nowhere = os.open(os.devnull, os.O_RDONLY)
    # It is 0 itself in a process that was started without standard input.
    if nowhere:
        os.dup2(nowhere, 0)
        os.close(nowhere)
    else:
        os.set_inheritable(0, True)
