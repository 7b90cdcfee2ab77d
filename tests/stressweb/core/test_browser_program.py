import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.core import browser_program as module
from stressweb.core.browser_program import (
    Browser,
    ask_version,
    ensure_browser,
    find_browser,
    launch_args,
    print_change,
    saying,
)
from stressweb.core.errors import InfrastructureError, UserError

pytestmark = [pytest.mark.sample(8, "file"), pytest.mark.starts]

type Install = Callable[[str, str], Path]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    """Put a program on the test's PATH that runs the given shell line."""

    def write(name: str, answer: str) -> Path:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{answer}\n")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment in which nothing is installed or downloaded."""
    return {
        "PATH": str(tmp_path / "bin"),
        "HOME": str(tmp_path),
        "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "downloads"),
    }


def test_a_browser_that_the_user_names_comes_first(install: Install, environ: dict[str, str]) -> None:
    install("chromium-headless-shell", "echo Chromium 1.0")
    named = install("mine", "echo Mine 2.0")
    browser = find_browser({**environ, "STRESSWEB_BROWSER": str(named)})
    assert (browser.path, browser.source, browser.version) == (named, "STRESSWEB_BROWSER", "Mine 2.0")


@pytest.mark.parametrize("answer", ["exit 1", "echo no number here", None])
def test_a_named_browser_that_does_not_work_is_a_user_error(
    install: Install, environ: dict[str, str], tmp_path: Path, answer: str | None
) -> None:
    install("chromium", "echo Chromium 1.0")
    named = install("mine", answer) if answer else tmp_path / "missing"
    with pytest.raises(UserError, match=r"STRESSWEB_BROWSER is .*; install chromium-headless-shell"):
        ensure_browser({**environ, "STRESSWEB_BROWSER": str(named)})


def test_a_browser_that_is_killed_while_reporting_its_version_is_asked_again(
    install: Install, environ: dict[str, str], tmp_path: Path
) -> None:
    count = tmp_path / "asked"
    install(
        "chromium-headless-shell", f"echo x >> {count}; [ $(wc -l < {count}) -lt 3 ] && kill -9 $$; echo Chromium 1.0"
    )
    browser = find_browser(environ | {"PATH": f"{environ['PATH']}:/usr/bin:/bin"})
    assert (browser.source, browser.version) == ("PATH", "Chromium 1.0")


def test_a_browser_that_is_killed_every_time_is_an_infrastructure_error(
    install: Install, environ: dict[str, str]
) -> None:
    path = install("chromium", "kill -9 $$")
    with pytest.raises(InfrastructureError, match=f"browser {path} was killed 3 times while reporting"):
        find_browser(environ)


def test_path_is_searched_in_the_published_order(install: Install, environ: dict[str, str]) -> None:
    for name in reversed(module.ON_PATH):
        path = install(name, f"echo {name} 1.0")
        assert find_browser(environ).path == path
        assert find_browser(environ).source == "PATH"


def test_a_browser_that_does_not_start_is_skipped(install: Install, environ: dict[str, str]) -> None:
    install("chromium-headless-shell", "echo needs a snap >&2; exit 1")
    working = install("google-chrome", "echo; echo Google Chrome 140.0")
    assert find_browser(environ).path == working


def test_playwrights_download_comes_after_path(environ: dict[str, str]) -> None:
    with pytest.raises(UserError):
        find_browser(environ)
    plan = subprocess.run(
        [sys.executable, "-m", "playwright", "install", "--dry-run", "chromium-headless-shell"],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    folder = next(line for line in plan.stdout.splitlines() if "Install location" in line).partition(":")[2].strip()
    shell = Path(folder) / "chrome-headless-shell-linux64" / "chrome-headless-shell"
    shell.parent.mkdir(parents=True)
    shell.write_text("#!/bin/sh\necho Chrome 3.0\n")
    shell.chmod(0o755)
    browser = find_browser(environ)
    assert (browser.path, browser.source) == (shell, "Playwright")


def test_without_a_browser_the_error_names_one_to_install(environ: dict[str, str]) -> None:
    with pytest.raises(UserError) as caught:
        find_browser(environ)
    assert "apt-get install" in str(caught.value)
    assert "STRESSWEB_BROWSER" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_installers_are_tried_in_order_until_one_works(
    install: Install, environ: dict[str, str], tmp_path: Path
) -> None:
    browser, ran = install("waiting", "echo Chromium 4.0"), tmp_path / "ran"
    first = install("first", f"echo first >> {ran}; exit 1")
    second = install("second", f"echo second >> {ran}; /bin/mv {browser} {browser.with_name('chromium')}")
    third = install("third", f"echo third >> {ran}")
    steps = [("one", [[str(first)]]), ("two", [[str(second)], [str(third)]])]
    messages: list[str] = []
    assert ensure_browser(environ, messages.append, steps).version == "Chromium 4.0"
    assert ran.read_text().split() == ["first", "second"]
    assert messages == ["no browser found, installing one", "no browser found, installing two"]


def test_nothing_is_installed_if_there_is_a_browser(install: Install, environ: dict[str, str], tmp_path: Path) -> None:
    install("chromium", "echo Chromium 1.0")
    installer = install("installer", f"echo ran > {tmp_path / 'ran'}")
    assert ensure_browser(environ, installers=[("it", [[str(installer)]])]).version == "Chromium 1.0"
    assert not (tmp_path / "ran").exists()


def test_only_root_runs_without_the_sandbox() -> None:
    assert "--no-sandbox" in launch_args(root=True)
    assert "--no-sandbox" not in launch_args(root=False)
    assert ("--no-sandbox" in launch_args()) is (os.geteuid() == 0)


def test_the_browser_of_this_machine_answers() -> None:
    assert ask_version(find_browser().path) == find_browser().version


def test_slow_work_is_reported_repeatedly() -> None:
    messages: list[str] = []
    heard = threading.Event()

    def say(line: str) -> None:
        messages.append(line)
        heard.set()

    with saying(say, "still trying one", every_s=0.01):
        assert heard.wait(20)
    assert messages[0] == "still trying one, 0 s so far"


def test_a_changed_browser_is_reported_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (Browser(Path("/bin/browser"), "PATH", version) for version in ("Chromium 156.0", "Chromium 157.0"))
    for browser, expected in ((first, True), (first, False), (second, True), (second, False)):
        print_change(browser, tmp_path / "known")
        line = f"stressweb: browser: {browser.version} at /bin/browser, by PATH\n" if expected else ""
        assert capsys.readouterr().err == line
    print_change(first, tmp_path / "missing" / "known")
    assert "Chromium 156.0" in capsys.readouterr().err
