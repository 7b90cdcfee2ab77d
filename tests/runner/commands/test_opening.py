"""`--open` opens a page in a browser, or prints one line if no browser can show it."""

import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from stressweb.runner.commands.opening import has_display, open_page
from stressweb.runner.commands.report import write_report
from tests.support.saved_runs import saved

URL = "http://127.0.0.1:8090/"


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "firefox"}, "linux", True),
        ({}, "freebsd14", False),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_a_display_is_needed(environment: Mapping[str, str], platform: str, expected: bool) -> None:
    assert has_display(environment, platform) is expected


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("no_display")
def test_without_a_display_one_line_gives_the_address(capfd: pytest.CaptureFixture[str]) -> None:
    open_page(URL)
    assert capfd.readouterr() == ("", f"no browser could be opened; open {URL} yourself\n")


def open_in_process(browser: str, **environment: str) -> str:
    """Open the page in a process with this BROWSER, because a process looks for browsers only once; return its errors."""
    code = f"from stressweb.runner.commands.opening import open_page; open_page({URL!r})"
    environment = {**os.environ, "BROWSER": browser, **environment}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    return done.stderr


def test_the_browser_gets_the_address(tmp_path: Path) -> None:
    opened, script = tmp_path / "opened", tmp_path / "browser"
    script.write_text(f'#!/bin/sh\nprintf %s "$1" > "{opened}"\n', encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    assert open_in_process(str(script)) == ""
    assert opened.read_text(encoding="utf-8") == URL


def test_a_browser_that_does_not_start_is_reported_in_one_line() -> None:
    message = f"no browser could be opened; open {URL} yourself\n"
    assert open_in_process("/nowhere/browser", PATH="") == message


@pytest.mark.usefixtures("no_display")
def test_a_report_says_how_to_open_it_and_keeps_its_path_alone_on_standard_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    saved(tmp_path / "runs" / "first")
    monkeypatch.chdir(tmp_path)
    for open_it, how in ((False, "open it in your browser: "), (True, "no browser could be opened; open ")):
        write_report("first", Path("runs"), None, single_file=False, every=False, open_it=open_it, as_json=False)
        out, err = capfd.readouterr()
        assert out == "runs/first/report.html\n"
        assert f"{how}{(tmp_path / 'runs/first/report.html').as_uri()}" in err
