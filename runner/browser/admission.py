"""How a browser context authenticates at its proxy, which answers only with the world's credential."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from stressweb.perturbations import PROXY_USER


@contextlib.asynccontextmanager
async def admitted(session: CDPSession, url: str, credential: str) -> AsyncIterator[None]:
    """Answer the proxy's question for the credential while the body opens `url`, the first page of its context.

    `session` is one with the tab. From then on the browser sends the credential with every request of the context by
    itself: those of workers, downloads and preflights too, which no header set by Playwright reaches. Playwright's own
    way stops every request for ever.
    """

    async def answer(event: dict[str, Any]) -> None:
        credentials = {"response": "ProvideCredentials", "username": PROXY_USER, "password": credential}
        await session.send(
            "Fetch.continueWithAuth", {"requestId": event["requestId"], "authChallengeResponse": credentials}
        )

    # The pattern below pauses the request itself, too; without this handler it would never continue.
    async def go_on(event: dict[str, Any]) -> None:
        await session.send("Fetch.continueRequest", {"requestId": event["requestId"]})

    session.on("Fetch.authRequired", answer)
    session.on("Fetch.requestPaused", go_on)
    # Only this one request is stopped; each further pattern would cost a round trip for each request.
    # A request has no fragment, so a pattern with one would match nothing.
    first = {"urlPattern": url.partition("#")[0], "resourceType": "Document"}
    await session.send("Fetch.enable", {"handleAuthRequests": True, "patterns": [first]})
    try:
        yield
    finally:
        # A page that has gone meanwhile took the session along.
        with contextlib.suppress(PlaywrightError):
            await session.send("Fetch.disable")
        session.remove_listener("Fetch.authRequired", answer)
        session.remove_listener("Fetch.requestPaused", go_on)
