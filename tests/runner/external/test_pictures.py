"""A client's screenshot shows the next page if the current one is just being replaced."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from scripts.blocking import blocking
from stressweb.runner.external import pictures
from stressweb.runner.external.pipe_browser import PipeBrowser
from stressweb.runner.external.relay import Relay
from tests.support.waiting import until_async

SESSION = "page"
PICTURE = {"id": 7, "method": pictures.PICTURE, "params": {}, "sessionId": SESSION}
TORN = {"id": 7, "sessionId": SESSION, "error": {"code": -32000, "message": "Not attached to an active page"}}
TAKEN = {"id": 7, "sessionId": SESSION, "result": {"data": "picture"}}
ARRIVED = {"method": "Page.frameNavigated", "sessionId": SESSION, "params": {"frame": {"id": "1"}}}
CLEARED = {"method": "Runtime.executionContextsCleared", "sessionId": SESSION, "params": {}}


class Wire:
    """Stand-in for the browser, the recorder of effects, and the client."""

    def __init__(self) -> None:
        self.posted: list[dict[str, Any]] = []
        self.client: list[dict[str, Any]] = []
        self.effects = self

    async def session(self, hear: Callable[[dict[str, Any]], None]) -> str:
        self.say = hear
        return "root"

    def post(self, message: dict[str, Any]) -> None:
        self.posted.append(message)

    def begin(self, *arguments: object) -> bool:
        return False

    def hides(self, message: dict[str, Any]) -> bool:
        return False

    def arrived(self, target: str) -> None:
        pass

    async def settled(self, target: str) -> None:
        pass

    def pictures(self) -> int:
        return sum(message["method"] == pictures.PICTURE for message in self.posted)

    def answers(self) -> list[dict[str, Any]]:
        return [message for message in self.client if message.get("id") == PICTURE["id"]]


async def asking() -> Wire:
    """Return a wire whose client has looked at a page and then asked for its picture."""
    wire = Wire()
    relay = Relay(cast(PipeBrowser, wire), wire, lambda text: wire.client.append(json.loads(text)))  # type: ignore[arg-type]
    await relay.open()
    target = {"sessionId": SESSION, "targetInfo": {"targetId": "tab"}}
    wire.say({"method": "Target.attachedToTarget", "sessionId": "root", "params": target})
    await relay.take(json.dumps({"id": 1, "method": "DOM.enable", "sessionId": SESSION}))
    await until_async(lambda: len(wire.posted) == 1)
    await relay.take(json.dumps(PICTURE))
    assert wire.pictures() == 1
    return wire


def test_a_refused_picture_is_taken_again() -> None:
    async def play() -> None:
        wire = await asking()
        wire.say(TORN)
        await until_async(lambda: wire.pictures() == 2)
        wire.say(TAKEN)
        assert wire.answers() == [TAKEN]

    blocking(play)()


def test_a_dropped_picture_is_taken_of_the_next_page() -> None:
    async def play() -> None:
        wire = await asking()
        wire.say(CLEARED)
        wire.say(ARRIVED)
        await until_async(lambda: wire.pictures() == 2)
        await asyncio.sleep(0.1)
        assert wire.pictures() == 2
        wire.say(TAKEN)
        # If the browser answers the first request too, the client gets no second answer.
        wire.say(TORN)
        assert wire.answers() == [TAKEN]

    blocking(play)()


def test_a_lasting_refusal_reaches_the_client() -> None:
    async def play() -> None:
        wire = await asking()
        while not wire.answers():
            before = wire.pictures()
            wire.say(TORN)
            await until_async(partial(lambda before: bool(wire.answers()) or wire.pictures() > before, before))
        assert wire.answers() == [TORN]
        assert wire.pictures() > 1

    blocking(play)()


def test_another_error_reaches_the_client_at_once() -> None:
    async def play() -> None:
        wire = await asking()
        error = {**TORN, "error": {"code": -32000, "message": "Unable to capture screenshot"}}
        wire.say(error)
        assert wire.answers() == [error]

    blocking(play)()
