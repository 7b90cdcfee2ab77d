"""Authenticates a browser context at its proxy, which requires the world's credential."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from stressweb.perturbations import PROXY_USER


@contextlib.asynccontextmanager
async def admitted(session: CDPSession, url: str, credential: str) -> AsyncIterator[None]:
    """Answer the proxy's challenge while the body opens `url`, the first page of its context.

    `session` is a CDP session of the tab. From then on the browser itself sends the credential with every request of
    the context, also for workers, downloads and preflights, which headers set by Playwright do not reach. Playwright's
    own proxy authentication would intercept every request of the context.
    """

    async def answer(event: dict[str, Any]) -> None:
        credentials = {"response": "ProvideCredentials", "username": PROXY_USER, "password": credential}
        await session.send(
            "Fetch.continueWithAuth", {"requestId": event["requestId"], "authChallengeResponse": credentials}
        )

    # The pattern below also pauses the request itself, which this handler continues.
    async def go_on(event: dict[str, Any]) -> None:
        await session.send("Fetch.continueRequest", {"requestId": event["requestId"]})

    session.on("Fetch.authRequired", answer)
    session.on("Fetch.requestPaused", go_on)
    # Only this request is paused, since pausing costs a round trip. A request has no fragment, so the pattern has none.
    first = {"urlPattern": url.partition("#")[0], "resourceType": "Document"}
    await session.send("Fetch.enable", {"handleAuthRequests": True, "patterns": [first]})
    try:
        yield
    finally:
        # The session may have closed with its page.
        with contextlib.suppress(PlaywrightError):
            await session.send("Fetch.disable")
        session.remove_listener("Fetch.authRequired", answer)
        session.remove_listener("Fetch.requestPaused", go_on)
