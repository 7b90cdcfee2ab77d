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
type _ChangeId = tuple[int, int]
"""Number of an isolated world, and number of a change in it."""

_EFFECTS_JS = source(Path(__file__).with_name("script_effects.js"))
_CALL_EFFECT_JS = "(name) => globalThis[Symbol.for('effects')]?.[name]()"
_ARM_JS = "globalThis[Symbol.for('effects')].arm()"
_METHODS_THAT_RUN_SCRIPTS = frozenset(
    {"Debugger.evaluateOnCallFrame", "Runtime.callFunctionOn", "Runtime.evaluate", "Runtime.runScript"}
)
_NEW_DOCUMENT = "Page.addScriptToEvaluateOnNewDocument"
_ASYNC_STACK_DEPTH = 8
"""Number of asynchronous tasks through which the browser traces a call stack."""
_PATIENCE_S = 1.0
_CHANGE_PREFIX = "a script changed the page: "


@dataclass
class _Document:
    """The scripts of a target's document, and the changes that they made."""

    our_worlds: dict[int, str] = field(default_factory=dict)
    """Unique ids of our isolated worlds, one for each frame, by their execution context ids."""
    our_scripts: set[str] = field(default_factory=set)
    """Ids of our own scripts."""
    client_scripts: set[str] = field(default_factory=set)
    """Ids of scripts that a client sent."""
    site_scripts: set[str] = field(default_factory=set)
    """Ids of scripts in the site's documents and script files; excludes scripts that these create with `eval`."""
    timer_scripts: set[str] = field(default_factory=set)
    """Ids of scripts that are the text of a timer."""
    is_command_running: bool = False
    """Whether a client's command is running."""
    changes: dict[_ChangeId, bool] = field(default_factory=dict)
    """Whether a client's script made the change."""
    unattributed_remains: dict[_ChangeId, list[tuple[str, str]]] = field(default_factory=dict)
    """What remains of changes whose author is not known yet."""
    requested_urls: set[str] = field(default_factory=set)
    """URLs that were requested."""
    undecided_requests: list[str] = field(default_factory=list)
    """Requests by site scripts while a client's command ran; they count unless the command dispatched an event."""
    has_submitted: bool = False
    """Whether a client's script has submitted a form without an event."""


class ScriptEffects:
    """Observes scripts in all documents of an episode's browser, and notes the changes that clients' scripts make."""

    def __init__(self, session: Session, world: str, note: Callable[[str], object]) -> None:
        """Take a session with the browser, and the name of the isolated world in which our scripts run."""
        self._session, self._world, self._note = session, world, note
        self._log_mark = secrets.token_hex(8)
        self._document_by_session: dict[str, _Document] = {}
        self._attribute_searches: set[asyncio.Task[None]] = set()
        self._session_by_target: dict[str, str] = {}
        """Session ids by target id."""
        self._commands: list[tuple[str, dict[str, Any]]] = [
            ("Debugger.enable", {}),
            ("Debugger.setSkipAllPauses", {"skip": True}),
            ("Debugger.setAsyncCallStackDepth", {"maxDepth": _ASYNC_STACK_DEPTH}),
            ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
            (_NEW_DOCUMENT, {"source": f"({_EFFECTS_JS})({json.dumps(self._log_mark)})", "worldName": world}),
        ]
        session.on("Target.detachedFromTarget", self._on_detached)
        session.on("Runtime.executionContextCreated", self._on_world_created)
        session.on("Runtime.executionContextsCleared", self._on_worlds_cleared)
        session.on("Debugger.scriptParsed", self._on_parsed)
        session.on("Runtime.consoleAPICalled", self._on_trace)
        session.on("Network.requestWillBeSent", self._on_request)
        session.on("Network.webSocketCreated", self._on_request)
        session.on("Page.frameRequestedNavigation", self._on_submit)

    def attach(self, session: str, target_id: str) -> list[tuple[str, dict[str, Any]]]:
        """Register a session with a target, and return the commands that prepare the target."""
        self._session_by_target[target_id] = session
        self._document_by_session[session] = _Document()
        return self._commands

    def hides(self, message: Message) -> bool:
        """Return whether a message of the browser comes from our script and must be hidden from clients."""
        params = message.get("params", {})
        if message.get("method") == "Runtime.consoleAPICalled":
            return bool(params["args"]) and params["args"][0].get("value") == self._log_mark
        return message.get("method") == "Console.messageAdded" and self._log_mark in params["message"]["text"]

    def begin(self, target_id: str, method: str, params: Mapping[str, Any]) -> bool:
        """Called before a client's command is passed on; return whether the caller must call `end` after it."""
        if method == _NEW_DOCUMENT and params.get("source"):
            # This script may change a document before any other command runs.
            eager = {"source": _ARM_JS, "worldName": self._world}
            self._commands.append((_NEW_DOCUMENT, eager))
            for session in self._document_by_session:
                self._session.post(session, _NEW_DOCUMENT, **eager)
        if method not in _METHODS_THAT_RUN_SCRIPTS:
            return False
        self._call(target_id, "begin")
        return True

    def end(self, target_id: str) -> None:
        """Called after the command was passed on."""
        self._call(target_id, "end")

    async def note_clients_changes(self, target_id: str = "") -> None:
        """Note all changes so far, in one target or in all targets."""
        sessions = (
            [self._session_by_target[target_id]]
            if target_id in self._session_by_target
            else list(self._document_by_session)
        )
        # The document may be gone, or blocked by a dialog.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                for session in sessions:
                    for world in self._our_worlds(session):
                        with contextlib.suppress(ProtocolError):
                            await self._session.ask(session, "Runtime.callFunctionOn", **_call(world, "settle"))
                if self._attribute_searches:
                    await asyncio.wait(self._attribute_searches)

    def _call(self, target_id: str, name: str) -> None:
        session = self._session_by_target.get(target_id, "")
        for world in self._our_worlds(session):
            self._session.post(session, "Runtime.callFunctionOn", **_call(world, name))

    def _our_worlds(self, session: str) -> list[str]:
        return (
            list(self._document_by_session[session].our_worlds.values()) if session in self._document_by_session else []
        )

    # Events of the browser.

    def _on_detached(self, event: dict[str, Any], session: str) -> None:
        detached_session = event["sessionId"]
        self._document_by_session.pop(detached_session, None)
        self._session_by_target = {
            target_id: attached_session
            for target_id, attached_session in self._session_by_target.items()
            if attached_session != detached_session
        }

    def _on_world_created(self, event: dict[str, Any], session: str) -> None:
        context = event["context"]
        if context["name"] == self._world and (document := self._document_by_session.get(session)):
            document.our_worlds[context["id"]] = context["uniqueId"]

    def _on_worlds_cleared(self, event: dict[str, Any], session: str) -> None:
        if session in self._document_by_session:
            self._document_by_session[session] = _Document()

    def _on_parsed(self, event: dict[str, Any], session: str) -> None:
        """Classify a script by its origin.

        A script that comes neither from a document nor from another script was sent by a client. If no command is
        running, it is the text of a timer and belongs to the script that set the timer.
        """
        if (document := self._document_by_session.get(session)) is None:
            return
        script, caller = event["scriptId"], next(_segments(event.get("stackTrace")), [])
        if event["executionContextId"] in document.our_worlds:
            document.our_scripts.add(script)
        elif event.get("embedderName"):
            document.site_scripts.add(script)
        elif (
            caller[0]["scriptId"] in document.client_scripts
            if caller
            else document.is_command_running or not document.site_scripts
        ):
            document.client_scripts.add(script)
        elif not caller:
            document.timer_scripts.add(script)

    def _on_trace(self, event: dict[str, Any], session: str) -> None:
        document = self._document_by_session.get(session)
        values = [argument.get("value") for argument in event["args"]]
        world = event["executionContextId"]
        if document is None or world not in document.our_worlds or values[:1] != [self._log_mark]:
            return
        is_clients = functools.partial(_is_clients, document, event.get("stackTrace"))
        match values[1:]:
            case ["changed", int(number), bool(dispatched_event)]:
                change = world, number
                document.changes[change] = is_clients(direct=not dispatched_event)
                self._note_remains(document, session, change, document.unattributed_remains.pop(change, []))
            case ["standing", str(text)]:
                for number, change_text, attribute in json.loads(text):
                    self._note_remains(document, session, (world, number), [(change_text, attribute)])
            case ["submits", bool(dispatched_event)]:
                document.has_submitted = not dispatched_event and is_clients()
            case ["navigates"] if is_clients():
                self._note("a script went to another address")
            case ["runs"]:
                document.is_command_running = True
            case ["ran", str(text)]:
                self._note_unrecorded_changes(document, **json.loads(text))

    def _note_unrecorded_changes(self, document: _Document, *, changes: list[str], heard: bool) -> None:
        """Note the changes of a command that leave no mutation record; `heard`: the command dispatched an event."""
        requests, document.undecided_requests, document.is_command_running = document.undecided_requests, [], False
        for change in [*changes, *([] if heard else requests)]:
            self._note(f"{_CHANGE_PREFIX}{change}")

    def _note_remains(
        self, document: _Document, session: str, change: _ChangeId, remains: list[tuple[str, str]]
    ) -> None:
        """Note what remains of a change if a client's script made it; keep it if the author is not known yet."""
        if change not in document.changes:
            document.unattributed_remains.setdefault(change, []).extend(remains)
        for change_text, attribute in dict.fromkeys(remains) if document.changes.get(change) else ():
            if attribute:
                search = asyncio.create_task(self._note_if_named(document, session, change_text, attribute))
                self._attribute_searches.add(search)
                search.add_done_callback(self._attribute_searches.discard)
            else:
                self._note(f"{_CHANGE_PREFIX}{change_text}")

    async def _note_if_named(self, document: _Document, session: str, change_text: str, attribute: str) -> None:
        """Note the change of a non-standard attribute if a script of the site mentions it."""
        names = (re.sub(r"[^\w-]", ".", name) for name in (attribute, _camel(attribute.removeprefix("data-"))))
        query = rf"(?<![\w-])({'|'.join(names)})(?![\w-])"
        for script in list(document.site_scripts):
            with contextlib.suppress(ProtocolError):
                answer = await self._session.ask(
                    session, "Debugger.searchInContent", scriptId=script, query=query, isRegex=True
                )
                if answer["result"]:
                    self._note(f"{_CHANGE_PREFIX}{change_text}")
                    return

    def _on_request(self, event: dict[str, Any], session: str) -> None:
        document = self._document_by_session.get(session)
        # A request for a document is reported as a navigation in the previous document.
        if document is None or event.get("type") == "Document" or event.get("documentURL", "").startswith("about:"):
            return
        url = event.get("request", event)["url"]
        is_repeated_image = event.get("type") == "Image" and url in document.requested_urls
        document.requested_urls.add(url)
        if is_repeated_image:
            # A client that copies the page to simplify it loads the page's images again.
            return
        stack = event.get("initiator", {}).get("stack")
        detail = "a request for " + urlsplit(url).path
        if _is_clients(document, stack):
            self._note(f"a script sent {detail}")
        elif _is_clients(document, stack, direct=True):
            document.undecided_requests.append(detail)

    def _on_submit(self, event: dict[str, Any], session: str) -> None:
        if event["reason"].startswith("formSubmission") and (document := self._document_by_session.get(session)):
            if document.has_submitted:
                self._note("a script submitted a form without an event")
            document.has_submitted = False


def _call(world: str, name: str) -> dict[str, Any]:
    return {"uniqueContextId": world, "functionDeclaration": _CALL_EFFECT_JS, "arguments": [{"value": name}]}


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
        scripts = [frame["scriptId"] for frame in frames if frame["scriptId"] not in document.our_scripts]
        if scripts and scripts[0] not in document.timer_scripts:
            return bool(document.client_scripts.intersection(scripts if direct else scripts[:1]))
        direct = direct and not scripts
    return False
