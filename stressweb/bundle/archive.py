"""Packs a run into one archive; the same recording always gives the same bytes."""

import hashlib
import json
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from stressweb.bundle.card import Card, card
from stressweb.bundle.card_text import markdown
from stressweb.bundle.layout import CARD, CARD_TEXT, MANIFEST, MEMBERS, Manifest, Member, is_bundle
from stressweb.core.errors import UserError
from stressweb.core.whole_file import atomic_file, check_folder
from stressweb.log.copying import copy
from stressweb.log.store import FILE, Store

PIECE = 1 << 20
"""Bytes per read or write."""
_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest date that zip supports, because the date of a member says nothing about the run."""


class Bundled(NamedTuple):
    """A bundle that was written."""

    card: Card
    sha256: str
    """Hash of the whole archive. Published separately, it proves that an archive is the original."""
    replaced: bool
    """Whether an earlier bundle was replaced."""


def bundle(run: Path, output: Path, *, name: str, pictures: bool = True) -> Bundled:
    """Write the run in a folder, called `name`, as an archive; screenshots only with `pictures`.

    Raises UserError, and changes no file, if the run cannot be read or was changed, or if `output` exists and is not a
    bundle.
    """
    replaced = _check(output)
    with tempfile.TemporaryDirectory(prefix="stressweb-bundle-") as scratch:
        folder = Path(scratch)
        # A copy, because the run may change while it is packed, and the card must describe exactly these bytes.
        copy(run / FILE, folder / FILE, pictures=pictures)
        with Store.read(folder / FILE) as store:
            run_card = card(store, name, pictures_left_out=not pictures)
        # A message may hold a lone surrogate, which UTF-8 cannot represent: it is written as an escape.
        (folder / CARD).write_text(in_json(run_card), encoding="utf-8", errors="backslashreplace")
        (folder / CARD_TEXT).write_text(markdown(run_card), encoding="utf-8", errors="backslashreplace")
        manifest = Manifest(
            stressweb=version("stressweb"),
            run=run_card["run"],
            pictures=run_card["pictures"],
            members={name: _member(folder / name) for name in MEMBERS if name != MANIFEST},
        )
        (folder / MANIFEST).write_text(in_json(manifest.model_dump()), encoding="utf-8")
        # The run's folder is private, so an archive in it is private too. Elsewhere, others may read it.
        with (
            atomic_file(output, private=output.parent.resolve() == run.resolve()) as file,
            ZipFile(file, "w") as archive,
        ):
            for member in MEMBERS:
                _add(archive, folder / member)
    return Bundled(run_card, _member(output).sha256, replaced)


def in_json(value: object) -> str:
    """Return a value as indented JSON."""
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _check(output: Path) -> bool:
    """Return whether `output` is an earlier bundle; raises UserError for any other file or a missing folder."""
    check_folder(output)
    if not output.exists() and not output.is_symlink():
        return False
    try:
        # Only a bundle is overwritten, never another file of the user's, not even through a link.
        if output.is_symlink() or not output.is_file() or not is_bundle(output):
            raise UserError(f"{output} exists and is not a stressweb bundle; choose another file with --output")
    except OSError as error:
        raise UserError(f"{output} cannot be read: {error.strerror or error}") from None
    return True


def _member(path: Path) -> Member:
    with path.open("rb") as file:
        return Member(bytes=path.stat().st_size, sha256=hashlib.file_digest(file, "sha256").hexdigest())


def _add(archive: ZipFile, path: Path) -> None:
    member_info = ZipInfo(path.name, _DATE)
    # By default these come from this machine, and the same run must give the same bytes everywhere.
    member_info.compress_type, member_info.create_system, member_info.external_attr = ZIP_DEFLATED, 3, 0o644 << 16
    # Set in advance, because zipfile uses it to decide whether a member needs 64-bit sizes.
    member_info.file_size = path.stat().st_size
    with path.open("rb") as source, archive.open(member_info, "w") as member:
        while piece := source.read(PIECE):
            member.write(piece)
