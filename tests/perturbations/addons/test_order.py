"""The order of the addons: which one answers, and what is counted then."""

import pytest
from mitmproxy import http

from stressweb.perturbations.addons import proxy_addons
from stressweb.perturbations.addons.episodes import Episodes
from stressweb.perturbations.addons.site_faults import FAULT_HEADER
from stressweb.perturbations.addons.site_route import KEY_HEADER
from tests.perturbations.addons.flows import CREDENTIAL, HEADERS, HOST, REQUEST, RESPONSE, binding, flow, meet

RIGHT = {"Proxy_Authorization": f"Basic {CREDENTIAL}"}
EARLY = {"Sec_Purpose": "prefetch;prerender", "Sec_Fetch_Dest": "document"}


@pytest.mark.parametrize(
    ("host", "path", "headers", "status", "counts"),
    [
        (HOST, "/", RIGHT, None, (1, 1)),
        (HOST, "/", {}, 407, (0, 0)),
        ("elsewhere.test", "/", {}, 407, (0, 0)),
        ("elsewhere.test", "/", RIGHT, 403, (0, 0)),
        (HOST, "REPORT/0", RIGHT, 400, (0, 0)),
        (HOST, "/own", RIGHT, 200, (0, 0)),
        (HOST, "/", RIGHT | EARLY, 503, (0, 0)),
        (HOST, "/cached.css", RIGHT, 200, (1, 0)),
    ],
)
def test_who_answers_and_what_is_counted(
    host: str, path: str, headers: dict[str, str], status: int | None, counts: tuple[int, int]
) -> None:
    own = http.Response.make(200, b"own")
    episode = binding(served_pages=lambda request: own if request.path == "/own" else None)
    cached = flow(episode, "/cached.css")
    cached.response = http.Response.make(200, b"body", {"Cache-Control": "max-age=60", "Content-Length": "4"})
    episode.served[0].assets.watch(cached)
    assert callable(cached.response.stream)
    [cached.response.stream(chunk) for chunk in (b"body", b"")]

    episodes = Episodes()
    chain = proxy_addons(episodes, "key")
    request_flow = flow(None, path.replace("REPORT", episode.stress.report_path), host, **headers)
    episodes.bindings[request_flow.client_conn.sockname[1]] = episode
    episodes.client_connected(request_flow.client_conn)
    meet(REQUEST, request_flow, *chain)
    assert (request_flow.response and request_flow.response.status_code) == status
    assert (episode.started, episode.open_flows) == counts
    # A request that an addon answered never got the key of the site.
    assert (KEY_HEADER in request_flow.request.headers) == (status is None)
    request_flow.response = request_flow.response or http.Response.make(200, b"")
    for event in (HEADERS, RESPONSE):
        meet(event, request_flow, *chain)
    assert (episode.open_flows, episode.faults) == (0, [])


@pytest.mark.parametrize("event", ["http_connect", "request", "responseheaders", "response", "error"])
def test_every_hook_is_guarded(event: str) -> None:
    """An exception in a hook is a fault of the episode: mitmproxy would only log it and let the flow pass."""
    hooked = [type(addon) for addon in proxy_addons(Episodes(), "key") if hasattr(addon, event)]
    assert hooked
    # `OwnAnswers` only reads a mark of the flow, and halts on purpose.
    unguarded = {addon.__name__ for addon in hooked if not hasattr(getattr(addon, event), "__wrapped__")}
    assert unguarded <= {"OwnAnswers"}


def test_the_fault_of_the_site_is_off_before_the_script_is_in() -> None:
    """Otherwise it would stay in the headers that the script changes, and the page would see it."""
    episode, chain = binding(), proxy_addons(Episodes(), "key")
    request_flow = flow(episode, "/", Sec_Fetch_Dest="document")
    request_flow.response = http.Response.make(500, b"<p>", {FAULT_HEADER: "1", "Content-Type": "text/html"})
    meet(HEADERS, request_flow, *chain)
    assert FAULT_HEADER not in request_flow.response.headers
    assert request_flow.response.headers["Cache-Control"] == "no-store"
