"""Answers of ours, given in place of the site."""

from mitmproxy import http
from mitmproxy.exceptions import AddonHalt

from stressweb.perturbations.addons.hooks import is_ours


class OwnAnswers:
    """Keeps our own answers from the addons after it, which handle the site's answers.

    mitmproxy calls `responseheaders` for both.
    """

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Let our own answer pass unchanged."""
        if is_ours(flow):
            raise AddonHalt
