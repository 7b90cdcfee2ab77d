"""The sites that ship: `kit` makes a site from its spec and a seed, every other folder is one site.

This module says what there is, and imports nothing of it. Other packages import from here and from
`stressweb.sites.kit` alone.
"""

if __name__ == "sites":  # by its folder, which is on the import path in a checkout
    raise ModuleNotFoundError("No module named 'sites'; import stressweb.sites", name="sites")

from functools import cache
from pathlib import Path

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError

FOLDER = Path(__file__).parent
CHAINS_FILE = FOLDER / "chains.yaml"
"""The tasks that lead over several sites."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of the sites that ship, sorted; nothing is read."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/site.yaml")))


def folder_of(name: str) -> Path:
    """Return the folder of a site that ships; raises UserError for an unknown name."""
    if name not in names():
        raise UserError(unknown("site", name, names(), command="stressweb list sites"))
    # Only a name that was listed gets here, so no name leads out of the folder of the sites.
    return FOLDER / name
