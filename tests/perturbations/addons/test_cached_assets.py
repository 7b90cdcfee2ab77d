"""An answer that one episode got is served to the next without the site, unless it is a page."""

import pytest
from mitmproxy import http

from stressweb.perturbations.addons.cached_assets import CachedAssets
from tests.perturbations.addons.flows import HEADERS, REQUEST, binding, flow, meet


@pytest.mark.parametrize(("content_type", "cached"), [("text/css", True), ("text/html", False)])
def test_assets_are_cached_and_pages_are_not(content_type: str, cached: bool) -> None:
    episode, addon = binding(), CachedAssets()
    first = flow(episode, "/a")
    assert meet(REQUEST, first, addon).response is None
    headers = {"Content-Type": content_type, "Cache-Control": "max-age=60", "Content-Length": "4"}
    first.response = http.Response.make(200, b"body", headers)
    meet(HEADERS, first, addon)
    assert callable(first.response.stream) == cached
    if callable(first.response.stream):
        assert [first.response.stream(chunk) for chunk in (b"body", b"")] == [b"body", b""]
    second = meet(REQUEST, flow(episode, "/a"), addon)
    assert (second.response.content if second.response else None) == (b"body" if cached else None)
