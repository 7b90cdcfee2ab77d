"""Uploaded and downloaded files: their names, types and contents."""

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
"""File types by extension. Listed here because the machine's type database and a form's claims are unreliable."""
_UNKNOWN = "application/octet-stream"
_READ = ("text/", "application/json")
_LONGEST = 255
"""Longest file name of common file systems, in bytes."""


def ending(name: str) -> str:
    """Return the extension of a name in lower case, without the dot; empty if there is none."""
    stem, dot, end = name.rpartition(".")
    return end.lower() if dot and stem else ""


def type_of(name: str) -> str:
    """Return the type of a file by its name."""
    return _TYPES.get(ending(name), _UNKNOWN)


def is_text(name: str) -> bool:
    """Return whether a file of this name is a text file."""
    return type_of(name).startswith(_READ)


def cleaned(name: str) -> str:
    """Return a name without its path and without invisible characters; empty if it is unusable."""
    # Some old browsers send the whole path, and a form can send anything.
    last = re.split(r"[/\\]", name)[-1]
    # Remove control characters, and marks that reverse the text direction and so disguise the extension.
    seen = "".join(sign for sign in last if unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
    stored_name = " ".join(unicodedata.normalize("NFC", seen).split())
    return stored_name if stored_name.strip(". ") and len(stored_name.encode("utf-8", "replace")) <= _LONGEST else ""


def read(name: str, content: bytes) -> Entity:
    """Return a file's columns for a row: name, size in bytes and kilobytes, type, digest, and text for a text file."""
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
    """Convert bytes to kilobytes, rounded up, so that only an empty file has 0."""
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
    """A file to download under a name."""

    name: str
    content: bytes

    def answer(self) -> Response:
        """Return the response with the file."""
        response = Response(self.content, mimetype=type_of(self.name))
        # Browsers must never show the file as a page of the site.
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers.set("Content-Disposition", "attachment", **_filename_parameters(self.name))
        return response


def _filename_parameters(name: str) -> dict[str, Any]:
    """Return the parameters of Content-Disposition: the name in ASCII, and the full name if it differs."""
    name = cleaned(name) or "file"
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() or "file"
    return {"filename": plain} | ({} if plain == name else {"filename*": f"UTF-8''{_quoted(name)}"})


def _quoted(name: str) -> str:
    """Encode a name according to RFC 8187."""
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~"
    return "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in name.encode())
