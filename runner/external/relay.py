"""Passes the DevTools protocol between a client and an episode's browser, and refuses what would get past stressweb."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from runner.external.bypasses import bypass, refusal
from runner.external.pictures import Pictures
from runner.external.pipe_browser import Message, PipeBrowser
from runner.external.script_effects import ScriptEffects

type Say = Callable[[str], None]
"""Queues a text for the client."""

_PATIENCE_S = 2.0
"""Seconds after which a client may look at a new document, whatever has become of it."""
_LOOKS = (
    "Accessibility.", "DOM.", "DOMSnapshot.", "Input.", "Page.captureScreenshot", "Page.captureSnapshot",
    "Runtime.callFunctionOn", "Runtime.evaluate",
)  # fmt: skip
"""What the methods begin with by which a client looks at a page, or acts on it."""
_ARRIVALS = ("Runtime.executionContextsCleared", "Page.frameNavigated")
"""Events that tell of a new document."""
_REFUSED = -32000
_INVALID = -32600


class Heard(Protocol):
    """Who hears what clients do that no page can tell."""

    effects: ScriptEffects
    """Hears what their scripts change."""

    async def navigating(self, target: str, kind: str, url: str = "") -> None:
        """Take note that a tab is about to navigate."""

    def arrived(self, target: str) -> None:
        """Take note that a tab has a new document."""

    async def settled(self, target: str) -> None:
        """Return when the document that a tab has is as its clients are to find it."""

    def bypassed(self, what: str) -> None:
        """Take note of a way past the disturbances."""

    def crowded(self) -> str:
        """Return why there may be no further tab, and take note of it; empty if there may."""


class Relay:
    """One client's connection: to the client it is the whole browser."""

    def __init__(self, browser: PipeBrowser, heard: Heard, say: Say) -> None:
        """Take the episode's browser, who hears of the client, and what sends to the client."""
        self._browser, self._heard, self._say = browser, heard, say
        self._root = ""
        self._targets: dict[str, str] = {}
        """The target of each session."""
        self._fresh: set[str] = set()
        """Sessions with a document at which their client has not looked yet."""
        self._held: dict[str, list[Message]] = {}
        """Commands of a session that wait until its document has settled."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._pictures = Pictures(self._forward)

    async def open(self) -> None:
        """Give the client a session of its own."""
        self._root = await self._browser.session(self._from_browser)

    async def close(self) -> None:
        """End the client's sessions."""
        await self._browser.leave(self._root)

    async def take(self, text: str | bytes) -> bool:
        """Take a message of the client; return whether the client stays."""
        try:
            message = json.loads(text)
            number, method = message["id"], message["method"]
            params = message.get("params") or {}
            session = message.get("sessionId", self._root)
            right = isinstance(number, int) and isinstance(method, str) and isinstance(params, dict)
        except (ValueError, KeyError, TypeError, AttributeError):
            right = False
        if not right:
            self._say(json.dumps({"error": {"code": _INVALID, "message": "not a message of the DevTools protocol"}}))
            return True
        if method == "Browser.close":
            # The episode is graded by what the browser shows at the end, so that only the client leaves.
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
            await self._before(method, params, session)
            self._forward({**message, "sessionId": session})
        return True

    def _forward(self, message: Message) -> None:
        """Pass a command on; if its client is about to look at a new document, only when that is disturbed.

        A fast client would be ahead of the disturbances. Other commands do not wait: a page may need them to load.
        """
        session = message["sessionId"]
        if not message["method"].startswith(_LOOKS) or (session not in self._held and session not in self._fresh):
            self._post(message)
        elif session in self._held:
            self._held[session].append(message)
        else:
            self._held[session] = [message]
            task = asyncio.create_task(self._release(session))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _release(self, session: str) -> None:
        """Pass on what was held back of a session, once its document has settled."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await self._heard.settled(self._targets.get(session, ""))
        self._fresh.discard(session)
        for message in self._held.pop(session):
            self._post(message)

    def _post(self, message: Message) -> None:
        self._pictures.ask(message)
        target, effects = self._targets.get(message["sessionId"], ""), self._heard.effects
        # In one go, so that nothing else of the page comes between.
        is_run = effects.begin(target, message["method"], message.get("params") or {})
        self._browser.post(message)
        if is_run:
            effects.end(target)

    async def _before(self, method: str, params: dict[str, Any], session: str) -> None:
        """Tell who hears of a command that acts without an event in a page."""
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
        elif way := bypass(method, params):
            self._heard.bypassed(way)

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
        self._pass(message)

    def _pass(self, message: Message) -> None:
        if message["sessionId"] == self._root:
            # The client believes that it speaks to the browser itself.
            message = {name: value for name, value in message.items() if name != "sessionId"}
        self._say(json.dumps(message))
