"""Answers that a site lets us cache: pictures, style sheets, scripts."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import served_of
from stressweb.perturbations.addons.hooks import answer, guarded
from stressweb.perturbations.stream import is_html


class CachedAssets:
    """Answers from the cache that all episodes of a world share: the same bytes, without a request to the site."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer a request from the cache."""
        if (response := served_of(flow).assets.answer(flow.request)) is not None:
            answer(flow, response)

    @guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Cache a cacheable response once its whole body has passed."""
        assert flow.response is not None
        # Pages are never cached.
        if not is_html(flow.response):
            served_of(flow).assets.watch(flow)
