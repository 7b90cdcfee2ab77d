"""`stressweb new`: writes the folder of a new site."""

import os
import shlex
from functools import partial
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.program_name import program_name
from stressweb.core.words import counted
from stressweb.runner.commands.output import say
from stressweb.runner.scaffold.folder import new_site

DONE, FINDING = 0, 1


def new(name: str, folder: Path) -> int:
    """Write the site and print the next commands; raises UserError if it cannot be written."""
    for path in new_site(name, folder):
        say(str(path))
    _say_next(name, folder)
    return DONE


def draft(name: str, folder: Path, source: Path, model: str | None, base_url: str | None, attempts: int) -> int:
    """Have a model draft the site; return 1 if no draft was accepted. Raises UserError before asking the model."""
    from stressweb.runner.scaffold.drafting import EXCHANGES, drafted  # noqa: PLC0415 - needs openai

    if not model:
        raise UserError("--from needs a language model: pass --model NAME")
    if base_url:
        os.environ["OPENAI_BASE_URL"] = base_url
    drafting = drafted(name, source, folder, model, attempts, partial(say, err=True))
    say(f"{counted(drafting.answers, 'answer')}, {drafting.tokens:,} tokens; all are in {drafting.folder / EXCHANGES}")
    if not drafting.accepted:
        say(f"no draft was accepted; the last one is in {drafting.folder} and has these problems:")
        for problem in drafting.problems:
            say(f"  {problem}")
        return FINDING
    say(f"{drafting.folder} contains Python code that the model wrote; review it before you run it elsewhere")
    _say_next(name, folder)
    return DONE


def _say_next(name: str, folder: Path) -> None:
    place = shlex.quote(str(folder / name))
    say(f"next: {program_name()} verify {place}")
    say(f"      {program_name()} serve {name} --load {place}")
