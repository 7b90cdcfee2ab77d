"""Records what an agent does in its own browser: a script in each document reports actions to the proxy."""

import asyncio
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from stressweb.core.errors import first_line
from stressweb.core.javascript import source
from stressweb.core.path_template import path_template
from stressweb.perturbations import ReportError
from stressweb.plugins.actions import Action
from stressweb.runner.external.observer import action_reporter_js, clock_js
from stressweb.runner.external.steps import Steps

if TYPE_CHECKING:
    # Imports mitmproxy, which takes a second.
    from stressweb.runner.world.world import EpisodeWorld

_REPORTER_JS = source(Path(__file__).with_name("reporter.js"))
_PATIENCE_S = 2.0
"""Longest wait for the last page, in seconds."""
_LOOK_S = 0.01
_MOST_EARLY = 1000
"""Most messages that may arrive before an earlier one of the same document."""
_HISTORY = {"reload": "RELOAD", "back_forward": "GO_BACK"}
"""The actions for navigation types that load a document again."""


class _Doing(BaseModel):
    """An action as reported by observer.js."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str | None = None
    more: dict[str, Any] = {}


class _Loaded(BaseModel):
    """How the browser loaded a document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    how: str
    url: str
    referrer: str


class _Message(BaseModel):
    """A message of reporter.js."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    order: NonNegativeInt = 0
    """Its place among the document's actions and updates, from 1; 0 for a settled page."""
    doing: _Doing | None = None
    difference: tuple[int, NonNegativeInt, str, NonNegativeInt] | None = None
    loaded: _Loaded | None = None
    page: tuple[int, str] | None = None
    last: bool = False

    @model_validator(mode="after")
    def _is_ordered(self) -> Self:
        if bool(self.order) == (self.page is not None):
            raise ValueError("actions and updates have an order, and settled pages have none")
        return self


class _Answer(BaseModel):
    """The answer of a document's engine to a read."""

    changed: dict[str, int] = {}
    reports: list[object] = []


class _Frame(BaseModel):
    """A document of a page: the top document, or one in a frame."""

    url: str
    answer: _Answer | None
    controls: list[tuple[str, str, str]]


class _Page(BaseModel):
    """The parts of a read page that are used here."""

    url: str
    document: str = Field(alias="copy")
    documents: list[_Frame]


@dataclass
class ReportingDocument:
    """One document that was served with the script."""

    path: str
    begun: int = 0
    """Number of actions that have begun in it."""
    pages: dict[int, str] = field(default_factory=dict)
    """The last two pages by number: an action that is sent before the last page arrives refers to the one before."""
    read: bool = False
    """Whether the document has been read, as a page or in a frame of another page."""
    taken: int = 0
    """Number of its actions and updates that were processed."""
    early: dict[int, _Message] = field(default_factory=dict)
    """Messages that arrived before an earlier one, by their order."""

    def ordered(self, message: _Message) -> Iterator[_Message]:
        """Yield the messages that can be processed now, in their order; raise ValueError if too many are missing.

        Browsers send messages over several connections, so that a later one can arrive first.
        """
        if message.order > self.taken + _MOST_EARLY:
            raise ValueError(f"message {message.order} after {self.taken}")
        # One that was given up for lost may still arrive, or an agent may send one again.
        if message.order > self.taken:
            self.early[message.order] = message
        while (next_message := self.early.pop(self.taken + 1, None)) is not None:
            self.taken += 1
            yield next_message

    def overdue(self) -> Iterator[_Message]:
        """Yield the messages that still wait for a lost one, in their order."""
        for order in sorted(self.early):
            self.taken = order
            yield self.early.pop(order)

    def keep(self, number: int, page: str) -> None:
        """Keep a page, since the next action may refer to it."""
        self.pages = {**dict(list(self.pages.items())[-1:]), number: page}

    def page(self, earlier: int, start: int, text: str, end: int) -> str:
        """Rebuild a page from its difference to an earlier page; raise ValueError if that page is unknown.

        `start` and `end` count UTF-16 units. The page is JSON text.
        """
        before = self.pages.get(earlier, "").encode("utf-16-le", "surrogatepass")
        if 2 * (start + end) > len(before):
            raise ValueError("a page that differs from an unknown one")
        parts = before[: 2 * start], text.encode("utf-16-le", "surrogatepass"), before[len(before) - 2 * end :]
        return b"".join(parts).decode("utf-16-le", "surrogatepass")


class PageReports:
    """Receives the reports of an episode's documents and records its steps.

    The proxy calls `script` and `message` from its own thread.
    """

    def __init__(
        self, world: "EpisodeWorld", page_time: str, steps: Steps, heard: Callable[[], object] = lambda: None
    ) -> None:
        """Take the episode and the fixed time of its pages. No reports arrive before `start`.

        `heard` is called for each message.
        """
        self._world, self._steps, self._heard = world, steps, heard
        self._clock = clock_js(page_time)
        # Only the script knows this path, and the script leaves no trace of it in the page.
        self._path = f"/{secrets.token_hex(8)}/"
        self._documents: dict[str, ReportingDocument] = {}
        """Documents by the path to which they report."""
        self._arrived = 0
        self._lock = threading.Lock()
        self._settled = False
        """Whether the last page that was read shows the effect of the last action."""
        self._has_ended = False

    def start(self) -> None:
        """Let the proxy insert the script into the episode's documents."""
        self._world.observe(self)

    def script(self, path: str) -> str:
        """Return the script, as ASCII JavaScript, for the next document, which is at `path` of a site."""
        with self._lock:
            address = f"{self._path}{len(self._documents)}"
            self._documents[address] = ReportingDocument(path.partition("?")[0])
        report_actions = action_reporter_js(self._world, "tell", "publish")
        script = f"{self._clock};({_REPORTER_JS})((tell, publish) => {report_actions}, {json.dumps(address)});"
        # The HTML parser acts on these sequences even inside a JavaScript string.
        return script.replace("</", "<\\/").replace("<!--", "\\x3c!--")

    def message(self, path: str, body: bytes) -> str | None:
        """Process a message and return the answer; return None if no script of ours reports to this path.

        Raises ReportError for an invalid message: an agent that has found the path may send anything.
        """
        if path not in self._documents:
            return None
        try:
            message = _Message.model_validate_json(body)
            self._heard()
            with self._lock:
                read_again = not self._has_ended and self._take(self._documents[path], message)
        except ValueError as error:
            raise ReportError(f"invalid message: {first_line(error)}") from None
        return json.dumps({"again": read_again, "attempts": self._world.perturber.attempts()})

    async def wait_until_last_page_read(self) -> None:
        """Wait, for a limited time, until the page after the last action has been read."""
        deadline = time.monotonic() + _PATIENCE_S
        while not self._has_read_last_page() and time.monotonic() < deadline:
            await asyncio.sleep(_LOOK_S)

    def _has_read_last_page(self) -> bool:
        with self._lock:
            return self._settled and all(document.read for document in self._documents.values())

    async def end(self, final: Action | None) -> None:
        """End the last action; `final` is the agent's claim. Documents that were never read go into the ledger."""
        with self._lock:
            self._take_overdue()
            self._has_ended = True
            documents = self._documents.values()
            unread = [path_template(document.path) for document in documents if not document.read]
            # A client that is not a browser may request pages in a way that does not get the script.
            if not documents and self._world.started():
                unread = ["every page"]
            for page in unread:
                self._world.perturber.note("engine", "unread", detail=page)
            self._steps.end(final)

    def _take(self, document: ReportingDocument, message: _Message) -> bool:
        """Process a message of a document; return whether the page must be read again."""
        if message.order:
            for next_message in document.ordered(message):
                self._take_next(document, next_message)
        # A page that was sent while an action began shows neither the state before the action nor after it.
        elif message.page is not None and message.number == document.begun:
            document.keep(*message.page)
            if self._world.busy() and not message.last:
                return True
            self._read(document, message.page[1])
            self._settled = True
        return False

    def _take_next(self, document: ReportingDocument, message: _Message) -> None:
        """Process the next action or update of a document, or its start."""
        if message.loaded is not None:
            self._take_overdue()
            self._arrive(message.loaded)
        if message.doing is not None:
            page = document.page(*message.difference) if message.difference else None
            self._act(document, message.doing, page)

    def _take_overdue(self) -> None:
        """Process what still waits for a lost message: the browser shows another document, or the episode ends."""
        for document in self._documents.values():
            for message in document.overdue():
                # The page before an action may be given as the difference to one that was lost.
                self._take_next(document, message.model_copy(update={"difference": None}))

    def _act(self, document: ReportingDocument, doing: _Doing, page: str | None) -> None:
        """Process an action in a document; a new action comes with the page before it."""
        if doing.kind is None:
            self._steps.change(doing.more)
            return
        document.begun += 1
        self._settled = False
        if page is not None:
            self._read(document, page)
        self._steps.begin({"kind": doing.kind, **doing.more}, None)

    def _arrive(self, loaded: _Loaded) -> None:
        """Record the navigation to a document as an action, unless an action on a page led there."""
        self._arrived += 1
        self._settled = False
        url = self._world.at_home(loaded.url)
        # Opening the start page is not an action: for our own agents it is open before their first turn.
        if self._arrived == 1 and url.rstrip("/") == self._world.start_url.rstrip("/"):
            return
        if kind := _HISTORY.get(loaded.how):
            self._steps.begin({"kind": kind}, None)
        elif not loaded.referrer:
            # Links, forms and scripts send a referrer; an address that the client enters has none.
            self._steps.begin({"kind": "NAVIGATE", "url": url}, None)
            self._world.went_to(url)

    def _read(self, document: ReportingDocument, page: str) -> None:
        """Process a page that a document has read; raise ValueError if it is malformed."""
        page = self._world.at_home(page)
        paths = {urlsplit(frame.url).path for frame in _Page.model_validate_json(page).documents}
        self._steps.take(page)
        document.read = True
        for served in self._documents.values():
            served.read |= served.path in paths
