"""Sites that are loaded before a server answers."""

import asyncio
import os
from pathlib import Path

import pytest

from scripts.blocking import run
from stressweb.core.browser_program import find_browser
from stressweb.runner.execution.grading_thread import GradingThread
from stressweb.runner.host.warming import warm
from stressweb.runner.registry import Library
from tests.support.episode_server import FIRST_HIT

pytestmark = pytest.mark.sample(3, "file")


class Drawing(GradingThread):
    """A grading_thread without a run's database."""

    def __init__(self) -> None:
        self._library = Library()

    async def do(self, work, *arguments):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN002, ANN201
        return await asyncio.to_thread(work, *arguments)


def test_a_site_is_drawn_for_both_and_no_browser_stays(tmp_path: Path) -> None:
    program, pid = tmp_path / "browser", tmp_path / "pid"
    program.write_text(f'#!/bin/sh\necho $$ > "{pid}"\nexec "{find_browser().path}" "$@"\n', "utf-8")
    program.chmod(0o755)
    grading_thread, library = Drawing(), Library()
    run(warm(program, grading_thread, library))
    for own in (library, grading_thread._library):
        before = own.world_of.cache_info().misses
        assert before == 1
        own.world_of(FIRST_HIT, 0)
        assert own.world_of.cache_info().misses == before
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text("utf-8")), 0)
