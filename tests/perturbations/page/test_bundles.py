"""The bundles of the page's scripts: which there are, and that none is used that was made of other scripts."""

import shutil
from pathlib import Path

import pytest

from scripts import bundle
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.perturbations import MODES, mode
from stressweb.perturbations.page import bundles, fingerprint
from stressweb.runner.registry import engine
from tests.perturbations.bundled import copied_modules


def test_each_script_of_a_mode_and_each_start_is_a_bundle() -> None:
    scripts = {mode(name).at(3).rule(Seeds(0, 0, "toy/x")).script.stem for name in MODES}
    assert scripts | {"natives", "runtime", "key_maker"} == set(bundle.entries())
    assert all(bundles.bundle(name).is_file() for name in bundle.entries())


@pytest.mark.parametrize("changed", ["page/draws.js", "noise/noise_cuts.js", "popup/dialogs.json"])
def test_bundles_of_other_scripts_are_refused(tmp_path: Path, changed: str) -> None:
    copied_modules(tmp_path)
    shutil.copytree(fingerprint.BUNDLES, tmp_path / "page" / "bundles")
    bundles.check_bundles_are_fresh(tmp_path)
    (tmp_path / changed).write_text("export const makeDraws = () => 1;\n", "utf-8")
    bundles.check_bundles_are_fresh.cache_clear()
    with pytest.raises(UserError, match="make setup"):
        bundles.check_bundles_are_fresh(tmp_path)
    (tmp_path / "page" / "bundles" / "manifest.json").unlink()
    with pytest.raises(UserError, match="make setup"):
        bundles.check_bundles_are_fresh(tmp_path)


@pytest.mark.parametrize("text", ["var a=1;", "var a=1,b=2;export{a as x,b as y};"])
def test_a_module_must_export_one_name(text: str) -> None:
    with pytest.raises(ValueError, match="must export one name"):
        bundle.expression(text)


def test_an_expression_gives_what_the_module_exports() -> None:
    assert bundle.expression("var a=1;export{a as x};\n") == '(function(){"use strict";var a=1;return a})()'


def test_two_modules_with_the_same_bundle_are_refused(tmp_path: Path) -> None:
    copied_modules(tmp_path)
    # A module that another one imports has no bundle.
    (tmp_path / "chaos" / "noise_cuts.js").write_text("export const makeCut = () => 1;\n", "utf-8")
    (tmp_path / "chaos" / "chaos.js").write_text('import { makeCut } from "./noise_cuts.js";\n', "utf-8")
    assert set(bundle.entries()) <= set(bundle.entries(tmp_path))
    (tmp_path / "failure" / "remap.js").write_text("export const makeRemap = () => 1;\n", "utf-8")
    with pytest.raises(ValueError, match=r"failure/remap\.js and \S+/remap/remap\.js would have the same bundle"):
        bundle.entries(tmp_path)


def test_the_engine_is_known_by_its_bundles_and_not_by_their_modules() -> None:
    files = {path.relative_to(fingerprint.SCRIPTS).as_posix() for path in engine.code_in(fingerprint.SCRIPTS)}
    scripts = {path for path in files if path.endswith(".js")}
    assert scripts == {f"page/bundles/{name}.js" for name in bundle.entries()}
    assert {"page/parts.py", "chaos/__init__.py", "remap/explicit.py"} <= files
