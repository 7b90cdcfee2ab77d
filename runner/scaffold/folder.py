"""The folder of a new site."""

import re
from pathlib import Path

from runner import registry
from stressweb.core.errors import UserError
from stressweb.core.whole_file import put

_FILES = Path(__file__).parent / "files"
_NAME = re.compile(r"[a-z][a-z0-9]{1,30}")
_HOLDER = "NAME"


def new_site(name: str, folder: Path) -> list[Path]:
    """Write the folder of a new site into `folder` and return its files.

    The name stands in ids of tasks, in labels, and in the host. Raises UserError, and writes nothing, for a name that
    is none or is taken.
    """
    place = folder / name
    if not _NAME.fullmatch(name):
        raise UserError(f"site name {name!r} must be 2 to 31 lower-case letters and digits that begin with a letter")
    if name in registry.site_names():
        raise UserError(f"there is a site {name!r} already; choose another name")
    if place.exists():
        raise UserError(f"{place} is there already; choose another name, or remove it first")
    written = []
    for path in sorted(one for one in _FILES.rglob("*") if one.suffix in (".yaml", ".py")):
        written.append(place / path.relative_to(_FILES))
        written[-1].parent.mkdir(parents=True, exist_ok=True)
        put(written[-1], path.read_text("utf-8").replace(_HOLDER, name))
    return written
