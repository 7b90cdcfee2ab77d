"""The shipped sites: `kit` builds a site from its spec and a seed, every other folder is a site.

This module lists the sites without importing them. Other packages import only from here and from
`stressweb.sites.kit`.
"""

if __name__ == "sites":  # imported by its folder, which is on the import path in a checkout
    raise ModuleNotFoundError("No module named 'sites'; import stressweb.sites", name="sites")

from functools import cache
from pathlib import Path

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError

FOLDER = Path(__file__).parent
CHAINS_FILE = FOLDER / "chains.yaml"
"""The file of the tasks that span several sites."""


@cache
def names() -> tuple[str, ...]:
    """Return the sorted names of the shipped sites, without reading their files."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/site.yaml")))


def folder_of(name: str) -> Path:
    """Return the folder of a shipped site; raises UserError for an unknown name."""
    if name not in names():
        raise UserError(unknown("site", name, names(), command="stressweb list sites"))
    # The name is one of the listed ones, so the path cannot lead out of the folder of the sites.
    return FOLDER / name
