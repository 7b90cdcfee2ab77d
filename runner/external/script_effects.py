"""Detects the changes that a client's scripts make in a page, by observing effects instead of reading the scripts."""

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

from stressweb.core.javascript import source
from stressweb.runner.external.pipe_browser import Message
from stressweb.runner.external.session import ProtocolError, Session

type _Stack = Mapping[str, Any]
type _Change = tuple[int, int]
"""Number of an isolated world, and number of a change in it."""

_EFFECTS_JS = source(Path(__file__).with_name("script_effects.js"))
_CALL = "(name) => globalThis[Symbol.for('effects')]?.[name]()"
_ARM = "globalThis[Symbol.for('effects')].arm()"
_RUNS = frozenset({"Debugger.evaluateOnCallFrame", "Runtime.callFunctionOn", "Runtime.evaluate", "Runtime.runScript"})
_NEW_DOCUMENT = "Page.addScriptToEvaluateOnNewDocument"
_DEPTH = 8
"""Number of asynchronous tasks through which the browser traces a call stack."""
_PATIENCE_S = 1.0
_CHANGED = "a script changed the page: "


@dataclass
class _Document:
    """The scripts of a target's document, and the changes that they made."""

    worlds: dict[int, str] = field(default_factory=dict)
    """Unique ids of our isolated worlds, one for each frame, by their execution context ids."""
    ours: set[str] = field(default_factory=set)
    """Ids of our own scripts."""
    clients: set[str] = field(default_factory=set)
    """Ids of scripts that a client sent."""
    files: set[str] = field(default_factory=set)
    """Ids of scripts in the site's documents and script files; excludes scripts that these create with `eval`."""
    timers: set[str] = field(default_factory=set)
    """Ids of scripts that are the text of a timer."""
    runs: bool = False
    """Whether a client's command is running."""
    changes: dict[_Change, bool] = field(default_factory=dict)
    """Whether a client's script made the change."""
    standing: dict[_Change, list[tuple[str, str]]] = field(default_factory=dict)
    """What remains of changes whose author is not known yet."""
    addresses: set[str] = field(default_factory=set)
    """URLs that were requested."""
    requests: list[str] = field(default_factory=list)
    """Requests by site scripts while a client's command ran; they count unless the command dispatched an event."""
    submits: bool = False
    """Whether a client's script has submitted a form without an event."""


class ScriptEffects:
    """Observes scripts in all documents of an episode's browser, and notes the changes that clients' scripts make."""

    def __init__(self, session: Session, world: str, note: Callable[[str], object]) -> None:
        """Take a session with the browser, and the name of the isolated world in which our scripts run."""
        self._session, self._world, self._note = session, world, note
        self._mark = secrets.token_hex(8)
        self._documents: dict[str, _Document] = {}
        self._searches: set[asyncio.Task[None]] = set()
        self._sessions: dict[str, str] = {}
        """Session ids by target id."""
        self._commands: list[tuple[str, dict[str, Any]]] = [
            ("Debugger.enable", {}),
            ("Debugger.setSkipAllPauses", {"skip": True}),
            ("Debugger.setAsyncCallStackDepth", {"maxDepth": _DEPTH}),
            ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
            (_NEW_DOCUMENT, {"source": f"({_EFFECTS_JS})({json.dumps(self._mark)})", "worldName": world}),
        ]
        session.on("Target.detachedFromTarget", self._on_detached)
        session.on("Runtime.executionContextCreated", self._world_made)
        session.on("Runtime.executionContextsCleared", self._forget_document)
        session.on("Debugger.scriptParsed", self._on_parsed)
        session.on("Runtime.consoleAPICalled", self._on_trace)
        session.on("Network.requestWillBeSent", self._on_request)
        session.on("Network.webSocketCreated", self._on_request)
        session.on("Page.frameRequestedNavigation", self._on_submit)

    def attach(self, session: str, target: str) -> list[tuple[str, dict[str, Any]]]:
        """Register a session with a target, and return the commands that prepare the target."""
        self._sessions[target] = session
        self._documents[session] = _Document()
        return self._commands

    def hides(self, message: Message) -> bool:
        """Return whether a message of the browser comes from our script and must be hidden from clients."""
        params = message.get("params", {})
        if message.get("method") == "Runtime.consoleAPICalled":
            return bool(params["args"]) and params["args"][0].get("value") == self._mark
        return message.get("method") == "Console.messageAdded" and self._mark in params["message"]["text"]

    def begin(self, target: str, method: str, params: Mapping[str, Any]) -> bool:
        """Called before a client's command is passed on; return whether the caller must call `end` after it."""
        if method == _NEW_DOCUMENT and params.get("source"):
            # This script may change a document before any other command runs.
            eager = {"source": _ARM, "worldName": self._world}
            self._commands.append((_NEW_DOCUMENT, eager))
            for session in self._documents:
                self._session.post(session, _NEW_DOCUMENT, **eager)
        if method not in _RUNS:
            return False
        self._call(target, "begin")
        return True

    def end(self, target: str) -> None:
        """Called after the command was passed on."""
        self._call(target, "end")

    async def note_changes(self, target: str = "") -> None:
        """Note all changes so far, in one target or in all targets."""
        sessions = [self._sessions[target]] if target in self._sessions else list(self._documents)
        # The document may be gone, or blocked by a dialog.
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

    def _on_detached(self, event: dict[str, Any], session: str) -> None:
        gone = event["sessionId"]
        self._documents.pop(gone, None)
        self._sessions = {target: other for target, other in self._sessions.items() if other != gone}

    def _world_made(self, event: dict[str, Any], session: str) -> None:
        context = event["context"]
        if context["name"] == self._world and (document := self._documents.get(session)):
            document.worlds[context["id"]] = context["uniqueId"]

    def _forget_document(self, event: dict[str, Any], session: str) -> None:
        if session in self._documents:
            self._documents[session] = _Document()

    def _on_parsed(self, event: dict[str, Any], session: str) -> None:
        """Classify a script by its origin.

        A script that comes neither from a document nor from another script was sent by a client. If no command is
        running, it is the text of a timer and belongs to the script that set the timer.
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

    def _on_trace(self, event: dict[str, Any], session: str) -> None:
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
                self._note_standing(document, session, change, document.standing.pop(change, []))
            case ["standing", str(text)]:
                for number, what, mark in json.loads(text):
                    self._note_standing(document, session, (world, number), [(what, mark)])
            case ["submits", bool(heard)]:
                document.submits = not heard and is_clients()
            case ["navigates"] if is_clients():
                self._note("a script went to another address")
            case ["runs"]:
                document.runs = True
            case ["ran", str(text)]:
                self._note_changes(document, **json.loads(text))

    def _note_changes(self, document: _Document, *, changes: list[str], heard: bool) -> None:
        """Note the changes of a command that leave no mutation record; `heard`: the command dispatched an event."""
        requests, document.requests, document.runs = document.requests, [], False
        for change in [*changes, *([] if heard else requests)]:
            self._note(f"{_CHANGED}{change}")

    def _note_standing(self, document: _Document, session: str, change: _Change, rests: list[tuple[str, str]]) -> None:
        """Note what remains of a change if a client's script made it; keep it if the author is not known yet."""
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
        """Note the change of a non-standard attribute if a script of the site mentions it."""
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

    def _on_request(self, event: dict[str, Any], session: str) -> None:
        document = self._documents.get(session)
        # A request for a document is reported as a navigation in the previous document.
        if document is None or event.get("type") == "Document" or event.get("documentURL", "").startswith("about:"):
            return
        url = event.get("request", event)["url"]
        is_again = event.get("type") == "Image" and url in document.addresses
        document.addresses.add(url)
        if is_again:
            # A client that copies the page to simplify it loads the page's images again.
            return
        stack = event.get("initiator", {}).get("stack")
        detail = "a request for " + urlsplit(url).path
        if _is_clients(document, stack):
            self._note(f"a script sent {detail}")
        elif _is_clients(document, stack, direct=True):
            document.requests.append(detail)

    def _on_submit(self, event: dict[str, Any], session: str) -> None:
        if event["reason"].startswith("formSubmission") and (document := self._documents.get(session)):
            if document.submits:
                self._note("a script submitted a form without an event")
            document.submits = False


def _call(world: str, name: str) -> dict[str, Any]:
    return {"uniqueContextId": world, "functionDeclaration": _CALL, "arguments": [{"value": name}]}


def _camel(name: str) -> str:
    """Return a data attribute's name in `dataset`."""
    head, *rest = name.split("-")
    return head + "".join(map(str.capitalize, rest))


def _segments(stack: _Stack | None) -> Iterator[list[Mapping[str, Any]]]:
    """Yield the call frames of each task in a stack trace, the latest task first."""
    while stack:
        if stack["callFrames"]:
            yield stack["callFrames"]
        stack = stack.get("parent")


def _is_clients(document: _Document, stack: _Stack | None, *, direct: bool = False) -> bool:
    """Return whether a client's script is responsible for a stack trace.

    `direct`: no event was involved, so site scripts called by the client's script count as the client's.
    """
    for frames in _segments(stack):
        scripts = [frame["scriptId"] for frame in frames if frame["scriptId"] not in document.ours]
        if scripts and scripts[0] not in document.timers:
            return bool(document.clients.intersection(scripts if direct else scripts[:1]))
        direct = direct and not scripts
    return False
