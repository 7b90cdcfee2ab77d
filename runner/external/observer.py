"""Records what a client does in the browser, through a DevTools session of our own beside the client's."""

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stressweb.core.javascript import source
from stressweb.perturbations import PROXY_USER, key_maker
from stressweb.plugins.actions import Action
from stressweb.runner.browser.loading import ENABLE, EVENTS, Loading
from stressweb.runner.browser.recorder import keyed_options
from stressweb.runner.browser.settle import settled_js
from stressweb.runner.external.script_effects import ScriptEffects
from stressweb.runner.external.session import ProtocolError, Session
from stressweb.runner.external.steps import Steps
from stressweb.sources.part import PLAIN, read_js

if TYPE_CHECKING:
    # Imports mitmproxy, which takes a second.
    from stressweb.runner.world.world import EpisodeWorld

WORLD = "recorder"
"""Name of the isolated world in which the script runs; only DevTools clients can see it."""
SAY = "told"
_OBSERVER_JS = source(Path(__file__).with_name("observer.js"))
_CLOCK_JS = source(Path(__file__).with_name("clock.js"))
TELL = f"(doing, page) => globalThis[{json.dumps(SAY)}](page ? `${{doing}}\\n${{page}}` : doing)"
"""A binding takes one string. The page is JSON already, and quoting it again would be slow."""
_PUBLISH = "(calls) => (globalThis[Symbol.for('observer')] = calls)"
_CALL = "(name, argument) => globalThis[Symbol.for('observer')]?.[name](argument) ?? null"
_REST_S = 0.002
"""Seconds between two checks for pending requests."""
_PATIENCE_S = 2.0
MOST_TABS = 20
"""Most tabs that an episode's browser may have open; each is a process of about 50 MB."""


def action_reporter_js(world: "EpisodeWorld", tell: str, publish: str) -> str:
    """Return the script that reports the actions in a document of an episode.

    `tell` and `publish` are JavaScript source of the functions that observer.js takes.
    """
    options = {**PLAIN, **keyed_options(world)}
    arguments = [read_js(keys=key_maker()), settled_js("(act) => act()"), json.dumps(options), tell, publish]
    return f"({_OBSERVER_JS})({', '.join(arguments)})"


def clock_js(page_time: str) -> str:
    """Return the script that fixes a document's clock at a date and time in ISO format."""
    return f"({_CLOCK_JS})({json.dumps(page_time)})"


@dataclass
class Tab:
    """A tab of the browser; `session` is the id of our DevTools session with it."""

    session: str
    target: str
    context: str
    frame: str = ""
    url: str = ""
    world: str = ""
    """Unique id of the script's world in the tab's current document."""
    dialog: bool = False
    fresh: bool = False
    """Whether the document has not been read yet."""
    loading: Loading = field(default_factory=Loading, repr=False)
    resting: asyncio.Task[None] | None = field(default=None, repr=False)


class Observer:
    """Observes an episode's browser and records its steps."""

    def __init__(self, session: Session, world: "EpisodeWorld", page_time: str, steps: Steps) -> None:
        """Take a session with the browser; `page_time` is the fixed time of its pages."""
        self._session, self._world, self._steps = session, world, steps
        self._tabs: dict[str, Tab] = {}
        self._admitted: set[str] = set()
        """Browser contexts that have sent the proxy's credential."""
        self._script = action_reporter_js(world, TELL, _PUBLISH)
        self._clock = clock_js(page_time)
        self.effects = ScriptEffects(session, WORLD, self.bypassed)

    async def start(self) -> None:
        """Attach to all current and future targets of the browser."""
        session = self._session
        session.on("Target.attachedToTarget", self._on_attached)
        session.on("Target.detachedFromTarget", self._on_detached)
        session.on("Runtime.bindingCalled", self._on_call)
        session.on("Runtime.executionContextCreated", self._world_made)
        session.on("Page.frameNavigated", self._on_navigated)
        session.on("Page.navigatedWithinDocument", self._on_moved)
        session.on("Page.loadEventFired", lambda event, by: self._schedule_read(by))
        session.on("Page.javascriptDialogOpening", self._dialog_opened)
        session.on("Page.javascriptDialogClosed", self._dialog_closed)
        session.on("Fetch.authRequired", self._ask_for_credential)
        session.on("Fetch.requestPaused", self._on_paused)
        for method in EVENTS:
            session.on(method, partial(self._loads, method))
        await session.ask(
            session.root, "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True
        )

    async def navigating(self, target: str, kind: str, url: str = "") -> None:
        """Record that a client is about to navigate or close a tab; read the current page first."""
        if self._steps.begun == 0 and kind == "NAVIGATE" and url.rstrip("/") == self._world.start_url.rstrip("/"):
            # Opening the start page is not an action: for our own agents it is open before their first turn.
            return
        page = await self._read(tab, "now") if (tab := self._tab(target)) else None
        self._steps.begin({"kind": kind, **({"url": url} if kind == "NAVIGATE" else {})}, page)
        if kind == "NAVIGATE":
            self._world.went_to(url)

    def arrived(self, target: str) -> None:
        """Record that a tab has a new document; our own session may get this event later."""
        if tab := self._tab(target):
            tab.fresh = True

    async def settled(self, target: str) -> None:
        """Wait until a tab's document has been read, which implies that it has been disturbed."""
        tab = self._tab(target)
        # Pages outside the site are never disturbed, and a page with an open dialog cannot be read.
        while tab and tab.fresh and not tab.dialog and tab.url.startswith("http") and tab.session in self._tabs:
            self._schedule_read(tab.session)
            if tab.resting is not None:
                await asyncio.wait({tab.resting})
            await asyncio.sleep(_REST_S)

    def bypassed(self, what: str) -> None:
        """Record a command that bypasses the disturbances."""
        self._world.perturber.note("client", "bypass", detail=what)

    def crowded(self) -> str:
        """Return why another tab is not allowed, and record it; return an empty string if it is allowed."""
        if len(self._tabs) < MOST_TABS:
            return ""
        reason = f"the episode has reached its limit of {MOST_TABS} open tabs"
        self._world.perturber.note("client", "blocked", detail=reason)
        return reason

    async def end(self, final: Action | None) -> None:
        """Read the last page and end the last step; `final` is the agent's claim, if any."""
        for tab in self._tabs.values():
            if tab.resting is not None:
                tab.resting.cancel()
        await self.effects.note_clients_changes()
        last_tab = next((tab for tab in reversed(self._tabs.values()) if tab.url.startswith("http")), None)
        if last_tab is not None and (page := await self._settle(last_tab) or await self._read(last_tab, "now")):
            self._steps.take(page)
        self._steps.end(final)

    def _tab(self, target: str) -> Tab | None:
        return next((tab for tab in self._tabs.values() if tab.target == target), None)

    # Events of the browser.

    def _on_attached(self, event: dict[str, Any], by: str) -> None:
        info, session = event["targetInfo"], event["sessionId"]
        commands: list[tuple[str, dict[str, Any]]] = []
        if info["type"] in ("page", "iframe"):
            commands = [
                *self._setup_commands(info.get("browserContextId", "")),
                *self.effects.attach(session, info["targetId"]),
            ]
            if info["type"] == "page" and self.crowded():
                # A page opened this tab, or a client requested several tabs at once.
                commands.append(("Page.close", {}))
            elif info["type"] == "page":
                self._tabs[session] = Tab(session, info["targetId"], info.get("browserContextId", ""), url=info["url"])
        if event["waitingForDebugger"]:
            commands.append(("Runtime.runIfWaitingForDebugger", {}))
        # Send all without waiting: a paused target answers some of the commands only after it resumes.
        for method, params in commands:
            self._session.post(session, method, **params)

    def _setup_commands(self, context: str) -> list[tuple[str, dict[str, Any]]]:
        script = "Page.addScriptToEvaluateOnNewDocument"
        commands: list[tuple[str, dict[str, Any]]] = [
            *ENABLE,
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

    def _on_detached(self, event: dict[str, Any], by: str) -> None:
        self._session.gone(event["sessionId"])
        tab = self._tabs.pop(event["sessionId"], None)
        if tab is not None and tab.resting is not None:
            tab.resting.cancel()

    def _on_call(self, event: dict[str, Any], by: str) -> None:
        if event["name"] == self._world.perturber.binding:
            self._world.perturber.take_binding_call(event["payload"])
        elif event["name"] == SAY:
            doing, _, page = event["payload"].partition("\n")
            self._take_action(json.loads(doing), page, by)

    def _take_action(self, doing: Mapping[str, Any], page: str, by: str) -> None:
        if kind := doing.get("kind"):
            self._steps.begin({"kind": kind, **doing["more"]}, page or None)
            attempts = self._world.perturber.attempts()
            for session, tab in self._tabs.items():
                # Attempts are counted across all tabs; the reporting tab has already counted this one.
                if session != by and tab.world:
                    self._session.post(session, "Runtime.callFunctionOn", **_call(tab, "attempted", attempts))
        else:
            self._steps.change(doing.get("more", {}))
        self._schedule_read(by)

    def _world_made(self, event: dict[str, Any], by: str) -> None:
        context = event["context"]
        tab = self._tabs.get(by)
        if tab and context["name"] == WORLD and context["auxData"]["frameId"] in (tab.frame, tab.target):
            tab.world = context["uniqueId"]

    def _on_navigated(self, event: dict[str, Any], by: str) -> None:
        tab = self._tabs.get(by)
        if tab and "parentId" not in event["frame"]:
            tab.frame, tab.url, tab.fresh = event["frame"]["id"], event["frame"]["url"], True

    def _on_moved(self, event: dict[str, Any], by: str) -> None:
        tab = self._tabs.get(by)
        if tab and event["frameId"] == tab.frame:
            tab.url = event["url"]
            self._schedule_read(by)

    def _loads(self, method: str, event: dict[str, Any], by: str) -> None:
        if tab := self._tabs.get(by):
            tab.loading.take(method, event)

    def _dialog_opened(self, event: dict[str, Any], by: str) -> None:
        if tab := self._tabs.get(by):
            tab.dialog = True

    def _dialog_closed(self, event: dict[str, Any], by: str) -> None:
        if tab := self._tabs.get(by):
            tab.dialog = False
            self._steps.begin(
                {"kind": "DIALOG", "accept": event["result"], "text": event.get("userInput") or None}, None
            )

    # Each context must send the proxy's credential once; after that the browser sends it automatically.

    def _ask_for_credential(self, event: dict[str, Any], by: str) -> None:
        answer = {"response": "ProvideCredentials", "username": PROXY_USER, "password": self._world.credential}
        self._session.post(by, "Fetch.continueWithAuth", requestId=event["requestId"], authChallengeResponse=answer)
        if tab := self._tabs.get(by):
            self._admitted.add(tab.context)
        self._session.post(by, "Fetch.disable")

    def _on_paused(self, event: dict[str, Any], by: str) -> None:
        self._session.post(by, "Fetch.continueRequest", requestId=event["requestId"])
        if (tab := self._tabs.get(by)) and tab.context in self._admitted:
            # Another tab of the same context has sent the credential in the meantime.
            self._session.post(by, "Fetch.disable")

    # Reads.

    def _schedule_read(self, by: str) -> None:
        """Schedule a read of a tab once it has settled, unless its client acts first."""
        tab = self._tabs.get(by)
        if tab is not None and (tab.resting is None or tab.resting.done()):
            tab.resting = asyncio.create_task(self._read_settled(tab))

    async def _read_settled(self, tab: Tab) -> None:
        if page := await self._settle(tab):
            tab.fresh = False
            self._steps.take(page)

    async def _settle(self, tab: Tab) -> str | None:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline and not tab.dialog:
            # The proxy gets a request some time after the page has made it; the browser reports it before.
            if tab.loading.pending(self._world):
                await asyncio.sleep(_REST_S)
                continue
            before = tab.loading.counts(self._world)
            page = await self._read(tab, "rest")
            if page is None or (tab.loading.counts(self._world) == before and not tab.loading.pending(self._world)):
                return page
        return await self._read(tab, "now")

    async def _read(self, tab: Tab, how: str) -> str | None:
        """Return a tab's page; None if there is nothing to read or another action came first."""
        if not tab.world or tab.dialog:
            return None
        if how == "now":
            await self.effects.note_clients_changes(tab.target)
        with contextlib.suppress(ProtocolError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                answer = await self._session.ask(tab.session, "Runtime.callFunctionOn", **_call(tab, how))
                value: str | None = answer.get("result", {}).get("value")
                return value
        return None


def _call(tab: Tab, name: str, argument: object = None) -> dict[str, Any]:
    """Return the parameters of a call of the script in a tab."""
    return {
        "uniqueContextId": tab.world,
        "functionDeclaration": _CALL,
        "arguments": [{"value": name}, {"value": argument}],
        "awaitPromise": True,
        "returnByValue": True,
    }
