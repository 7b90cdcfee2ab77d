"""Responses of the proxy in place of the site."""

from mitmproxy import http
from mitmproxy.exceptions import AddonHalt

from stressweb.perturbations.addons.hooks import is_ours


class OwnAnswers:
    """Hides the proxy's own responses from the addons after it, which process the site's responses.

    mitmproxy calls `responseheaders` for both.
    """

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let a response of the proxy pass unchanged."""
        if is_ours(flow):
            raise AddonHalt
