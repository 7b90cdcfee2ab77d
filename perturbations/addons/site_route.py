"""The route to the site."""

from mitmproxy import http

from stressweb.perturbations.addons.binding import binding_of, served_of
from stressweb.perturbations.addons.hooks import guarded

KEY_HEADER = "X-Site-Key"
DATABASE_HEADER = "X-Site-Database"


class SiteRoute:
    """Forwards requests to the server of the sites, with the name of the episode's database."""

    def __init__(self, site_key: str) -> None:
        """Take the key that the sites require of every request."""
        self._site_key = site_key

    @guarded
    def request(self, flow: http.HTTPFlow) -> None:
        """Forward a request to its site."""
        served = served_of(flow)
        # The site answers only requests with these headers, so no process can bypass the proxy.
        flow.request.headers[KEY_HEADER] = self._site_key
        flow.request.headers[DATABASE_HEADER] = served.database
        flow.request.host, flow.request.port = binding_of(flow).upstream
        flow.request.host_header = served.host
