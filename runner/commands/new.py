"""`stressweb new`: the folder of a new site, and what to do with it."""

import shlex
from pathlib import Path

from runner.commands.output import say
from runner.scaffold.folder import new_site

DONE = 0


def new(name: str, folder: Path) -> int:
    """Write the site and say what comes next; raises UserError if it cannot be written."""
    for path in new_site(name, folder):
        say(str(path))
    place = shlex.quote(str(folder / name))
    say(f"next: stressweb verify {place}")
    say(f"      stressweb serve {name} --load {place}")
    return DONE
