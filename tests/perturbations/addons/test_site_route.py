"""A request goes to the server of the sites, with the key and the episode's database, and keeps the site's name."""

from stressweb.perturbations.addons.site_route import DATABASE_HEADER, KEY_HEADER, SiteRoute
from tests.perturbations.addons.flows import HOST, REQUEST, binding, flow, meet


def test_the_way_to_the_site() -> None:
    request = meet(REQUEST, flow(binding(), "/a?b=c", **{KEY_HEADER: "guess"}), SiteRoute("key")).request
    assert (request.host, request.port, request.host_header, request.path) == ("127.0.0.1", 9, HOST, "/a?b=c")
    assert request.headers.get_all(KEY_HEADER) == ["key"]
    assert request.headers[DATABASE_HEADER] == "database-1"
