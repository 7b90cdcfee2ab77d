"""Relays the DevTools protocol between a client and an episode's browser; refuses commands that bypass stressweb."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from stressweb.runner.external.bypasses import disturbance_bypass, refusal
from stressweb.runner.external.pictures import Pictures
from stressweb.runner.external.pipe_browser import Message, PipeBrowser
from stressweb.runner.external.script_effects import ScriptEffects

type Say = Callable[[str], None]
"""Queues a message for the client."""

_PATIENCE_S = 2.0
"""Seconds after which a client may see a new document even if it has not settled."""
_LOOKS = (
    "Accessibility.", "DOM.", "DOMSnapshot.", "Input.", "Page.captureScreenshot", "Page.captureSnapshot",
    "Runtime.callFunctionOn", "Runtime.evaluate",
)  # fmt: skip
"""Prefixes of the methods that read a page or act on it."""
_ARRIVALS = ("Runtime.executionContextsCleared", "Page.frameNavigated")
"""Events that announce a new document."""
_REFUSED = -32000
_INVALID = -32600


class Heard(Protocol):
    """Listener for client commands that scripts in the page cannot observe."""

    effects: ScriptEffects
    """Listener for the changes that clients' scripts make."""

    async def navigating(self, target: str, kind: str, url: str = "") -> None:
        """Called before a tab navigates or closes."""

    def arrived(self, target: str) -> None:
        """Called when a tab has a new document."""

    async def settled(self, target: str) -> None:
        """Wait until a tab's document is ready for its clients."""

    def bypassed(self, what: str) -> None:
        """Called for a command that bypasses the disturbances."""

    def crowded(self) -> str:
        """Return why another tab is not allowed, and record it; return an empty string if it is allowed."""


class Relay:
    """One client's connection; it looks like a whole browser to the client."""

    def __init__(self, browser: PipeBrowser, heard: Heard, say: Say) -> None:
        """Take the episode's browser, the listener for the client's commands, and the function that sends to it."""
        self._browser, self._heard, self._say = browser, heard, say
        self._root = ""
        self._targets: dict[str, str] = {}
        """The target of each session."""
        self._fresh: set[str] = set()
        """Sessions with a new document that their client has not read yet."""
        self._held_messages: dict[str, list[Message]] = {}
        """Commands that wait until the document of their session has settled."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._pictures = Pictures(self._forward)

    async def open(self) -> None:
        """Open a browser-level session for the client."""
        self._root = await self._browser.session(self._from_browser)

    async def close(self) -> None:
        """End the client's sessions."""
        await self._browser.leave(self._root)

    async def take(self, text: str | bytes) -> bool:
        """Process a message of the client; return whether the client stays connected."""
        try:
            message = json.loads(text)
            number, method = message["id"], message["method"]
            params = message.get("params") or {}
            session = message.get("sessionId", self._root)
            is_valid = isinstance(number, int) and isinstance(method, str) and isinstance(params, dict)
        except (ValueError, KeyError, TypeError, AttributeError):
            is_valid = False
        if not is_valid:
            self._say(json.dumps({"error": {"code": _INVALID, "message": "not a message of the DevTools protocol"}}))
            return True
        if method == "Browser.close":
            # Disconnect the client but keep the browser, because its final state is graded.
            self._answer(message, result={})
            return False
        if session != self._root and session not in self._targets:
            self._answer(message, error="Session with given id not found.")
        elif reason := refusal(method, params):
            self._heard.bypassed(f"{method}: {reason}")
            self._answer(message, error=f"stressweb refuses {method}: {reason}")
        elif method == "Target.createTarget" and (reason := self._heard.crowded()):
            self._answer(message, error=f"stressweb refuses {method}: {reason}")
        else:
            await self._report_command(method, params, session)
            self._forward({**message, "sessionId": session})
        return True

    def _forward(self, message: Message) -> None:
        """Pass a command on; hold it back if it reads a new document that has not been disturbed yet.

        Otherwise a fast client could see the undisturbed page. Commands that do not read or act on the page are never
        held back, because the page may need them to load.
        """
        session = message["sessionId"]
        if not message["method"].startswith(_LOOKS) or (
            session not in self._held_messages and session not in self._fresh
        ):
            self._post(message)
        elif session in self._held_messages:
            self._held_messages[session].append(message)
        else:
            self._held_messages[session] = [message]
            task = asyncio.create_task(self._release(session))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _release(self, session: str) -> None:
        """Pass on the held commands of a session once its document has settled."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await self._heard.settled(self._targets.get(session, ""))
        self._fresh.discard(session)
        for message in self._held_messages.pop(session):
            self._post(message)

    def _post(self, message: Message) -> None:
        self._pictures.ask(message)
        target, effects = self._targets.get(message["sessionId"], ""), self._heard.effects
        # Post all three messages without awaiting, so that nothing else runs in the page between them.
        is_run = effects.begin(target, message["method"], message.get("params") or {})
        self._browser.post(message)
        if is_run:
            effects.end(target)

    async def _report_command(self, method: str, params: dict[str, Any], session: str) -> None:
        """Notify the listener of a command that acts without an event in the page."""
        target = self._targets.get(session, "")
        acts: dict[str, Callable[[], Awaitable[None]]] = {
            "Page.navigate": lambda: self._heard.navigating(target, "NAVIGATE", str(params.get("url", ""))),
            "Page.reload": lambda: self._heard.navigating(target, "RELOAD"),
            "Page.navigateToHistoryEntry": lambda: self._heard.navigating(target, "GO_BACK"),
            "Page.close": lambda: self._heard.navigating(target, "CLOSE_TAB"),
            "Target.closeTarget": lambda: self._heard.navigating(str(params.get("targetId")), "CLOSE_TAB"),
        }
        if act := acts.get(method):
            await act()
        elif bypass := disturbance_bypass(method, params):
            self._heard.bypassed(bypass)

    def _answer(self, request: Message, *, result: object = None, error: str = "") -> None:
        response: Message = {"id": request["id"]}
        if "sessionId" in request:
            response["sessionId"] = request["sessionId"]
        response |= {"error": {"code": _REFUSED, "message": error}} if error else {"result": result}
        self._say(json.dumps(response))

    def _from_browser(self, message: Message) -> None:
        if self._heard.effects.hides(message) or self._pictures.keeps(message):
            return
        if message.get("method") == "Target.attachedToTarget":
            params = message["params"]
            self._targets[params["sessionId"]] = params["targetInfo"]["targetId"]
            self._fresh.add(params["sessionId"])
        elif message.get("method") in _ARRIVALS and "parentId" not in message["params"].get("frame", {}):
            self._fresh.add(message["sessionId"])
            self._heard.arrived(self._targets.get(message["sessionId"], ""))
            self._pictures.arrived(message["sessionId"])
        self._pass_to_client(message)

    def _pass_to_client(self, message: Message) -> None:
        if message["sessionId"] == self._root:
            # The client takes its session for the browser itself, which has no session id.
            message = {name: value for name, value in message.items() if name != "sessionId"}
        self._say(json.dumps(message))
