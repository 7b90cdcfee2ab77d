"""What a site lets be kept: pictures, style sheets, scripts."""

from mitmproxy import http

from perturbations.addons.binding import served_of
from perturbations.addons.hooks import answer, guarded
from perturbations.stream import is_html


class KeptAssets:
    """Answers from what an earlier episode asked for: the same bytes for all of them, without the way to the site."""

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Answer what is kept."""
        if (response := served_of(flow).kept.answer(flow.request)) is not None:
            answer(flow, response)

    @guarded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Keep what may be kept, once all of it has passed."""
        assert flow.response is not None
        # A page is the site's to answer each time, whoever asks for it.
        if not is_html(flow.response):
            served_of(flow).kept.watch(flow)
