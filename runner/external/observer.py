"""Records what a client of the browser does, without a part in it: a protocol session of ours beside the client's."""

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perturbations import PROXY_USER
from runner.browser.recorder import KEYS_JS, keyed_options
from runner.browser.settle import settled_js
from runner.external.script_effects import ScriptEffects
from runner.external.session import ProtocolError, Session
from runner.external.steps import Steps
from stressweb.core.javascript import source
from stressweb.plugins.actions import Action
from stressweb.sources.part import PLAIN, read_js

if TYPE_CHECKING:
    # It brings mitmproxy, which takes a second to import.
    from runner.world.world import EpisodeWorld

WORLD = "recorder"
"""Name of the world in which the script runs; only the browser's own tools show it."""
SAY = "told"
_OBSERVER_JS = source(Path(__file__).with_name("observer.js"))
_CLOCK_JS = source(Path(__file__).with_name("clock.js"))
TELL = f"(doing, page) => globalThis[{json.dumps(SAY)}](page ? `${{doing}}\\n${{page}}` : doing)"
"""A binding takes one string. The page is JSON already: to quote it would take longer than all else that is said."""
_PUBLISH = "(calls) => (globalThis[Symbol.for('observer')] = calls)"
_CALL = "(name, argument) => globalThis[Symbol.for('observer')]?.[name](argument) ?? null"
_REST_S = 0.002
"""Seconds between two looks whether requests are under way."""
_PATIENCE_S = 2.0
MOST_TABS = 20
"""Tabs that an episode's browser may have at a time: each is a process of some 50 MB."""


def observer_js(world: "EpisodeWorld", tell: str, publish: str) -> str:
    """Return the script that says what happens in a document of an episode.

    `tell` and `publish` are the JavaScript of the functions that observer.js takes.
    """
    options = {**PLAIN, **keyed_options(world)}
    arguments = [read_js(keys=KEYS_JS), settled_js("(act) => act()"), json.dumps(options), tell, publish]
    return f"({_OBSERVER_JS})({', '.join(arguments)})"


def clock_js(now: str) -> str:
    """Return the script that has the clock of a document stand at a date and time in ISO form."""
    return f"({_CLOCK_JS})({json.dumps(now)})"


@dataclass
class Tab:
    """A page of the browser, with the id of our session with it."""

    session: str
    target: str
    context: str
    frame: str = ""
    url: str = ""
    world: str = ""
    """Unique id of the script's world in the document that the tab shows."""
    dialog: bool = False
    fresh: bool = False
    """Whether the document has not been read yet."""
    resting: asyncio.Task[None] | None = field(default=None, repr=False)


class Observer:
    """Hears what happens in an episode's browser, and keeps its steps."""

    def __init__(self, session: Session, world: "EpisodeWorld", now: str, steps: Steps) -> None:
        """Take a session with the browser; `now` is where the clock of its pages stands."""
        self._session, self._world, self._steps = session, world, steps
        self._tabs: dict[str, Tab] = {}
        self._admitted: set[str] = set()
        """Browser contexts that have the credential of the proxy."""
        self._script = observer_js(world, TELL, _PUBLISH)
        self._clock = clock_js(now)
        self.effects = ScriptEffects(session, WORLD, self.bypassed)

    async def start(self) -> None:
        """Attach to everything that the browser has and will have."""
        session = self._session
        session.on("Target.attachedToTarget", self._attached)
        session.on("Target.detachedFromTarget", self._detached)
        session.on("Runtime.bindingCalled", self._called)
        session.on("Runtime.executionContextCreated", self._world_made)
        session.on("Page.frameNavigated", self._navigated)
        session.on("Page.navigatedWithinDocument", self._moved)
        session.on("Page.loadEventFired", lambda event, by: self._rest(by))
        session.on("Page.javascriptDialogOpening", self._dialog_opened)
        session.on("Page.javascriptDialogClosed", self._dialog_closed)
        session.on("Fetch.authRequired", self._ask_for_credential)
        session.on("Fetch.requestPaused", self._paused)
        await session.ask(
            session.root, "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True
        )

    async def navigating(self, target: str, kind: str, url: str = "") -> None:
        """Take note that a client is about to have a tab navigate: the page before it is read first."""
        if self._steps.begun == 0 and kind == "NAVIGATE" and url.rstrip("/") == self._world.start_url.rstrip("/"):
            # The way to the first page is no action: an agent of our own has it before its first turn.
            return
        page = await self._read(tab, "now") if (tab := self._tab(target)) else None
        self._steps.begin({"kind": kind, **({"url": url} if kind == "NAVIGATE" else {})}, page)
        if kind == "NAVIGATE":
            self._world.went_to(url)

    def arrived(self, target: str) -> None:
        """Take note that a tab has a new document, of which our own session may hear later."""
        if tab := self._tab(target):
            tab.fresh = True

    async def settled(self, target: str) -> None:
        """Return when the document of a tab was read, and so disturbed as the condition says."""
        tab = self._tab(target)
        # What is no page of the site is never disturbed, and a page with a dialog open cannot be read.
        while tab and tab.fresh and not tab.dialog and tab.url.startswith("http") and tab.session in self._tabs:
            self._rest(tab.session)
            if tab.resting is not None:
                await asyncio.wait({tab.resting})
            await asyncio.sleep(_REST_S)

    def bypassed(self, what: str) -> None:
        """Take note of a way past the disturbances."""
        self._world.perturber.note("client", "bypass", detail=what)

    def crowded(self) -> str:
        """Return why there may be no further tab, and take note of it; empty if there may."""
        if len(self._tabs) < MOST_TABS:
            return ""
        reason = f"the episode has {MOST_TABS} tabs open, as many as it may have"
        self._world.perturber.note("client", "blocked", detail=reason)
        return reason

    async def end(self, final: Action | None) -> None:
        """Read the last page; `final` is what the agent claims at the end, if it claims anything."""
        for tab in self._tabs.values():
            if tab.resting is not None:
                tab.resting.cancel()
        await self.effects.settle()
        last_tab = next((tab for tab in reversed(self._tabs.values()) if tab.url.startswith("http")), None)
        if last_tab is not None and (page := await self._settled(last_tab) or await self._read(last_tab, "now")):
            self._steps.take(page)
        self._steps.end(final)

    def _tab(self, target: str) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.target == target), None)

    # Events of the browser.

    def _attached(self, event: dict[str, Any], by: str) -> None:
        info, session = event["targetInfo"], event["sessionId"]
        commands: list[tuple[str, dict[str, Any]]] = []
        if info["type"] in ("page", "iframe"):
            commands = [
                *self._prepared(info.get("browserContextId", "")),
                *self.effects.attach(session, info["targetId"]),
            ]
            if info["type"] == "page" and self.crowded():
                # A page has opened it, or a client asked for several at once.
                commands.append(("Page.close", {}))
            elif info["type"] == "page":
                self._tabs[session] = Tab(session, info["targetId"], info.get("browserContextId", ""), url=info["url"])
        if event["waitingForDebugger"]:
            commands.append(("Runtime.runIfWaitingForDebugger", {}))
        # All at once: a target that waits for its debugger answers some of them only when it runs.
        for method, params in commands:
            self._session.post(session, method, **params)

    def _prepared(self, context: str) -> list[tuple[str, dict[str, Any]]]:
        script = "Page.addScriptToEvaluateOnNewDocument"
        commands: list[tuple[str, dict[str, Any]]] = [
            ("Page.enable", {}),
            ("Runtime.enable", {}),
            ("Runtime.addBinding", {"name": SAY, "executionContextName": WORLD}),
            (script, {"source": self._script, "worldName": WORLD}),
            (script, {"source": self._clock}),
        ]
        if self._world.perturber.binding:
            commands.append(("Runtime.addBinding", {"name": self._world.perturber.binding}))
        if context not in self._admitted:
            pattern = {"urlPattern": "*"}
            commands.append(("Fetch.enable", {"handleAuthRequests": True, "patterns": [pattern]}))
        return commands

    def _detached(self, event: dict[str, Any], by: str) -> None:
        self._session.gone(event["sessionId"])
        tab = self._tabs.pop(event["sessionId"], None)
        if tab is not None and tab.resting is not None:
            tab.resting.cancel()

    def _called(self, event: dict[str, Any], by: str) -> None:
        if event["name"] == self._world.perturber.binding:
            self._world.perturber.take_call(event["payload"])
        elif event["name"] == SAY:
            doing, _, page = event["payload"].partition("\n")
            self._said(json.loads(doing), page, by)

    def _said(self, doing: Mapping[str, Any], page: str, by: str) -> None:
        if kind := doing.get("kind"):
            self._steps.begin({"kind": kind, **doing["more"]}, page or None)
            attempts = self._world.perturber.attempts()
            for session, tab in self._tabs.items():
                # Attempts are counted over all tabs; this one has counted its own.
                if session != by and tab.world:
                    self._session.post(session, "Runtime.callFunctionOn", **_call(tab, "attempted", attempts))
        else:
            self._steps.change(doing.get("more", {}))
        self._rest(by)

    def _world_made(self, event: dict[str, Any], by: str) -> None:
        context = event["context"]
        tab = self._tabs.get(by)
        if tab and context["name"] == WORLD and context["auxData"]["frameId"] in (tab.frame, tab.target):
            tab.world = context["uniqueId"]

    def _navigated(self, event: dict[str, Any], by: str) -> None:
        tab = self._tabs.get(by)
        if tab and "parentId" not in event["frame"]:
            tab.frame, tab.url, tab.fresh = event["frame"]["id"], event["frame"]["url"], True

    def _moved(self, event: dict[str, Any], by: str) -> None:
        tab = self._tabs.get(by)
        if tab and event["frameId"] == tab.frame:
            tab.url = event["url"]
            self._rest(by)

    def _dialog_opened(self, event: dict[str, Any], by: str) -> None:
        if tab := self._tabs.get(by):
            tab.dialog = True

    def _dialog_closed(self, event: dict[str, Any], by: str) -> None:
        if tab := self._tabs.get(by):
            tab.dialog = False
            self._steps.begin(
                {"kind": "DIALOG", "accept": event["result"], "text": event.get("userInput") or None}, None
            )

    # The proxy asks each context for its credential once; from then on the browser sends it by itself.

    def _ask_for_credential(self, event: dict[str, Any], by: str) -> None:
        answer = {"response": "ProvideCredentials", "username": PROXY_USER, "password": self._world.credential}
        self._session.post(by, "Fetch.continueWithAuth", requestId=event["requestId"], authChallengeResponse=answer)
        if tab := self._tabs.get(by):
            self._admitted.add(tab.context)
        self._session.post(by, "Fetch.disable")

    def _paused(self, event: dict[str, Any], by: str) -> None:
        self._session.post(by, "Fetch.continueRequest", requestId=event["requestId"])
        if (tab := self._tabs.get(by)) and tab.context in self._admitted:
            # Another tab of the context has given it meanwhile.
            self._session.post(by, "Fetch.disable")

    # Reads.

    def _rest(self, by: str) -> None:
        """Have a tab read when it has settled, unless its client does something before."""
        tab = self._tabs.get(by)
        if tab is not None and (tab.resting is None or tab.resting.done()):
            tab.resting = asyncio.create_task(self._rested(tab))

    async def _rested(self, tab: Tab) -> None:
        if page := await self._settled(tab):
            tab.fresh = False
            self._steps.take(page)

    async def _settled(self, tab: Tab) -> str | None:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline and not tab.dialog:
            if self._world.busy():
                await asyncio.sleep(_REST_S)
                continue
            before = self._world.started()
            page = await self._read(tab, "rest")
            if page is None or (self._world.started() == before and not self._world.busy()):
                return page
        return await self._read(tab, "now")

    async def _read(self, tab: Tab, how: str) -> str | None:
        """Return what a tab shows; None where there is nothing to read, or something else came first."""
        if not tab.world or tab.dialog:
            return None
        if how == "now":
            await self.effects.settle(tab.target)
        with contextlib.suppress(ProtocolError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                answer = await self._session.ask(tab.session, "Runtime.callFunctionOn", **_call(tab, how))
                value: str | None = answer.get("result", {}).get("value")
                return value
        return None


def _call(tab: Tab, name: str, argument: object = None) -> dict[str, Any]:
    """Return the parameters with which the script in a tab is called."""
    return {
        "uniqueContextId": tab.world,
        "functionDeclaration": _CALL,
        "arguments": [{"value": name}, {"value": argument}],
        "awaitPromise": True,
        "returnByValue": True,
    }
