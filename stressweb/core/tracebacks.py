"""Tracebacks as they are kept: whole, without folders of this machine and without keys."""

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
"""What stands in a kept text where a key was."""
LONGEST = 200_000
"""Characters of a traceback that are kept; of a longer one the beginning and the end."""
# Paths are replaced only where Python names a file: in a message they may be what the error is about.
_FILE = re.compile(r'(?<=File ")[^"\n]+(?=")')
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"\bsk-[A-Za-z0-9_-]{16,}|(?<=Bearer )[^\s'\"]{8,}")


def trace_of(error: BaseException, environ: Mapping[str, str] = os.environ) -> str:
    """Return the whole traceback of an exception, causes included, as it may be kept."""
    return scrubbed("".join(traceback.format_exception(error)), environ)


def trace_at(frame: FrameType, environ: Mapping[str, str] = os.environ) -> str:
    """Return the stack of a thread that is still at work, innermost call last, as it may be kept."""
    return scrubbed(
        "".join(["Stack of the thread (most recent call last):\n", *traceback.format_stack(frame)]), environ
    )


def scrubbed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a text of Python's tracebacks without keys, and with files named from their package on."""
    # Keys are hidden before anything is cut off: half of one would no longer be recognised.
    named = _FILE.sub(lambda match: _from_package(match[0]), concealed(text, environ)).rstrip()
    if len(named) <= LONGEST:
        return named
    # The beginning says where it started and the end what was raised; endless recursion fills the middle.
    half = LONGEST // 2
    return f"{named[:half]}\n[{len(named) - 2 * half} characters left out]\n{named[-half:]}"


def concealed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a text without the keys that stand in the environment, and without what looks like a key.

    A variable holds a key if its name says so and its value is long, or of some length and with a digit: a made-up
    word for a local server is no secret.
    """
    # The longest first: if one key is part of another, the rest of the longer one would stay.
    for secret in sorted(set(_secrets(environ)), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    # Half a character, which an agent may well have at hand, can be written into no file.
    return _SECRET_TEXT.sub(HIDDEN, text).encode(errors="replace").decode()


def is_secret(value: str) -> bool:
    """Return whether a key is one that must not be shown: long, or of some length and with a digit."""
    return len(value) >= 16 or (len(value) >= 6 and re.search(r"\d", value) is not None)


def _secrets(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if _SECRET_NAME.search(name) and is_secret(value.strip()):
            # A key that was read from a file often ends with a line feed, which is no part of what is sent.
            yield value.strip()


def _from_package(file: str) -> str:
    for root in _roots(tuple(sys.path)):
        if file.startswith(root):
            return file[len(root) :]
    # Of a file that was not imported by a path that we know, its name is enough.
    return Path(file).name if file.startswith(os.sep) else file


@cache
def _roots(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return every folder that modules come from, the longest first, each with its separator."""
    standard = [folder for name in ("stdlib", "platstdlib") if (folder := sysconfig.get_path(name))]
    folders = {*standard, *(entry for entry in path if Path(entry).is_dir()), str(Path(__file__).resolve().parents[2])}
    # site-packages lies within the folder of the standard library, and the nearer folder is the one that names a
    # package.
    return tuple(sorted((folder.rstrip(os.sep) + os.sep for folder in folders), key=len, reverse=True))
