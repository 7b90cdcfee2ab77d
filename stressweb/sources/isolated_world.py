"""An isolated world in a page: the same document, invisible to the page's scripts."""

import asyncio
from collections.abc import Mapping
from typing import Any, Self

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from stressweb.core.draws import digest
from stressweb.sources.crash import CrashWatch

_NAME = "recorder"
"""The browser keeps one world of a name per document and session; only its own tools show the name."""
_GONE = ("uniqueContextId not found", "Cannot find context", "context was destroyed")
"""The browser's errors for a world whose document is gone."""
# By a symbol, because elements are properties of the global object by their ids, whatever those are.
_KEEPING = "function (argument) {{ const kept = (globalThis[Symbol.for('kept')] ??= {{}}); return ({})(argument); }}"


class IsolatedWorld:
    """Evaluates functions in a tab, isolated from its scripts; made by `IsolatedWorld.of`.

    Replaced functions and prototypes of the page have no effect there, and the page cannot call, observe or replace
    anything that runs there.
    """

    def __init__(self, page: Page, session: CDPSession) -> None:
        """Take a tab and its session, without using it yet."""
        self._session = session
        self._frame = ""
        self._worlds: dict[str, str] = {}
        """The unique id of the world in the document of each frame."""
        self._known: dict[str, set[str]] = {}
        """Hashes of the functions that each world has stored."""
        self._watch = CrashWatch(page)
        session.on("Page.frameNavigated", self._on_navigated)
        session.on("Runtime.executionContextCreated", self._on_created)
        session.on("Runtime.executionContextDestroyed", self._on_destroyed)
        session.on("Runtime.executionContextsCleared", self._on_cleared)

    @classmethod
    async def of(cls, page: Page, session: CDPSession | None = None, binding: str = "") -> Self:
        """Return the world of a tab, valid for all of its later documents.

        Without `session` a new one is opened. `binding` is the name of a function that pages of the tab have from their
        next document on. Raises PlaywrightError if the tab has closed.
        """
        world = cls(page, session or await page.context.new_cdp_session(page))
        # Created together with the document: the first call then takes one round trip instead of three.
        script = {"source": "", "worldName": _NAME}
        await asyncio.gather(
            world._send("Page.enable"),
            world._send("Runtime.enable"),
            world._send("Page.addScriptToEvaluateOnNewDocument", **script),
            # After the runtime: a session without it adds no function to documents.
            *([world._send("Runtime.addBinding", name=binding)] if binding else []),
        )
        return world

    async def evaluate(self, function: str, argument: object = None) -> Any:
        """Return the result of a JavaScript function for an argument, both as JSON values; promises are awaited.

        The document stores the function, so that its text is sent once. Raises PlaywrightError if the function raises,
        if the tab closes or crashes, or if a navigation replaces the document.
        """
        world = self._worlds.get(self._frame)
        if world:
            try:
                return await self._call(world, function, argument)
            except PlaywrightError as error:
                # The document is gone, and nothing was evaluated: the call is repeated in the next one.
                if not any(sign in str(error) for sign in _GONE):
                    raise
                self._forget(world)
        return await self._call(await self._context_id(), function, argument)

    async def close(self) -> None:
        """End the session."""
        await self._session.detach()

    async def _call(self, world: str, function: str, argument: object) -> Any:
        """Call a function in a world, which is identified by a unique id."""
        name = digest("function", function, size=8).hex()
        known = self._known.setdefault(world, set())
        # The text is long, and sent only once.
        expression = f"kept[{name!r}]" if name in known else f"kept[{name!r}] = ({function})"
        answer = await self._send(
            "Runtime.callFunctionOn",
            uniqueContextId=world,
            functionDeclaration=_KEEPING.format(expression),
            arguments=[{"value": argument}],
            awaitPromise=True,
            returnByValue=True,
        )
        value = _value(answer)
        known.add(name)
        return value

    async def _context_id(self) -> str:
        """Return the world of the current document, creating it if necessary."""
        frame = await self._main_frame()
        if frame not in self._worlds:
            # The browser reports it, with its unique id, before it answers.
            await self._send("Page.createIsolatedWorld", frameId=frame, worldName=_NAME)
        try:
            return self._worlds[frame]
        except KeyError:
            # In the browser's own words.
            raise PlaywrightError("Cannot find context: the document has gone") from None

    async def _main_frame(self) -> str:
        # The tab keeps it for its whole life, whatever it shows.
        if not self._frame:
            self._frame = (await self._send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        return self._frame

    async def _send(self, method: str, **params: object) -> Any:
        return await self._watch.answer(self._session.send(method, params))

    def _on_navigated(self, event: Mapping[str, Any]) -> None:
        if "parentId" not in event["frame"]:
            self._frame = event["frame"]["id"]

    def _on_created(self, event: Mapping[str, Any]) -> None:
        context = event["context"]
        if context["name"] == _NAME:
            frame = context["auxData"]["frameId"]
            self._forget(self._worlds.get(frame, ""))
            self._worlds[frame] = context["uniqueId"]

    def _on_destroyed(self, event: Mapping[str, Any]) -> None:
        self._forget(event["executionContextUniqueId"])

    def _on_cleared(self, event: Mapping[str, Any]) -> None:
        self._worlds.clear()
        self._known.clear()

    def _forget(self, world: str) -> None:
        self._known.pop(world, None)
        self._worlds = {frame: unique_id for frame, unique_id in self._worlds.items() if unique_id != world}


def _value(answer: Mapping[str, Any]) -> Any:
    """Return the result; raises PlaywrightError with the exception's text."""
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        raise PlaywrightError(details.get("exception", {}).get("description") or details["text"])
    return answer["result"].get("value")
