"""`stressweb docs`: serves the documentation as a web site."""

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from stressweb.core.errors import InfrastructureError, UserError
from stressweb.runner.commands.output import say
from stressweb.runner.commands.serve import check_port, serve_pages
from stressweb.runner.view.pages import create_pages
from stressweb.runner.view.server import served

CONFIG = "mkdocs.yml"
NEEDED = ("material", "mkdocs", "mkdocstrings")
"""Modules that the extra `docs` installs."""
CHECKOUT = Path(__file__).resolve().parents[2]
SHARED = Path(sysconfig.get_path("data")) / "share" / "stressweb"
"""Folder of an installed package's documents."""


def docs(port: int, *, open_it: bool, as_json: bool) -> int:
    """Print the address of the docs site and serve it on 127.0.0.1 until interrupted.

    Raises UserError if the site is not built and cannot be built, and for a port in use.
    """
    check_port(port)
    with site(source()) as folder, served(create_pages(folder), port) as url:
        serve_pages(url, "documents", folder, open_it=open_it, as_json=as_json)
    return 0


def source(checkout: Path | None = None, shared: Path = SHARED) -> Path:
    """Return the folder of the documents and the site's configuration."""
    places = (checkout or CHECKOUT, shared)
    for place in places:
        if (place / CONFIG).is_file():
            return place
    raise InfrastructureError(f"the documents are missing: neither {places[0]} nor {places[1]} has {CONFIG}")


@contextmanager
def site(root: Path) -> Iterator[Path]:
    """Yield the folder of the built site.

    In a checkout, this is the folder of `make site`, rebuilt if a document has changed. The folder of an installed
    package may not be writable, so its site is built in a temporary one.
    """
    can_build = all(find_spec(name) for name in NEEDED)
    if root != CHECKOUT:
        if not can_build:
            raise UserError("docs needs MkDocs; install it with: pip install 'stressweb[docs]'")
        with tempfile.TemporaryDirectory(prefix="stressweb-docs-") as folder:
            build(root, Path(folder))
            yield Path(folder)
        return
    built = root / "build" / "site"
    stale = is_stale(root, built)
    if stale and can_build:
        build(root, built)
    elif not (built / "index.html").is_file():
        raise UserError("the docs site is not built; build it with: make site")
    elif stale:
        say("the documents have changed since the docs site was built; rebuild it with: make site", err=True)
    yield built


def is_stale(root: Path, built: Path) -> bool:
    """Return whether a document is newer than the site, or there is no site."""
    first = built / "index.html"
    if not first.is_file():
        return True
    sources = [root / CONFIG, *root.glob("*.md"), *(root / "docs").rglob("*")]
    return max(path.stat().st_mtime for path in sources) > first.stat().st_mtime


def build(root: Path, folder: Path) -> None:
    """Build the site of the documents below `root` into a folder; raises InfrastructureError if MkDocs fails."""
    say("stressweb: building the docs site", err=True)
    # Without --quiet, with which MkDocs ignores warnings.
    command = [sys.executable, "-P", "-m", "mkdocs", "build", "--strict"]
    command += ["--config-file", str(root / CONFIG), "--site-dir", str(folder)]
    # Suppress an announcement that Material for MkDocs prints at every start.
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InfrastructureError(f"the docs site could not be built: {(done.stderr or done.stdout).strip()[-500:]}")
