"""Tracebacks for recordings: complete, without local folders and without keys."""

import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import FrameType

HIDDEN = "[key]"
"""Placeholder for a removed key."""
LONGEST = 200_000
"""Longest traceback that is kept, in characters; of a longer one the beginning and the end."""
# Paths are shortened only where Python names a file: in a message they may be what the error is about.
_FILE = re.compile(r'(?<=File ")[^"\n]+(?=")')
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"\bsk-[A-Za-z0-9_-]{16,}|(?<=Bearer )[^\s'\"]{8,}")


def trace_of(error: BaseException, environ: Mapping[str, str] = os.environ) -> str:
    """Return the whole traceback of an exception, causes included, fit for recording."""
    return scrubbed("".join(traceback.format_exception(error)), environ)


def trace_at(frame: FrameType, environ: Mapping[str, str] = os.environ) -> str:
    """Return the stack of a running thread, innermost call last, fit for recording."""
    return scrubbed(
        "".join(["Stack of the thread (most recent call last):\n", *traceback.format_stack(frame)]), environ
    )


def scrubbed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a text with tracebacks without keys, and with files named from their package on."""
    # Keys are hidden before truncation: half of one would no longer be recognised.
    named = _FILE.sub(lambda match: _from_package(match[0]), concealed(text, environ)).rstrip()
    if len(named) <= LONGEST:
        return named
    # The beginning shows the origin and the end the exception; endless recursion fills the middle.
    half = LONGEST // 2
    return f"{named[:half]}\n[{len(named) - 2 * half} characters left out]\n{named[-half:]}"


def concealed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a text without the keys in the environment, and without text that looks like a key.

    A variable contains a key if its name suggests so and its value is long, or of some length and with a digit: a
    made-up word for a local server is no secret.
    """
    # The longest first: if one key is part of another, the rest of the longer one would stay.
    for secret in sorted(set(_secrets(environ)), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    # Lone surrogates, which an agent may produce, cannot be written to a file.
    return _SECRET_TEXT.sub(HIDDEN, text).encode(errors="replace").decode()


def is_secret(value: str) -> bool:
    """Return whether a key must not be shown: it is long, or of some length and with a digit."""
    return len(value) >= 16 or (len(value) >= 6 and re.search(r"\d", value) is not None)


def _secrets(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if _SECRET_NAME.search(name) and is_secret(value.strip()):
            # A key from a file often ends with a line feed, which is not sent.
            yield value.strip()


def _from_package(file: str) -> str:
    for root in _roots(tuple(sys.path)):
        if file.startswith(root):
            return file[len(root) :]
    # For a file outside of the known import paths, its name is enough.
    return Path(file).name if file.startswith(os.sep) else file


@cache
def _roots(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return every folder of modules, the longest first, each with its separator."""
    standard = [folder for name in ("stdlib", "platstdlib") if (folder := sysconfig.get_path(name))]
    folders = {*standard, *(entry for entry in path if Path(entry).is_dir()), str(Path(__file__).resolve().parents[2])}
    # site-packages is inside the folder of the standard library, and the inner folder is the one above a package.
    return tuple(sorted((folder.rstrip(os.sep) + os.sep for folder in folders), key=len, reverse=True))
