"""Records what an agent does in a browser of its own: a script that comes with each document says it to the proxy."""

import asyncio
import json
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

from perturbations import ReportError
from runner.external.observer import clock_js, observer_js
from runner.external.steps import Steps
from stressweb.core.errors import first_line
from stressweb.core.javascript import source
from stressweb.core.path_template import path_template
from stressweb.plugins.actions import Action

if TYPE_CHECKING:
    # It brings mitmproxy, which takes a second to import.
    from runner.world.world import EpisodeWorld

_REPORTER_JS = source(Path(__file__).with_name("reporter.js"))
_PATIENCE_S = 2.0
"""Seconds for which the last page is waited for."""
_LOOK_S = 0.01
_HISTORY = {"reload": "RELOAD", "back_forward": "GO_BACK"}
"""The actions by which a browser comes to a document that it has shown before."""


class _Doing(BaseModel):
    """What observer.js tells of an action."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str | None = None
    more: dict[str, Any] = {}


class _Loaded(BaseModel):
    """How a browser came to a document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    how: str
    url: str
    referrer: str


class _Message(BaseModel):
    """What reporter.js sends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    doing: _Doing | None = None
    difference: tuple[int, NonNegativeInt, str, NonNegativeInt] | None = None
    loaded: _Loaded | None = None
    page: tuple[int, str] | None = None
    last: bool = False


class _Answer(BaseModel):
    """What the engine in a document answers to a read."""

    changed: dict[str, int] = {}
    reports: list[object] = []


class _Frame(BaseModel):
    """A document of a page: its own, or one in a frame."""

    url: str
    answer: _Answer | None
    controls: list[tuple[str, str, str]]


class _Page(BaseModel):
    """What a read says, as far as it is used here."""

    url: str
    document: str = Field(alias="copy")
    documents: list[_Frame]


@dataclass
class _Document:
    """One document that was served with the script."""

    path: str
    begun: int = 0
    """How many actions have begun in it."""
    pages: dict[int, str] = field(default_factory=dict)
    """What was read of it last, and before that, by number: an action may be on its way while a page is."""
    read: bool = False
    """Whether anything was read of it, in a page of its own or in one that has it in a frame."""

    def keep(self, number: int, page: str) -> None:
        """Keep a page, which the next action may refer to."""
        self.pages = {**dict(list(self.pages.items())[-1:]), number: page}

    def page(self, earlier: int, start: int, text: str, end: int) -> str:
        """Return the page that differs so from an earlier one, counted in UTF-16 units; ValueError if that is unknown.

        The page is text of JSON.
        """
        before = self.pages.get(earlier, "").encode("utf-16-le", "surrogatepass")
        if 2 * (start + end) > len(before):
            raise ValueError("a page that differs from an unknown one")
        parts = before[: 2 * start], text.encode("utf-16-le", "surrogatepass"), before[len(before) - 2 * end :]
        return b"".join(parts).decode("utf-16-le", "surrogatepass")


class PageReports:
    """Takes what the documents of an episode report, and keeps its steps.

    The proxy calls `script` and `message` from its thread.
    """

    def __init__(
        self, world: "EpisodeWorld", now: str, steps: Steps, heard: Callable[[], object] = lambda: None
    ) -> None:
        """Take the episode and where the clock of its pages stands; nothing comes before `start`.

        `heard` is called for each message.
        """
        self._world, self._steps, self._heard = world, steps, heard
        self._clock = clock_js(now)
        # No page knows it but by the script, which leaves nothing behind.
        self._path = f"/{secrets.token_hex(8)}/"
        self._documents: dict[str, _Document] = {}
        """By the path to which each reports."""
        self._arrived = 0
        self._lock = threading.Lock()
        self._settled = False
        """Whether the page that was read last is what the last action has led to."""
        self._over = False

    def start(self) -> None:
        """Have the proxy put the script into the episode's documents."""
        self._world.observe(self)

    def script(self, path: str) -> str:
        """Return the script of the next document, which is at `path` of a site; as JavaScript in ASCII."""
        with self._lock:
            address = f"{self._path}{len(self._documents)}"
            self._documents[address] = _Document(path.partition("?")[0])
        observe = observer_js(self._world, "tell", "publish")
        script = f"{self._clock};({_REPORTER_JS})((tell, publish) => {observe}, {json.dumps(address)});"
        # The parser looks for these in a script, also within a string of it.
        return script.replace("</", "<\\/").replace("<!--", "\\x3c!--")

    def message(self, path: str, body: bytes) -> str | None:
        """Take a message, and return what it is answered; None if nothing of ours reports to the path.

        Raises ReportError for what our script never sends: an agent that has found the path may send anything.
        """
        if path not in self._documents:
            return None
        try:
            message = _Message.model_validate_json(body)
            self._heard()
            with self._lock:
                again = not self._over and self._take(self._documents[path], message)
        except ValueError as error:
            raise ReportError(f"no message: {first_line(error)}") from None
        return json.dumps({"again": again, "attempts": self._world.perturber.attempts()})

    async def rest(self) -> None:
        """Wait until the page that the last action has led to is read, but not for long."""
        deadline = time.monotonic() + _PATIENCE_S
        while not self._at_rest() and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_S)

    def _at_rest(self) -> bool:
        with self._lock:
            return self._settled and all(document.read for document in self._documents.values())

    async def end(self, final: Action | None) -> None:
        """End the last action; `final` is what the agent claims. The ledger lists the documents that were not read."""
        with self._lock:
            self._over = True
            documents = self._documents.values()
            unread = [path_template(document.path) for document in documents if not document.read]
            # A client that is no browser asks for pages in its own way, and none of them gets the script.
            if not documents and self._world.started():
                unread = ["every page"]
            for page in unread:
                self._world.perturber.note("engine", "unread", detail=page)
            self._steps.end(final)

    def _take(self, document: _Document, message: _Message) -> bool:
        """Take a message of a document; return whether the page is to be read once more."""
        if message.loaded is not None:
            self._arrive(message.loaded)
        if message.doing is not None:
            page = document.page(*message.difference) if message.difference else None
            self._act(document, message.doing, page)
        # A page that was on its way while an action began is not the page before it, nor the one after it.
        elif message.page is not None and message.number == document.begun:
            document.keep(*message.page)
            if self._world.busy() and not message.last:
                return True
            self._read(document, message.page[1])
            self._settled = True
        return False

    def _act(self, document: _Document, doing: _Doing, page: str | None) -> None:
        """Take what happens in a document, and the page before it where an action begins."""
        if doing.kind is None:
            self._steps.change(doing.more)
            return
        document.begun += 1
        self._settled = False
        if page is not None:
            self._read(document, page)
        self._steps.begin({"kind": doing.kind, **doing.more}, None)

    def _arrive(self, loaded: _Loaded) -> None:
        """Begin the action by which the browser came to a document, if no action on a page has led there."""
        self._arrived += 1
        self._settled = False
        url = self._world.at_home(loaded.url)
        # The way to the first page is no action: an agent of ours has it before its first turn.
        if self._arrived == 1 and url.rstrip("/") == self._world.start_url.rstrip("/"):
            return
        if kind := _HISTORY.get(loaded.how):
            self._steps.begin({"kind": kind}, None)
        elif not loaded.referrer:
            # Links, forms and scripts say where they are; an address that somebody enters comes from nowhere.
            self._steps.begin({"kind": "NAVIGATE", "url": url}, None)
            self._world.went_to(url)

    def _read(self, document: _Document, page: str) -> None:
        """Take what a document shows; raises ValueError for what is no page."""
        page = self._world.at_home(page)
        paths = {urlsplit(frame.url).path for frame in _Page.model_validate_json(page).documents}
        self._steps.take(page)
        document.read = True
        for served in self._documents.values():
            served.read |= served.path in paths
