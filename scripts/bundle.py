"""Bundle the scripts of the page: `python scripts/bundle.py`. Does nothing if the bundles are current.

Set-up, the tests and the build of the wheel run it. A bundle is an expression, so that Python can hand settings to it.
"""

import hashlib
import json
import re
import runpy
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_OPTIONS = (
    "--bundle",
    # All bundles are in one folder, whatever folder their module is in.
    "--entry-names=[name]",
    "--format=esm",
    "--minify",
    # The text must read the same in every encoding of a document.
    "--charset=ascii",
    "--legal-comments=none",
    "--target=esnext",
    "--log-level=error",
)
_IMPORT = re.compile(r'^import [^;]* from "(\.[\w./]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"export\{(\w+) as \w+\};\s*$")


def entries(folder: Path = ROOT / "perturbations") -> dict[str, Path]:
    """Return the modules that the page, or the recorder, starts with, by name: those that no other one imports.

    `folder` has the folders of the modules. Raises ValueError if two of them would have the same bundle.
    """
    modules = [path for path in _places()["modules"](folder) if path.suffix == ".js"]
    imported = {(path.parent / name).resolve() for path in modules for name in _IMPORT.findall(path.read_text("utf-8"))}
    by_name: dict[str, Path] = {}
    for path in modules:
        if path.resolve() in imported:
            continue
        if path.stem in by_name:
            raise ValueError(f"{by_name[path.stem]} and {path} would have the same bundle; rename one")
        by_name[path.stem] = path
    return by_name


def build(folder: Path, modules: Sequence[Path]) -> None:
    """Write the bundles of some modules, which include what these import, into a folder."""
    node = runpy.run_path(str(ROOT / "scripts" / "node.py"))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as output:
        done = node["node"](node["tool"]("esbuild"), *modules, *_OPTIONS, f"--outdir={output}")
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        for path in modules:
            text = (Path(output) / path.name).read_text("utf-8")
            (folder / path.name).write_text(expression(text), "utf-8")


def expression(module: str) -> str:
    """Return an expression for the one name that a bundled module exports."""
    exported = _EXPORT.search(module)
    if exported is None:
        raise ValueError(f"a bundle must export one name: ...{module[-80:]!r}")
    # The browser compiles a function in parentheses at once; an arrow function it would read a second time.
    return f'(function(){{"use strict";{module[: exported.start()]}return {exported[1]}}})()'


def is_current() -> bool:
    """Return whether the bundles were made of the modules as they are, in the way that this file does it."""
    places = _places()
    return bool(places["are_fresh"]() and json.loads(places["MANIFEST"].read_text("utf-8")).get("tools") == _tools())


def renew() -> None:
    """Bundle the scripts of the page, unless the bundles are current."""
    if is_current():
        return
    places = _places()
    bundles: Path = places["BUNDLES"]
    with tempfile.TemporaryDirectory(prefix=".bundles-", dir=bundles.parent) as folder:
        part = Path(folder) / bundles.name
        build(part, list(entries().values()))
        manifest = {"modules": places["fingerprint"](), "tools": _tools()}
        (part / places["MANIFEST"].name).write_text(json.dumps(manifest) + "\n", "utf-8")
        shutil.rmtree(bundles, ignore_errors=True)
        part.rename(bundles)


def _tools() -> str:
    # The lock has the version of the bundler.
    texts = (Path(__file__).read_bytes(), (ROOT / "package-lock.json").read_bytes())
    return hashlib.blake2b(b"".join(texts), digest_size=16).hexdigest()


def _places() -> dict[str, Any]:
    # By its path: the build of the wheel has none of our packages, nor what they import.
    return runpy.run_path(str(ROOT / "perturbations" / "page" / "fingerprint.py"))


if __name__ == "__main__":
    try:
        renew()
    except (OSError, RuntimeError, ValueError) as error:
        sys.exit(f"stressweb: the scripts of the page could not be bundled: {error}")
