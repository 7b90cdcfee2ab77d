"""`stressweb docs` as a command: serving, building and error messages."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.core.errors import InfrastructureError, UserError
from stressweb.runner.commands import docs
from tests.runner.commands.command_line import Result


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one document and no built site."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "start.md").write_text("# Start\n")
    (tmp_path / docs.CONFIG).write_text("site_name: ours\n")
    monkeypatch.setattr(docs, "CHECKOUT", tmp_path)
    return tmp_path


def built_site(root: Path) -> Path:
    """Write a site that is newer than its documents; return its first page."""
    first = root / "build" / "site" / "index.html"
    first.parent.mkdir(parents=True)
    first.write_text("<h1>built</h1>")
    os.utime(first, (first.stat().st_atime, first.stat().st_mtime + 10))
    return first


@pytest.fixture
def without_mkdocs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide MkDocs where it is installed."""
    for name in docs.NEEDED:
        monkeypatch.setitem(sys.modules, name, None)


MKDOCS = """import sys
from pathlib import Path
site = Path(sys.argv[sys.argv.index("--site-dir") + 1])
site.mkdir(parents=True, exist_ok=True)
(site / "index.html").write_text("built")
with Path(__file__).with_name("built").open("a") as file:
    print(site, file=file)
"""


@pytest.fixture
def builds(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Path]]:
    """Install a program in place of MkDocs; return a function that returns the folders of all builds."""
    packages = tmp_path_factory.mktemp("packages")
    for name in docs.NEEDED:
        (packages / name).mkdir()
        (packages / name / "__init__.py").touch()
    (packages / "mkdocs" / "__main__.py").write_text(MKDOCS)
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.setenv("PYTHONPATH", str(packages))
    built = packages / "mkdocs" / "built"
    return lambda: [Path(line) for line in built.read_text().splitlines()] if built.exists() else []


@pytest.mark.usefixtures("without_mkdocs")
def test_a_site_that_is_not_built_gets_one_line(checkout: Path, call: Callable[..., Result]) -> None:
    status, out, err = call("docs", "--port", "0")
    assert (status, out, err) == (2, "", "stressweb: the docs site is not built; build it with: make site\n")


@pytest.mark.usefixtures("without_mkdocs")
def test_a_built_site_needs_no_mkdocs_and_says_when_it_is_old(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = built_site(checkout)
    with docs.site(docs.source()) as folder:
        assert (folder / "index.html").read_text() == "<h1>built</h1>"
    assert capsys.readouterr().err == ""
    os.utime(checkout / "docs" / "start.md", (0, first.stat().st_mtime + 10))
    with docs.site(checkout):
        pass
    assert "rebuild it with: make site" in capsys.readouterr().err


def test_with_mkdocs_it_is_built_where_it_is_missing_or_old(checkout: Path, builds: Callable[[], list[Path]]) -> None:
    with docs.site(checkout) as folder:
        assert builds() == [folder] == [checkout / "build" / "site"]
    first = folder / "index.html"
    os.utime(first, (0, first.stat().st_mtime + 10))
    with docs.site(checkout):
        assert len(builds()) == 1, "a site that is newer than its documents stays"
    os.utime(checkout / docs.CONFIG, (0, first.stat().st_mtime + 10))
    with docs.site(checkout):
        assert builds() == [checkout / "build" / "site"] * 2


@pytest.fixture
def shared(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents of an installed package."""
    return Path(shutil.copytree(checkout, tmp_path_factory.mktemp("share") / "stressweb"))


@pytest.mark.usefixtures("without_mkdocs")
def test_an_installed_package_needs_mkdocs(shared: Path) -> None:
    root = docs.source(shared / "nowhere", shared)
    with pytest.raises(UserError, match=r"pip install 'stressweb\[docs\]'"), docs.site(root):
        pass


def test_an_installed_package_builds_into_a_temporary_folder(shared: Path, builds: Callable[[], list[Path]]) -> None:
    with docs.site(docs.source(shared / "nowhere", shared)) as folder:
        assert builds() == [folder]
        assert folder.is_dir()
        assert not folder.is_relative_to(shared)
    assert not folder.exists()
    with pytest.raises(InfrastructureError, match="the documents are missing"):
        docs.source(shared / "nowhere", shared / "docs")


def test_errors_of_mkdocs_are_passed_on(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(checkout / "own"))
    module = checkout / "own" / "mkdocs" / "__main__.py"
    module.parent.mkdir(parents=True)
    module.write_text("import sys\nsys.exit('a link leads nowhere: ' + ' '.join(sys.argv[1:]))\n")
    with pytest.raises(
        InfrastructureError,
        match=r"could not be built: a link leads nowhere: build --strict --config-file .*mkdocs\.yml",
    ):
        docs.build(checkout, checkout / "out")


def test_a_port_in_use_gets_one_line(checkout: Path, call: Callable[..., Result]) -> None:
    built_site(checkout)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        status, out, err = call("docs", "--port", str(taken.getsockname()[1]))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "choose another, or 0 for a free one" in err


def test_it_serves_until_interrupted(checkout: Path) -> None:
    built_site(checkout)
    code = (
        "import sys\nfrom pathlib import Path\nfrom stressweb.runner.commands import docs\n"
        "docs.CHECKOUT = Path(sys.argv[1])\ndocs.NEEDED = ('nothing_of_this_name',)\n"
        "sys.exit(docs.docs(0, open_it=False, as_json=True))"
    )
    # A shell starts background processes with SIGINT ignored, and children inherit that.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-P", "-c", code, str(checkout)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    try:
        assert process.stdout
        output = json.loads(process.stdout.readline())
        connection = http.client.HTTPConnection(
            "127.0.0.1", int(output["url"].rpartition(":")[2].rstrip("/")), timeout=60
        )
        connection.request("GET", "/")
        assert b"built" in connection.getresponse().read()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert (process.returncode, "Traceback" in err) == (0, False), err
    finally:
        process.kill()
        process.communicate()
