"""Tracebacks for recordings: complete, but without local folders and API keys."""

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
"""Longest recorded traceback, in characters; of a longer one, the beginning and the end are recorded."""
# Shortens paths only in the lines of the stack; in a message they may be the cause of the error.
_FILE = re.compile(r'(?<=File ")[^"\n]+(?=")')
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_SECRET_TEXT = re.compile(r"\bsk-[A-Za-z0-9_-]{16,}|(?<=Bearer )[^\s'\"]{8,}")


def trace_of(error: BaseException, environ: Mapping[str, str] = os.environ) -> str:
    """Return the whole traceback of an exception, causes included, scrubbed for a recording."""
    return scrubbed("".join(traceback.format_exception(error)), environ)


def trace_at(frame: FrameType, environ: Mapping[str, str] = os.environ) -> str:
    """Return the stack of a running thread, innermost call last, scrubbed for a recording."""
    return scrubbed(
        "".join(["Stack of the thread (most recent call last):\n", *traceback.format_stack(frame)]), environ
    )


def scrubbed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a text with tracebacks without API keys, and with paths that begin at the package."""
    # Hide keys before truncation, because half a key would not be recognised.
    named = _FILE.sub(lambda match: _from_package(match[0]), concealed(text, environ)).rstrip()
    if len(named) <= LONGEST:
        return named
    # The beginning shows the origin and the end the exception; endless recursion fills the middle.
    half_length = LONGEST // 2
    return f"{named[:half_length]}\n[{len(named) - 2 * half_length} characters left out]\n{named[-half_length:]}"


def concealed(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return a text without the API keys in the environment, and without text that looks like a key.

    A variable contains a key if its name suggests so and `is_secret` is true for its value: a made-up word for a local
    server is no secret.
    """
    # The longest first, because one key may be part of another.
    for secret in sorted(set(_secrets(environ)), key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    # Lone surrogates, which an agent may produce, cannot be written to a file.
    return _SECRET_TEXT.sub(HIDDEN, text).encode(errors="replace").decode()


def is_secret(value: str) -> bool:
    """Return whether a key is secret: at least 16 characters, or at least 6 with a digit."""
    return len(value) >= 16 or (len(value) >= 6 and re.search(r"\d", value) is not None)


def _secrets(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        if _SECRET_NAME.search(name) and is_secret(value.strip()):
            # A key from a file often ends with a line feed.
            yield value.strip()


def _from_package(file: str) -> str:
    for root in _roots(tuple(sys.path)):
        if file.startswith(root):
            return file[len(root) :]
    # Outside of the import path, the file name is enough.
    return Path(file).name if file.startswith(os.sep) else file


@cache
def _roots(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return all folders of modules with a trailing separator, the longest first."""
    standard = [folder for name in ("stdlib", "platstdlib") if (folder := sysconfig.get_path(name))]
    folders = {*standard, *(entry for entry in path if Path(entry).is_dir()), str(Path(__file__).resolve().parents[2])}
    # The longest first, because site-packages is inside the folder of the standard library.
    return tuple(sorted((folder.rstrip(os.sep) + os.sep for folder in folders), key=len, reverse=True))
