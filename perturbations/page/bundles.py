"""The bundled scripts of the page. Each is a JavaScript expression that evaluates to its module's exported function."""

from functools import cache
from pathlib import Path

from stressweb.core.errors import UserError
from stressweb.core.javascript import source
from stressweb.perturbations.page.fingerprint import BUNDLES, SCRIPTS, are_fresh


def bundle(name: str) -> Path:
    """Return the path of a bundle: `natives`, `runtime`, `key_maker`, or the script of a mode."""
    return BUNDLES / f"{name}.js"


@cache
def script_expression(path: Path) -> str:
    """Return a bundle, or a script of a plug-in, as a JavaScript expression.

    Raises UserError if the bundles are out of date.
    """
    if path.parent != BUNDLES:
        return source(path)
    check_bundles_are_fresh()
    return path.read_text(encoding="utf-8")


@cache
def check_bundles_are_fresh(folder: Path = SCRIPTS) -> None:
    """Raise UserError if the bundles are missing or out of date."""
    if not are_fresh(folder):
        raise UserError(
            f"the page scripts in {folder} are missing or out of date; run `make setup`, which bundles them"
        )
