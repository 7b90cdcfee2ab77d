"""What the scripts of a client change in a page, found by what they do and not by what stands in them."""

import asyncio
import contextlib
import functools
import json
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from runner.external.pipe_browser import Message
from runner.external.session import ProtocolError, Session
from stressweb.core.javascript import source

type _Stack = Mapping[str, Any]
type _Change = tuple[int, int]
"""Number of a world, and number of a change in it."""

_EFFECTS_JS = source(Path(__file__).with_name("script_effects.js"))
_CALL = "(name) => globalThis[Symbol.for('effects')]?.[name]()"
_ARM = "globalThis[Symbol.for('effects')].arm()"
_RUNS = frozenset({"Debugger.evaluateOnCallFrame", "Runtime.callFunctionOn", "Runtime.evaluate", "Runtime.runScript"})
_NEW_DOCUMENT = "Page.addScriptToEvaluateOnNewDocument"
_DEPTH = 8
"""How many tasks back it is remembered which script began them."""
_PATIENCE_S = 1.0
_CHANGED = "a script changed the page: "


@dataclass
class _Document:
    """What is known of a target's scripts."""

    worlds: dict[int, str] = field(default_factory=dict)
    """Unique ids of the worlds of ours, one for each frame, by the numbers that the browser gives them."""
    ours: set[str] = field(default_factory=set)
    """Ids of scripts."""
    clients: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    """Those that the site's documents and files have; what they make of a text is in none of these."""
    timers: set[str] = field(default_factory=set)
    runs: bool = False
    """Whether a client's command runs."""
    changes: dict[_Change, bool] = field(default_factory=dict)
    """Whether a script of the client made a change."""
    standing: dict[_Change, list[tuple[str, str]]] = field(default_factory=dict)
    """What is left of changes of which nobody knows yet who made them."""
    addresses: set[str] = field(default_factory=set)
    """What was asked for."""
    requests: list[str] = field(default_factory=list)
    """What the site's scripts asked for when the client's script ran: it may have dispatched an event, or not."""
    submits: bool = False
    """Whether a script of the client has submitted a form without an event."""


class ScriptEffects:
    """Hears what scripts do in all documents of an episode's browser, and notes what those of clients change."""

    def __init__(self, session: Session, world: str, note: Callable[[str], object]) -> None:
        """Take a session with the browser, and the name of the world in which scripts of ours run."""
        self._session, self._world, self._note = session, world, note
        self._mark = secrets.token_hex(8)
        self._documents: dict[str, _Document] = {}
        self._searches: set[asyncio.Task[None]] = set()
        self._sessions: dict[str, str] = {}
        """The session with each target."""
        self._commands: list[tuple[str, dict[str, Any]]] = [
            ("Debugger.enable", {}),
            ("Debugger.setSkipAllPauses", {"skip": True}),
            ("Debugger.setAsyncCallStackDepth", {"maxDepth": _DEPTH}),
            ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
            (_NEW_DOCUMENT, {"source": f"({_EFFECTS_JS})({json.dumps(self._mark)})", "worldName": world}),
        ]
        session.on("Target.detachedFromTarget", self._detached)
        session.on("Runtime.executionContextCreated", self._world_made)
        session.on("Runtime.executionContextsCleared", self._left)
        session.on("Debugger.scriptParsed", self._parsed)
        session.on("Runtime.consoleAPICalled", self._traced)
        session.on("Network.requestWillBeSent", self._requested)
        session.on("Network.webSocketCreated", self._requested)
        session.on("Page.frameRequestedNavigation", self._submitted)

    def attach(self, session: str, target: str) -> list[tuple[str, dict[str, Any]]]:
        """Take note of a session with a target, and return the commands that prepare the target."""
        self._sessions[target] = session
        self._documents[session] = _Document()
        return self._commands

    def hides(self, message: Message) -> bool:
        """Return whether a message of the browser is about our work, and not for a client."""
        params = message.get("params", {})
        if message.get("method") == "Runtime.consoleAPICalled":
            return bool(params["args"]) and params["args"][0].get("value") == self._mark
        return message.get("method") == "Console.messageAdded" and self._mark in params["message"]["text"]

    def begin(self, target: str, method: str, params: Mapping[str, Any]) -> bool:
        """Take note that a client's command is about to be passed on; return whether `end` is to follow it."""
        if method == _NEW_DOCUMENT and params.get("source"):
            # It may change a document before any other command does.
            eager = {"source": _ARM, "worldName": self._world}
            self._commands.append((_NEW_DOCUMENT, eager))
            for session in self._documents:
                self._session.post(session, _NEW_DOCUMENT, **eager)
        if method not in _RUNS:
            return False
        self._call(target, "begin")
        return True

    def end(self, target: str) -> None:
        """Take note that the command was passed on."""
        self._call(target, "end")

    async def settle(self, target: str = "") -> None:
        """Note what is changed by now, in a target or in all."""
        sessions = [self._sessions[target]] if target in self._sessions else list(self._documents)
        # The document may have gone, or stand still under a dialog.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                for session in sessions:
                    for world in self._worlds(session):
                        with contextlib.suppress(ProtocolError):
                            await self._session.ask(session, "Runtime.callFunctionOn", **_call(world, "settle"))
                if self._searches:
                    await asyncio.wait(self._searches)

    def _call(self, target: str, name: str) -> None:
        session = self._sessions.get(target, "")
        for world in self._worlds(session):
            self._session.post(session, "Runtime.callFunctionOn", **_call(world, name))

    def _worlds(self, session: str) -> list[str]:
        return list(self._documents[session].worlds.values()) if session in self._documents else []

    # Events of the browser.

    def _detached(self, event: dict[str, Any], session: str) -> None:
        gone = event["sessionId"]
        self._documents.pop(gone, None)
        self._sessions = {target: other for target, other in self._sessions.items() if other != gone}

    def _world_made(self, event: dict[str, Any], session: str) -> None:
        context = event["context"]
        if context["name"] == self._world and (document := self._documents.get(session)):
            document.worlds[context["id"]] = context["uniqueId"]

    def _left(self, event: dict[str, Any], session: str) -> None:
        if session in self._documents:
            self._documents[session] = _Document()

    def _parsed(self, event: dict[str, Any], session: str) -> None:
        """Sort a script by where it comes from.

        What no document and no other script brings, a client has sent. What comes when no command runs is the text of
        a timer: it belongs to whoever has set the timer.
        """
        if (document := self._documents.get(session)) is None:
            return
        script, caller = event["scriptId"], next(_segments(event.get("stackTrace")), [])
        if event["executionContextId"] in document.worlds:
            document.ours.add(script)
        elif event.get("embedderName"):
            document.files.add(script)
        elif caller[0]["scriptId"] in document.clients if caller else document.runs or not document.files:
            document.clients.add(script)
        elif not caller:
            document.timers.add(script)

    def _traced(self, event: dict[str, Any], session: str) -> None:
        document = self._documents.get(session)
        values = [argument.get("value") for argument in event["args"]]
        world = event["executionContextId"]
        if document is None or world not in document.worlds or values[:1] != [self._mark]:
            return
        is_clients = functools.partial(_is_clients, document, event.get("stackTrace"))
        match values[1:]:
            case ["changed", int(number), bool(heard)]:
                change = world, number
                document.changes[change] = is_clients(direct=not heard)
                self._stands(document, session, change, document.standing.pop(change, []))
            case ["standing", str(text)]:
                for number, what, mark in json.loads(text):
                    self._stands(document, session, (world, number), [(what, mark)])
            case ["submits", bool(heard)]:
                document.submits = not heard and is_clients()
            case ["navigates"] if is_clients():
                self._note("a script went to another address")
            case ["runs"]:
                document.runs = True
            case ["ran", str(text)]:
                self._ran(document, **json.loads(text))

    def _ran(self, document: _Document, *, changes: list[str], heard: bool) -> None:
        """Note what a command has changed that leaves no record; `heard`: it has dispatched an event."""
        requests, document.requests, document.runs = document.requests, [], False
        for change in [*changes, *([] if heard else requests)]:
            self._note(f"{_CHANGED}{change}")

    def _stands(self, document: _Document, session: str, change: _Change, rests: list[tuple[str, str]]) -> None:
        """Note what is left of a change if a client's script made it; keep it if that is not known yet."""
        if change not in document.changes:
            document.standing.setdefault(change, []).extend(rests)
        for what, mark in dict.fromkeys(rests) if document.changes.get(change) else ():
            if mark:
                search = asyncio.create_task(self._note_if_named(document, session, what, mark))
                self._searches.add(search)
                search.add_done_callback(self._searches.discard)
            else:
                self._note(f"{_CHANGED}{what}")

    async def _note_if_named(self, document: _Document, session: str, what: str, attribute: str) -> None:
        """Note that an attribute was changed which is none of HTML's, if a script of the site has its name."""
        names = (re.sub(r"[^\w-]", ".", name) for name in (attribute, _camel(attribute.removeprefix("data-"))))
        query = rf"(?<![\w-])({'|'.join(names)})(?![\w-])"
        for script in list(document.files):
            with contextlib.suppress(ProtocolError):
                answer = await self._session.ask(
                    session, "Debugger.searchInContent", scriptId=script, query=query, isRegex=True
                )
                if answer["result"]:
                    self._note(f"{_CHANGED}{what}")
                    return

    def _requested(self, event: dict[str, Any], session: str) -> None:
        document = self._documents.get(session)
        # Whoever has a document come is heard of in the document before.
        if document is None or event.get("type") == "Document" or event.get("documentURL", "").startswith("about:"):
            return
        url = event.get("request", event)["url"]
        is_again = event.get("type") == "Image" and url in document.addresses
        document.addresses.add(url)
        if is_again:
            # A copy of a page, which readers tidy, asks for its pictures.
            return
        stack = event.get("initiator", {}).get("stack")
        detail = "a request for " + urlsplit(url).path
        if _is_clients(document, stack):
            self._note(f"a script sent {detail}")
        elif _is_clients(document, stack, direct=True):
            document.requests.append(detail)

    def _submitted(self, event: dict[str, Any], session: str) -> None:
        if event["reason"].startswith("formSubmission") and (document := self._documents.get(session)):
            if document.submits:
                self._note("a script submitted a form without an event")
            document.submits = False


def _call(world: str, name: str) -> dict[str, Any]:
    return {"uniqueContextId": world, "functionDeclaration": _CALL, "arguments": [{"value": name}]}


def _camel(name: str) -> str:
    """Return the name by which scripts know a data attribute."""
    head, *rest = name.split("-")
    return head + "".join(map(str.capitalize, rest))


def _segments(stack: _Stack | None) -> Iterator[list[Mapping[str, Any]]]:
    """Yield the frames of each task that led to a moment, the last task first."""
    while stack:
        if stack["callFrames"]:
            yield stack["callFrames"]
        stack = stack.get("parent")


def _is_clients(document: _Document, stack: _Stack | None, *, direct: bool = False) -> bool:
    """Return whether a script of a client did what a stack is of.

    `direct`: scripts of the site that the client's called count as the client's, as no event called them.
    """
    for frames in _segments(stack):
        scripts = [frame["scriptId"] for frame in frames if frame["scriptId"] not in document.ours]
        if scripts and scripts[0] not in document.timers:
            return bool(document.clients.intersection(scripts if direct else scripts[:1]))
        direct = direct and not scripts
    return False
