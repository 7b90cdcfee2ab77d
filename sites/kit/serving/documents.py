"""Files that people send and get: what their names may be, what type they are, and what is in them."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from flask import Response

from stressweb.core.entity import Entity

_TYPES = {
    "csv": "text/csv", "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "gif": "image/gif", "jpeg": "image/jpeg", "jpg": "image/jpeg", "json": "application/json", "md": "text/markdown",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "pdf": "application/pdf", "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "txt": "text/plain",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "zip": "application/zip",
}  # fmt: skip
"""Type of a file by its ending. Written out: what a machine knows of types, and what a form claims, may be anything."""
_UNKNOWN = "application/octet-stream"
_READ = ("text/", "application/json")
_LONGEST = 255
"""Bytes of a name that common file systems take."""


def ending(name: str) -> str:
    """Return what stands behind the last dot of a name, in small letters; nothing where there is no dot."""
    stem, dot, end = name.rpartition(".")
    return end.lower() if dot and stem else ""


def type_of(name: str) -> str:
    """Return the type of a file by its name."""
    return _TYPES.get(ending(name), _UNKNOWN)


def is_text(name: str) -> bool:
    """Return whether a file of this name is to hold text."""
    return type_of(name).startswith(_READ)


def cleaned(name: str) -> str:
    """Return a name as it can be kept: without a path, and without what nobody sees; nothing if no name is left."""
    # Some browsers once sent the whole path, and a form can send anything.
    last = re.split(r"[/\\]", name)[-1]
    # Controls, and marks that turn the order of letters around, so that an ending is not where it seems to be.
    seen = "".join(sign for sign in last if unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
    stored_name = " ".join(unicodedata.normalize("NFC", seen).split())
    return stored_name if stored_name.strip(". ") and len(stored_name.encode("utf-8", "replace")) <= _LONGEST else ""


def read(name: str, content: bytes) -> Entity:
    """Return a file as a row can hold it: its name, bytes, kilobytes, type, digest, and text if it is one."""
    return Entity(
        name=name,
        ending=ending(name),
        bytes=len(content),
        size=kilobytes(len(content)),
        type=type_of(name),
        digest=digest(content),
        text=_text(content) if is_text(name) else "",
    )


def kilobytes(count: int) -> int:
    """Return bytes as kilobytes, rounded up: no file that holds something has none."""
    return -(-count // 1000)


def digest(content: bytes) -> str:
    """Return the BLAKE2b hash of a file as 32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _text(content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return "" if "\x00" in text else text


@dataclass(frozen=True)
class Download:
    """A file that a browser is to keep, under this name."""

    name: str
    content: bytes

    def answer(self) -> Response:
        """Return the answer that holds it."""
        response = Response(self.content, mimetype=type_of(self.name))
        # Never a page of the site, whatever it holds.
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.set("Content-Disposition", "attachment", **_named(self.name))
        return response


def _named(name: str) -> dict[str, Any]:
    """Return how a header says a name: in plain letters, and beside them as it is if it has others."""
    name = cleaned(name) or "file"
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() or "file"
    return {"filename": plain} | ({} if plain == name else {"filename*": f"UTF-8''{_quoted(name)}"})


def _quoted(name: str) -> str:
    """Return a name as RFC 8187 writes it."""
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in name.encode())
