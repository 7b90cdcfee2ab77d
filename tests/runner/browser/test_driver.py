"""Driver and browser get only the environment variables that they need."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.browser_program import find_browser
from stressweb.core.process_tree import descendants_of
from stressweb.runner.browser.driver import is_alive, launch, playwright, reduced
from tests.support.own_loop import run_in_thread
from tests.support.waiting import deadline

KEY = "sk-planted-0123456789"
CHILDREN = """
import asyncio, json, os, pathlib
from stressweb.core.browser_program import find_browser, launch_args
from stressweb.runner.browser.driver import playwright

def below(root):
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parents.setdefault(int(entry.read_text().rsplit(")", 1)[1].split()[1]), []).append(int(entry.parent.name))
        except OSError:
            pass
    found, left = [], [root]
    while left:
        found += (more := parents.get(left.pop(), []))
        left += more
    return found

async def main():
    async with playwright() as started:
        browser = await started.chromium.launch(executable_path=find_browser().path, args=launch_args())
        await (await browser.new_page()).set_content("<p>x")
        environs = {pid: pathlib.Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace") for pid in below(os.getpid())}
        print(json.dumps({"environs": environs, "own": os.environ.get("OPENAI_API_KEY")}))
        await browser.close()

asyncio.run(main())
"""


def test_a_planted_key_reaches_no_process_of_driver_and_browser() -> None:
    """Runs in a separate process, because Playwright's driver inherits the environment of its start."""
    planted = {
        "OPENAI_API_KEY": KEY,
        "PLAYWRIGHT_DISABLE_FORCED_CHROMIUM_PROXIED_LOOPBACK": "1",
        "HTTPS_PROXY": "http://x",
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", CHILDREN],
        env={**os.environ, **planted},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    output = json.loads(done.stdout)
    assert output["own"] == KEY
    assert len(output["environs"]) >= 3
    for environ in output["environs"].values():
        assert not any(name in environ for name in (KEY, *planted)), environ


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=5)))
def test_other_variables_are_left_out(environ: dict[str, str]) -> None:
    environment = reduced({**environ, "PATH": "/bin", "LC_ALL": "C", "PLAYWRIGHT_BROWSERS_PATH": "x", "XKEY": "x"})
    assert environment["PATH"] == "/bin"
    assert environment["LC_ALL"] == "C"
    assert not environment.keys() & {"PLAYWRIGHT_BROWSERS_PATH", "XKEY", "OPENAI_API_KEY"}


async def outlives(victim: str) -> tuple[bool, bool]:
    """Return whether a browser is alive before and after a process of it, or of its driver, is killed."""
    others = descendants_of(os.getpid())
    async with playwright() as started:
        browser = await launch(started, find_browser().path)
        before = await is_alive(browser)
        ours = descendants_of(os.getpid()) - others
        # The shell that started the browser has the same command line, and its end leaves the browser alive.
        named = [member.pid for member in ours if is_named(member.pid, victim)]
        assert named
        for pid in named:
            os.kill(pid, signal.SIGKILL)
        # Playwright notices when the pipe closes.
        end = deadline()
        while (after := await is_alive(browser)) and time.monotonic() < end:
            await asyncio.sleep(0.02)
        return before, after


def is_named(pid: int, victim: str) -> bool:
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    # Child processes have the same name as the browser, and a type.
    return victim in words and not any(word.startswith("--type=") for word in words)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
@pytest.mark.parametrize("victim", ["run-driver", "--remote-debugging-pipe"])
def test_a_browser_is_not_alive_without_its_process_or_its_driver(victim: str) -> None:
    assert run_in_thread(outlives(victim)) == (True, False)
