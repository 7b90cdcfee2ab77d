"""`serve` can show an overlay and reset the site; episodes have neither."""

import http.client
import json
import re
import sqlite3
from urllib.parse import urlsplit

import pytest

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.registry import Library
from stressweb.runner.world.serve_site import serve_site
from stressweb.runner.world.served_pages import OVERLAY_PATH, RESET_PATH
from stressweb.runner.world.world import World
from tests.support import proxied
from tests.support.toy import Toy
from tests.support.upstream import NAVIGATION

SEEDS = Seeds(0, 0, "toy/x")
MADE_OF = ('id="panel"', "EVERY_MS", "--held", '"resets"')
"""Parts of the overlay's files and responses."""
type Answer = tuple[int, list[tuple[str, str]], str]


def response_of(url: str, path: str, method: str = "GET", **headers: str) -> Answer:
    """Return the response of a served site at a path."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=20)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers={"Host": parts.netloc, **NAVIGATION, **named})
    response = connection.getresponse()
    answer = response.status, response.getheaders(), response.read().decode()
    connection.close()
    return answer


def serve_toy(world: World, *, overlay: bool, label: str = "failure@3") -> str:
    (condition,) = parse(label, MODES)
    return serve_site(world, Toy(), condition, SEEDS, with_effects_log=overlay)


def report(url: str, world: World, body: str) -> None:
    """Send a page's report about the last served document."""
    stress = world.episodes.bindings[urlsplit(url).port or 0].stress
    stress.take_report(list(stress.documents)[-1], body)


def test_the_overlay_shows_the_reports_of_pages(world: World) -> None:
    url = serve_toy(world, overlay=True, label="failure@3+noise@3")
    assert urlsplit(url).path == OVERLAY_PATH
    status, headers, text = response_of(url, OVERLAY_PATH)
    assert (status, MADE_OF[0] in text) == (200, True)
    assert MADE_OF[1] in response_of(url, f"{OVERLAY_PATH}overlay.js")[2]
    assert MADE_OF[2] in response_of(url, f"{OVERLAY_PATH}overlay.css")[2]
    assert MADE_OF[3] in response_of(url, f"{OVERLAY_PATH}events")[2]
    # Its policy allows only its own files, and the site in a frame.
    assert "frame-src 'self'" in dict(headers)["Content-Security-Policy"]
    assert [
        response_of(url, f"{OVERLAY_PATH}{name}")[0] for name in ("overlay.js", "overlay.css", "none.js", "../world.py")
    ] == [
        200,
        200,
        404,
        404,
    ]
    response_of(url, "/")
    report(url, world, '[1,"failure","k","hit",0,["button","Buy"]]')
    report(url, world, '[2,"noise","page /","moved",14,null]')
    events = json.loads(response_of(url, f"{OVERLAY_PATH}events?after=0&page=/")[2])
    assert events["title"] == "toy under failure@3+noise@3"
    assert [line["text"] for line in events["lines"]] == ["This click on button 'Buy' was swallowed by failure@3."]
    assert events["places"] == {"noise@3": 14}
    assert json.loads(response_of(url, f"{OVERLAY_PATH}events?after=1&page=/x")[2])["lines"] == []


def test_the_page_of_the_site_is_the_same_with_and_without_the_overlay(world: World) -> None:
    """The panel is outside the site's page: same bytes except for the names of host and episode."""
    pages = []
    for overlay in (False, True):
        url = serve_toy(world, overlay=overlay)
        stress = world.episodes.bindings[urlsplit(url).port or 0].stress
        text = response_of(url, "/")[2].replace(urlsplit(url).netloc, "HOST").replace(stress.report_path, "REPORT")
        text = text.replace(stress.read_event, "READ").replace(stress.binding, "BINDING")
        pages.append(re.sub(r'nonce="[0-9a-f]+"', "NONCE", text))
    assert pages[0] == pages[1]
    assert "__stressweb" not in pages[1]


@pytest.mark.parametrize("overlay", [False, True])
def test_a_reset_gives_the_site_a_fresh_database_and_forgets_attempts_and_cookies(world: World, overlay: bool) -> None:
    (condition,) = parse("failure@3", MODES)
    site = Library().world("shop", 0)
    url = serve_site(world, site, condition, Seeds(0, 0, "shop/profile"), with_effects_log=overlay)
    binding = world.episodes.bindings[urlsplit(url).port or 0]
    response_of(url, "/")
    report(url, world, '[1,"failure","k","hit",0,["button","Buy"]]')
    before, stress = binding.served[0].database, binding.stress
    connection = world.site_server.database(before).connection
    connection.execute("CREATE TABLE left_by_a_person (x)")
    status, headers, _ = response_of(url, RESET_PATH, Cookie="session=abc; theme=x")
    assert (status, dict(headers)["Location"]) == (303, "/")
    assert [value for name, value in headers if name == "Set-Cookie"] == [
        "session=; Path=/; Max-Age=0",
        "theme=; Path=/; Max-Age=0",
    ]
    assert binding.stress.attempts() == {}
    # A page from before the reset reports to a path that no longer exists.
    assert binding.stress.report_path != stress.report_path
    assert binding.served[0].database != before
    fresh = world.site_server.database(binding.served[0].database).connection
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        fresh.execute("SELECT * FROM left_by_a_person")
    with pytest.raises(KeyError):
        world.site_server.database(before)
    assert response_of(url, "/")[0] == 200
    if overlay:
        events = json.loads(response_of(url, f"{OVERLAY_PATH}events")[2])
        assert (events["resets"], events["lines"]) == (1, [])


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_no_other_page_may_reset_the_site_or_read_what_is_done(world: World, site: str) -> None:
    url = serve_toy(world, overlay=True)
    before = world.episodes.bindings[urlsplit(url).port or 0].served[0].database
    for path in (RESET_PATH, f"{OVERLAY_PATH}events"):
        assert response_of(url, path, Sec_Fetch_Site=site)[0] == 403
    assert world.episodes.bindings[urlsplit(url).port or 0].served[0].database == before


def test_without_the_option_there_is_no_overlay(world: World) -> None:
    url = serve_toy(world, overlay=False)
    assert urlsplit(url).path == "/"
    for name in ("", "events", "overlay.js", "overlay.css"):
        status, headers, text = response_of(url, f"{OVERLAY_PATH}{name}")
        # The site answers as at any unknown path.
        assert (status, dict(headers)["Content-Type"]) == (
            200,
            dict(response_of(url, "/no-such-path")[1])["Content-Type"],
        )
        assert not any(part in text for part in MADE_OF)


@pytest.mark.parametrize("label", ["clean", "sham", "failure@3"])
def test_an_episode_has_no_overlay(world: World, label: str) -> None:
    """No page of an episode mentions it, and its paths belong to the site like any other."""
    (condition,) = parse(label, MODES)
    episode = world.open(Library().world("shop", 0), condition, Seeds(0, 0, "shop/profile"))
    for port in (episode.port, episode.evidence_port):
        binding = world.episodes.bindings[port]
        assert (binding.served_pages, binding.stress.watcher) == (None, None)

    def fetched(path: str) -> tuple[int, str]:
        url = episode.start_url.rstrip("/") + path
        connection = http.client.HTTPConnection("127.0.0.1", episode.port, timeout=20)
        connection.request("GET", url, headers={**NAVIGATION, **proxied.header(episode)})
        response = connection.getresponse()
        answer = response.status, response.read().decode()
        connection.close()
        return answer

    status, text = fetched("/")
    assert status == 200
    assert "__stressweb" not in text
    for path in (OVERLAY_PATH, RESET_PATH, f"{OVERLAY_PATH}events", f"{OVERLAY_PATH}overlay.js"):
        status, text = fetched(path)
        assert status == 404
        assert not any(part in text for part in MADE_OF)
    episode.close()
