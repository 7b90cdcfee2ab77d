"""`stressweb docs` as a command: serving, building and error messages."""

import http.client
import json
import os
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


def without_mkdocs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "NEEDED", ("nothing_of_this_name",))


def with_mkdocs(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Replace MkDocs; return a list that collects the folders of all builds."""
    built: list[Path] = []
    monkeypatch.setattr(docs, "NEEDED", ("json",))
    monkeypatch.setattr(docs, "build", lambda root, folder: built.append(folder))
    return built


def test_a_site_that_is_not_built_gets_one_line(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, call: Callable[..., Result]
) -> None:
    without_mkdocs(monkeypatch)
    status, out, err = call("docs", "--port", "0")
    assert (status, out, err) == (2, "", "stressweb: the docs site is not built; build it with: make site\n")


def test_a_built_site_needs_no_mkdocs_and_says_when_it_is_old(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_mkdocs(monkeypatch)
    first = built_site(checkout)
    with docs.site(docs.source()) as folder:
        assert (folder / "index.html").read_text() == "<h1>built</h1>"
    assert capsys.readouterr().err == ""
    os.utime(checkout / "docs" / "start.md", (0, first.stat().st_mtime + 10))
    with docs.site(checkout):
        pass
    assert "rebuild it with: make site" in capsys.readouterr().err


def test_with_mkdocs_it_is_built_where_it_is_missing_or_old(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = with_mkdocs(monkeypatch)
    with docs.site(checkout) as folder:
        assert built == [folder] == [checkout / "build" / "site"]
    first = built_site(checkout)
    with docs.site(checkout):
        assert len(built) == 1, "a site that is newer than its documents stays"
    os.utime(checkout / docs.CONFIG, (0, first.stat().st_mtime + 10))
    with docs.site(checkout):
        assert built == [checkout / "build" / "site"] * 2


def test_an_installed_package_builds_into_a_temporary_folder(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setattr(docs, "CHECKOUT", tmp_path_factory.mktemp("site-packages"))
    monkeypatch.setattr(docs, "SHARED", checkout)
    without_mkdocs(monkeypatch)
    with pytest.raises(UserError, match=r"pip install 'stressweb\[docs\]'"), docs.site(docs.source()):
        pass
    built = with_mkdocs(monkeypatch)
    with docs.site(docs.source()) as folder:
        assert built == [folder]
        assert folder.is_dir()
        assert not folder.is_relative_to(checkout)
    assert not folder.exists()
    monkeypatch.setattr(docs, "SHARED", tmp_path_factory.mktemp("empty"))
    with pytest.raises(InfrastructureError, match="the documents are missing"):
        docs.source()


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
