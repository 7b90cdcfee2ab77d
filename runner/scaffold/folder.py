"""The folder of a new site."""

import re
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.whole_file import write_atomically
from stressweb.runner import registry
from stressweb.runner.scaffold import schemas

_FILES = Path(__file__).parent / "files"
_NAME = re.compile(r"[a-z][a-z0-9]{1,30}")
_HOLDER = "NAME"
_MODELINE = "# yaml-language-server: $schema="
"""Start of a YAML file's first line, which names its schema for editors."""


def new_site(name: str, folder: Path) -> list[Path]:
    """Write the folder of a new site into `folder` and return its files.

    Raises UserError, and writes nothing, for an invalid name, or one in use.
    """
    place, written = place_for(name, folder), []
    for file, text in files_of(name).items():
        written.append(place / file)
        written[-1].parent.mkdir(parents=True, exist_ok=True)
        write_atomically(written[-1], text)
    return [*written, *write_schemas(place)]


def write_schemas(place: Path) -> list[Path]:
    """Write the JSON Schemas of a site's files, for editors, and return their paths.

    They are next to the files, so that these can refer to them on any machine.
    """
    written = []
    for kind in ("site", "tasks"):
        written.append(place / f"{kind}.schema.json")
        write_atomically(written[-1], schemas.text_of(kind))
    return written


def add_schemas(place: Path) -> None:
    """Write the schemas into a site's folder, and references to them into its files."""
    for schema in write_schemas(place):
        about = place / f"{schema.name.partition('.')[0]}.yaml"
        text, first = about.read_text("utf-8"), f"{_MODELINE}{schema.name}\n"
        write_atomically(about, text if text.startswith(_MODELINE) else first + text)


def place_for(name: str, folder: Path) -> Path:
    """Return the folder of a new site; raises UserError for an invalid name, or one in use."""
    place = folder / name
    if not _NAME.fullmatch(name):
        raise UserError(f"site name {name!r} must be 2 to 31 lower-case letters and digits, and start with a letter")
    if name in registry.site_names():
        raise UserError(f"there is already a site {name!r}; choose another name")
    if place.exists():
        raise UserError(f"{place} already exists; choose another name, or remove it")
    return place


def files_of(name: str) -> dict[str, str]:
    """Return the files of a small site with this name, by file name."""
    paths = sorted(path for path in _FILES.rglob("*") if path.suffix in (".yaml", ".py"))
    return {path.relative_to(_FILES).as_posix(): path.read_text("utf-8").replace(_HOLDER, name) for path in paths}
