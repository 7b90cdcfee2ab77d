"""Warms up the server, so that the first episodes do not wait for one-time work."""

import asyncio
from pathlib import Path

from stressweb.log.recording import Cell
from stressweb.runner.execution.grading_thread import GradingThread
from stressweb.runner.external.pipe_browser import PipeBrowser
from stressweb.runner.registry import Library

_CELL = Cell(agent="", task="shop/first-hit", condition="clean", world=0, stress=None)
_NOWHERE = "http://127.0.0.1:9"
"""Proxy address that is never used."""


async def warm(program: Path, grading_thread: GradingThread, library: Library) -> None:
    """Start and stop a browser, and draw a site, to load everything that all episodes share.

    The grading thread and the plan each draw their own copy; `library` is the plan's.
    """
    browser, *_ = await asyncio.gather(
        PipeBrowser.launch(program, _NOWHERE), grading_thread.do(_draw, grading_thread, library)
    )
    await browser.close()


def _draw(grading_thread: GradingThread, library: Library) -> None:
    library.check(_CELL.task, _CELL.world)
    grading_thread.drawn(_CELL)
