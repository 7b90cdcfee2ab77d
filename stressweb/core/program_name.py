"""The name by which the user can call stressweb, for the commands in messages."""

import shlex
import shutil
import sys
from pathlib import Path

_NAME = "stressweb"


def program_name(called: str = "") -> str:
    """Return `stressweb` if a shell finds it, else the path `called`, by default this program's, quoted for a shell."""
    called = called or sys.argv[0]
    # Called as a module, or by a test: there is no such path to repeat.
    if Path(called).name != _NAME or shutil.which(_NAME):
        return _NAME
    return shlex.quote(called)
