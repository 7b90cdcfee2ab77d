"""Where Python finds this package: every module of ours is imported below it, so all other names are the user's."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder `stressweb`: in a checkout it has links to the packages beside it, in a wheel it holds all packages."""
ROOT = PACKAGE.parent
"""The entry of `sys.path` by which the package is found."""
