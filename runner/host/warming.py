"""What the first episodes of a server would wait for, loaded before the server answers."""

import asyncio
from pathlib import Path

from runner.execution.grading_thread import GradingThread
from runner.external.pipe_browser import PipeBrowser
from runner.registry import Library
from stressweb.log.recording import Cell

_CELL = Cell(agent="", task="shop/first-hit", condition="clean", world=0, stress=None)
_NOWHERE = "http://127.0.0.1:9"
"""A proxy that is never asked."""


async def warm(program: Path, grading_thread: GradingThread, library: Library) -> None:
    """Start a browser and end it, and draw a site: what all episodes share is in memory from then on.

    The grading thread and the plan each draw their own copy; `library` is the plan's.
    """
    browser, *_ = await asyncio.gather(
        PipeBrowser.launch(program, _NOWHERE), grading_thread.do(_draw, grading_thread, library)
    )
    await browser.close()


def _draw(grading_thread: GradingThread, library: Library) -> None:
    library.check(_CELL.task, _CELL.world)
    grading_thread.drawn(_CELL)
