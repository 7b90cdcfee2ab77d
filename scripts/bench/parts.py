"""The time of an episode by part, compared with a bare script."""

import functools
import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from playwright.async_api import BrowserContext

from scripts.bench.baseline import BaselineSite, Script
from stressweb.log.store import Store
from stressweb.runner.browser import context
from stressweb.runner.browser.session import BrowserSession
from stressweb.runner.episode.evidence import Evidence
from stressweb.runner.registry.grading import Grader
from stressweb.runner.world.world import EpisodeWorld, World

SITE = "resetting the site, with its ports"
CONTEXT = "opening and closing a browser context"
FIRST_PAGE = "tab and first page, with its read"
ACTIONS = "actions"
PAGES = "pages after actions, with their reads"
PICTURES = "pictures for the report"
EVIDENCE = "evidence pages"
GRADE = "grading and storing"
REST = "the agent's thread, and everything else"
EPISODE: Sequence[tuple[Any, str, str]] = (
    (World, "open", SITE),
    (EpisodeWorld, "close", SITE),
    (context, "new_context", CONTEXT),
    (BrowserContext, "close", CONTEXT),
    (BrowserSession, "start", FIRST_PAGE),
    (BrowserSession, "_perform", ACTIONS),
    (BrowserSession, "_look", PAGES),
    (BrowserSession, "take_picture", PICTURES),
    (Evidence, "read", EVIDENCE),
    (Grader, "grade", GRADE),
    (Store, "save", GRADE),
)
"""Functions that an episode calls: owner, name, and the part that they belong to."""
BARE: Sequence[tuple[Any, str, str]] = (
    (BaselineSite, "reset", SITE),
    (Script, "open_context", CONTEXT),
    (Script, "close_context", CONTEXT),
    (Script, "open_page", FIRST_PAGE),
    (Script, "act", ACTIONS),
    (Script, "read", PAGES),
)
"""The same for a bare script, which waits for a page in the action that loads it."""
_watched: ContextVar[bool] = ContextVar("watched", default=False)


class Stopwatch:
    """Adds up the seconds of each part; calls of other parts count for the calling part."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """Start at 0; `clock` returns seconds."""
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = clock

    def timing(self, way: Callable[[], object], functions: Sequence[tuple[Any, str, str]]) -> Callable[[], object]:
        """Return a function that calls `way` and measures these functions meanwhile."""

        def timed() -> object:
            with self.watching(functions):
                return way()

        return timed

    @contextmanager
    def watching(self, functions: Sequence[tuple[Any, str, str]]) -> Iterator[None]:
        """Measure these functions while the body runs; the rest of the time is counted as `REST`."""
        originals = [(owner, name, inspect.getattr_static(owner, name)) for owner, name, _ in functions]
        for owner, name, part in functions:
            setattr(owner, name, self._timed(getattr(owner, name), part))
        start, before = self._clock(), sum(self.seconds.values())
        try:
            yield
        finally:
            for owner, name, original in originals:
                setattr(owner, name, original)
            self.seconds[REST] += self._clock() - start - (sum(self.seconds.values()) - before)

    @contextmanager
    def _part(self, part: str) -> Iterator[None]:
        if _watched.get():
            yield
            return
        token, start = _watched.set(True), self._clock()
        try:
            yield
        finally:
            _watched.reset(token)
            self.seconds[part] += self._clock() - start

    def _timed(self, function: Callable[..., Any], part: str) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waits(*args: Any, **named: Any) -> Any:
                with self._part(part):
                    return await function(*args, **named)

            return waits

        @functools.wraps(function)
        def calls(*args: Any, **named: Any) -> Any:
            with self._part(part):
                return function(*args, **named)

        return calls


class Part(NamedTuple):
    """Mean time of one part of an episode, in milliseconds."""

    name: str
    plain: float
    """In an episode without pictures."""
    pictured: float
    """In an episode with pictures."""
    bare: float
    """In the bare script; 0 if it has no such part."""


def parts(
    plain: Mapping[str, float], pictured: Mapping[str, float], bare: Mapping[str, float], count: int
) -> list[Part]:
    """Return the mean parts of `count` episodes with these total seconds, and the whole as the last one."""
    ways = (plain, pictured, bare)
    names = dict.fromkeys([*(part for _, _, part in EPISODE), REST])
    lines = [(name, [seconds.get(name, 0.0) for seconds in ways]) for name in names]
    lines.append(("total", [sum(seconds.values()) for seconds in ways]))
    return [Part(name, *(1000 * each / count for each in seconds)) for name, seconds in lines]
