"""Checks and unpacks a bundle. It is untrusted: nothing in it is used before it was checked."""

import hashlib
import json
import shutil
import zlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from pydantic import ValidationError

from stressweb.bundle.archive import PIECE
from stressweb.bundle.card import Card, card
from stressweb.bundle.card_text import markdown
from stressweb.bundle.layout import CARD, CARD_TEXT, MANIFEST, MEMBERS, Manifest, Member, directory_bytes
from stressweb.core.bounded_json import json_in
from stressweb.core.errors import AlteredError, UserError
from stressweb.core.validation import first
from stressweb.log.run_file import PRIVATE_FILE
from stressweb.log.store import FILE, Store

_MOST_LISTED = 10_000
"""Largest central directory, in bytes; ours has about 300."""
_MOST_MANIFEST = 10_000
_MOST_CARD = 256_000_000
"""Largest card, in bytes; ours has about 100 per cell."""
_MOST_EXPANDED = 100
"""Largest expansion factor of a recording; ours is about 2, because its pages are already compressed."""
_SMALL = 10_000_000
"""Up to this size, in bytes, the expansion factor is not limited: an empty database is mostly zeros."""


def unpack(path: Path, folder: Path) -> Manifest:
    """Check a bundle and write its recording to a folder; return its manifest.

    Checks that the members are those of a bundle and match their hashes, that every episode matches its seal and pages,
    and that the card follows from the recording. Raises UserError that names the member at fault.
    """
    try:
        # Checked first, because `ZipFile` reads the whole directory into memory, whatever its size.
        directory_size = directory_bytes(path)
        if directory_size is None or directory_size > _MOST_LISTED:
            raise UserError(f"{path} is not a stressweb bundle: make one with `stressweb bundle RUN`")
        with ZipFile(path) as archive:
            return _Bundle(path, archive).unpack(folder)
    except BadZipFile as error:
        raise UserError(f"bundle {path} is damaged: {error}") from None
    except OSError as error:
        raise UserError(f"bundle {path} cannot be read: {error.strerror or error}") from None


class _Bundle:
    """An open archive."""

    def __init__(self, path: Path, archive: ZipFile) -> None:
        self._path, self._archive = path, archive
        self._members = {member.filename: member for member in archive.infolist()}

    def unpack(self, folder: Path) -> Manifest:
        # In this order, because each step relies on the checks of the earlier ones.
        self._check_names()
        manifest = self._manifest()
        card_json = self._text(CARD, manifest)
        written = self._text(CARD_TEXT, manifest)
        self._write(manifest, folder / FILE)
        self._check_card(manifest, folder / FILE, card_json, written)
        return manifest

    def _check_names(self) -> None:
        for member in self._archive.infolist():
            if member.filename not in MEMBERS:
                raise self._refusal(member.filename[:80], "is not a bundle member")
            # The archive must not choose names or kinds of files: links, for example, are rejected.
            if member.external_attr >> 28 not in (0, 8) or member.compress_type != ZIP_DEFLATED or member.flag_bits & 1:
                raise self._refusal(member.filename, "is not a plain file")
        for name in MEMBERS:
            # Of two members with one name, a program might read the one that was not checked.
            count = sum(member.filename == name for member in self._archive.infolist())
            if count != 1:
                raise self._refusal(name, "is missing" if not count else f"occurs {count} times")

    def _manifest(self) -> Manifest:
        try:
            manifest = Manifest.model_validate(json_in(self._bytes(MANIFEST, _MOST_MANIFEST)))
        except ValidationError as error:
            raise self._refusal(
                MANIFEST, f"cannot be read by this version of stressweb: {first(error)[:200]}"
            ) from None
        except ValueError:
            raise self._refusal(MANIFEST, "is not JSON") from None
        if sorted(manifest.members) != sorted(name for name in MEMBERS if name != MANIFEST):
            raise self._refusal(MANIFEST, "does not list the members of a bundle")
        return manifest

    def _text(self, name: str, manifest: Manifest) -> str:
        data = self._bytes(name, _MOST_CARD)
        self._compare(name, manifest.members[name], len(data), hashlib.sha256(data).hexdigest())
        return data.decode("utf-8", "replace")

    def _write(self, manifest: Manifest, target: Path) -> None:
        member_info, stated_member = self._members[FILE], manifest.members[FILE]
        # Both sizes come from the archive and may be wrong, so the bytes are counted while they are unpacked.
        largest_size = max(_SMALL, _MOST_EXPANDED * member_info.compress_size)
        if stated_member.bytes > largest_size or stated_member.bytes > (free := shutil.disk_usage(target.parent).free):
            why = (
                f"expands to more than {largest_size} bytes"
                if stated_member.bytes > largest_size
                else f"needs {stated_member.bytes} bytes of {free}"
            )
            raise self._refusal(FILE, why)
        # Created private and empty, so other users can never read it.
        target.touch(PRIVATE_FILE, exist_ok=False)
        hasher, size = hashlib.sha256(), 0
        with target.open("wb") as file:
            for piece in self._pieces(member_info, stated_member.bytes):
                hasher.update(piece)
                size += len(piece)
                file.write(piece)
        self._compare(FILE, stated_member, size, hasher.hexdigest())

    def _compare(self, name: str, stated: Member, size: int, sha256: str) -> None:
        if (size, sha256) != (stated.bytes, stated.sha256):
            raise self._refusal(name, "was changed after the bundle was made: its hash differs")

    def _check_card(self, manifest: Manifest, database: Path, card_json: str, written: str) -> None:
        try:
            with Store.read(database) as store:
                # Hashes do not reveal changes from before the archive was made; the seals of the episodes do.
                for key, misfit in store.altered(contents=True).items():
                    raise AlteredError(f"episode {key} was changed after it was recorded: {misfit}")
                store.check_whole()
                own = card(store, manifest.run, pictures_left_out=manifest.pictures == "left out")
        except UserError as error:
            raise self._refusal(FILE, f"does not hold: {str(error).replace(str(database), FILE)}") from None
        same_version = manifest.stressweb == version("stressweb")
        if differing := _differing(own, self._card(card_json), strict=same_version):
            raise self._refusal(CARD, f"does not match the recording in: {', '.join(differing)}")
        # Another version may word the card differently, so then only its hash is checked.
        if same_version and markdown(own) != written:
            raise self._refusal(CARD_TEXT, "does not match the recording")

    def _card(self, text: str) -> Card:
        try:
            parsed = json_in(text)
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            raise self._refusal(CARD, "is not a JSON object")
        return parsed

    def _bytes(self, name: str, most: int) -> bytes:
        return b"".join(self._pieces(self._members[name], most))

    def _pieces(self, member_info: ZipInfo, largest: int) -> Iterator[bytes]:
        """Yield the bytes of a member, whatever size the archive states; raises UserError for more than `largest`."""
        size = 0
        try:
            with self._archive.open(member_info) as member:
                while piece := member.read(PIECE):
                    size += len(piece)
                    if size > largest:
                        raise self._refusal(member_info.filename, f"has more than {largest} bytes")
                    yield piece
        # zipfile has no common exception for damaged data.
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise self._refusal(member_info.filename, f"was changed after the bundle was made: {error}") from None

    def _refusal(self, name: str, why: str) -> UserError:
        return UserError(f"bundle {self._path} cannot be trusted: its member {name} {why}")


def _differing(own: Card, stated: Card, *, strict: bool) -> list[str]:
    """Return the entries in which two cards differ; unless `strict`, entries that only one card has are ignored."""
    # Through JSON, as in a file, where tuples are lists and all keys are strings.
    plain = json.loads(json.dumps(own))
    names = plain.keys() | stated.keys() if strict else plain.keys() & stated.keys()
    return [name[:80] for name in sorted(names) if plain.get(name) != stated.get(name)]
