"""The ways in which an external agent takes part in a host's episodes; each plays cells and returns their ends."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from stressweb.core.browser_program import find_browser
from tests.integrations.cells import Cells
from tests.support.episode_server import ROOT, Server
from tests.support.extra_packages import python_with

HERE = Path(__file__).parent
type Ended = list[dict[str, Any]]
"""How the episodes ended, in the order of the cells."""


def answer_of(command: list[Any], cells: Cells, **environ: str) -> dict[str, Any]:
    """Return the JSON that a program prints; it gets the cells through standard input."""
    done = subprocess.run(
        command, input=json.dumps(cells), capture_output=True, text=True, env=os.environ | environ, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


def gym(host: Server, cells: Cells, folder: Path) -> dict[str, Any]:
    """Play in BrowserGym."""
    python = python_with(str(ROOT / "integrations" / "browsergym"), "stressweb_browsergym", folder)
    command = [python, "-P", HERE / "gym_episodes.py", host.folder / "host.json", find_browser().path]
    return answer_of(command, cells, PLAYWRIGHT_BROWSERS_PATH=str(folder / "browsers"))


def inspect(host: Server, cells: Cells, folder: Path) -> dict[str, Any]:
    """Play as samples of Inspect."""
    python = python_with(str(ROOT / "integrations" / "inspect"), "stressweb_inspect", folder)
    command = [python, "-P", HERE / "inspect_eval.py", host.folder / "host.json", folder]
    return answer_of(command, cells, PYTHONPATH=str(HERE))


def mcp(host: Server, cells: Cells, folder: Path) -> dict[str, Any]:
    """Play as an MCP client."""
    python = python_with("mcp>=1.20,<2", "mcp", folder)
    command = [python, "-P", HERE / "mcp_episodes.py", host.folder / "host.json"]
    return answer_of(command, cells, PYTHONPATH=f"{HERE}{os.pathsep}{ROOT}")


def programs(host: Server, cells: Cells, folder: Path, command: list[Any], agent: str) -> Ended:
    """Play with a program that takes the path of a script and reads the variables of `--agent-command`."""

    def play(number: int, cell: dict[str, Any]) -> dict[str, Any]:
        script = folder / f"{agent}{number}.json"
        script.write_text(json.dumps(cell["script"]), "utf-8")
        episode = host.open(cell["task"], cell["condition"], agent=agent)
        variables = {
            "STRESSWEB_START_URL": episode["start_url"],
            "STRESSWEB_CDP_URL": episode["cdp_url"],
            # The token in the address replaces the header.
            "STRESSWEB_FINISH_URL": f"{host.url}/{episode['token']}/finish",
        }
        subprocess.run([*command, script], env=os.environ | variables, check=True, timeout=60)
        return host.ended(episode)

    # Programs mostly wait for missing elements, so a few run at a time.
    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(play, range(len(cells)), cells))


def plain(host: Server, cells: Cells, folder: Path) -> Ended:
    """Play with plain Playwright in Python."""
    return programs(host, cells, folder, [sys.executable, "-P", HERE / "plain.py"], "python")
