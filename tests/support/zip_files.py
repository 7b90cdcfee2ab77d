"""Bundles opened, changed and closed again, as forged by somebody who knows the format."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from stressweb.bundle.archive import in_json
from stressweb.bundle.layout import MANIFEST
from stressweb.log.sealing import seal


def members(path: Path) -> dict[str, bytes]:
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path: Path, parts: Mapping[str, bytes], *, about: Callable[[ZipInfo], None] = lambda info: None) -> Path:
    with ZipFile(path, "w") as archive:
        for name, content in parts.items():
            info = ZipInfo(name)
            info.compress_type, info.external_attr = ZIP_DEFLATED, 0o644 << 16
            about(info)
            archive.writestr(info, content)
    return path


def fitted(parts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return members with a fitting manifest, as forged by somebody who knows the format."""
    manifest = json.loads(parts[MANIFEST])
    manifest["members"] = {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} for name, content in parts.items() if name != MANIFEST
    }  # fmt: skip
    return {**parts, MANIFEST: in_json(manifest).encode()}


def database(content: bytes, folder: Path, *sql: str, sealed: bool = False) -> bytes:
    path = folder / "edited.db"
    path.write_bytes(content)
    with sqlite3.connect(path) as connection:
        for statement in sql:
            connection.execute(statement)
        if sealed:
            for (key,) in connection.execute("SELECT cell FROM episode").fetchall():
                connection.execute("UPDATE episode SET seal = ? WHERE cell = ?", (seal(connection, key), key))
    connection.close()
    return path.read_bytes()
