"""The import path of this package. All our modules are imported below it, so all other names are the user's."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder `stressweb`. In a checkout it has links to the packages next to it; in a wheel it contains them."""
ROOT = PACKAGE.parent
"""The entry of `sys.path` with the package."""
