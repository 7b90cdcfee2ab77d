"""`serve` shows a site disturbed exactly as a run disturbs it, whatever the host and port."""

import http.client
import socket
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturbations import MODES
from perturbations.episode_perturber import EpisodePerturber
from runner.commands.serve import check_port, serve, served
from runner.registry import Library, perturbations, site_names, task_ids
from runner.world.world import World
from stressweb.core.conditions import Condition, parse
from stressweb.core.draws import Seeds, units
from stressweb.core.errors import UserError
from stressweb.html.marks import Marks
from stressweb.html.page import Page
from stressweb.plugins.perturbation import Stage
from stressweb.plugins.site import SiteWorld
from tests import proxied
from tests.told import told
from tests.toy import PAGE, Toy

TASK = "toy/x"
LINKED = PAGE.replace(
    "</ul>",
    '<li><a href="http://{host}/gamma">Gamma page</a></li><li><a href="//{host}/delta">Delta page</a></li>'
    '<li><a href="http://{host}">Home</a></li><li><a href="http://toy.test/own">By its own name</a></li></ul>',
).replace('action="/do"', 'action="http://{host}/do"')


class Absolute(Toy):
    """A site whose links are absolute URLs of the host at which it was asked for."""

    def app(self, environ: Mapping[str, Any], start_response: Any) -> Any:
        """Answer one request."""
        return [part.replace(b"{host}", environ["HTTP_HOST"].encode()) for part in super().app(environ, start_response)]


def fetched(url: str, proxy: str | None = None) -> str:
    """Return a page as a browser gets it that goes by a proxy, or straight to the address of the URL."""
    if proxy:
        with urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy})).open(url) as answer:
            return answer.read().decode()
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=10)
    connection.request("GET", parts.path, headers={"Host": parts.netloc})
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def through_a_run(world: World, site: SiteWorld, condition: Condition, seeds: Seeds) -> tuple[str, EpisodePerturber]:
    episode = world.open(site, condition, seeds, b"k" * 16)
    stress = world._addon.bindings[episode.port].stress
    html = fetched(episode.start_url, proxied.address(episode))
    episode.close()
    return html, stress


def through_serve(world: World, site: SiteWorld, condition: Condition, seeds: Seeds) -> tuple[str, EpisodePerturber]:
    url = world.serve(site, condition, seeds)
    stress = world._addon.bindings[urlsplit(url).port or 0].stress
    return fetched(url), stress


def draws(stress: EpisodePerturber) -> dict[str, list[object]]:
    """Return what the modes have in store for each control of the page that was served, by the control's key."""
    controls = [(one.page, one.control) for one in stress._subjects.values() if one.control is not None]
    return {
        control.key: [
            mode.would_hit(page, control, attempt, stress.seeds)
            for mode in stress.perturbations
            if mode.stage is not Stage.PERCEPTION
            for attempt in range(4)
        ]
        for page, control in controls
    }


def seen(html: str) -> list[tuple[object, str]]:
    """Return the elements of a served page with their texts; their marks, and the script, differ by episode."""
    body = lxml.html.document_fromstring(html).find("body")
    return [(one.tag, " ".join((one.text or "").split())) for one in body.iter() if one.tag != "script"]


@pytest.mark.sample(5)
@pytest.mark.parametrize("label", [*(f"{name}@5" for name in MODES), "remap+failure+popup"])
@pytest.mark.parametrize("name", ["toy", "absolute", *site_names()])
def test_serve_disturbs_as_a_run_does(world: World, name: str, label: str) -> None:
    site = {"toy": Toy, "absolute": lambda: Absolute(LINKED)}.get(name, lambda: Library().world(name, 0))()
    task = next((task for task in task_ids() if task.startswith(f"{name}/")), TASK)
    (condition,) = parse(label, MODES)
    for stress_seed in range(3):
        seeds = Seeds(0, stress_seed, task)
        run, one = through_a_run(world, site, condition, seeds)
        shown, other = through_serve(world, site, condition, seeds)
        assert draws(one) == draws(other)
        assert seen(run) == seen(shown)
        if any(mode.script for mode in one.perturbations):
            assert len(draws(one)) >= 10
            instructed = [told(page, mode.instruct(page, seeds)) for page in pages(one) for mode in one.perturbations]
            again = [told(page, mode.instruct(page, seeds)) for page in pages(other) for mode in other.perturbations]
            assert instructed == again
            assert instructed


def pages(stress: EpisodePerturber) -> list[Page]:
    return [one.page for one in stress._subjects.values() if one.control is None]


def test_the_task_is_part_of_what_is_served(world: World) -> None:
    """The draws of another task are others, so `serve` must be told which task's to use."""
    (condition,) = parse("remap+failure", MODES)
    one, other = (through_serve(world, Toy(), condition, Seeds(0, 0, task))[1] for task in ("toy/x", "toy/y"))
    assert draws(one).keys() == draws(other).keys()
    assert draws(one) != draws(other)


HOSTS = st.sampled_from(["shop.test", "127.0.0.1:8080", "shop-0f3a.localhost:49152", "localhost:80", "[::1]:8080"])


@given(HOSTS, HOSTS, st.sampled_from(["", "http:", "https:"]), st.sampled_from(["", "/", "/p/7?q=1#x", "?q=1"]))
def test_an_absolute_url_of_the_site_keys_alike_at_every_host(one: str, other: str, scheme: str, path: str) -> None:
    def keys(host: str) -> list[str]:
        html = f"<html><body><p>{scheme}//{host}{path}</p><a href='{scheme}//{host}{path}'>Go</a></body></html>"
        page = Page(html, "shop", "/", Marks(b"k" * 16), hosts=(host,))
        return [control.key for control in page.controls] + [node.key for node in page.nodes]

    assert keys(one) == keys(other)
    assert one not in " ".join(keys(one))


@given(HOSTS)
def test_an_absolute_url_of_another_site_keeps_its_host(host: str) -> None:
    page = Page("<html><body></body></html>", "shop", "/", Marks(b"k" * 16), hosts=(host,))
    for url in (f"http://other-{host}/x", f"http://{host}.example/x", f"http://{host}9/x", "http://else.test/x", "/x"):
        assert page.relative(url) == url
    assert page.relative(f"http://{host}/x") == "/x"


@pytest.mark.parametrize(
    ("site", "task", "expected"),
    [
        (None, None, "shop/profile"),
        ("calendar", None, "calendar/week-view"),
        (None, "week-view", "calendar/week-view"),
        ("shop", "first-hit", "shop/first-hit"),
    ],
)
def test_which_task_is_served(site: str | None, task: str | None, expected: str) -> None:
    assert served(site, task) == expected


@pytest.mark.parametrize(
    ("site", "task", "said"),
    [
        ("market", None, f"unknown site 'market'; there are {', '.join(site_names())}"),
        ("shop", "week-view", "task calendar/week-view belongs to another site than shop"),
        (None, "first-hit,profile", "is 2 tasks, and serve takes one"),
        (None, "nothing", "unknown task 'nothing'; `stressweb list tasks` lists all"),
    ],
)
def test_what_cannot_be_served(site: str | None, task: str | None, said: str) -> None:
    with pytest.raises(UserError, match=said):
        served(site, task)


def test_a_mode_draws_from_keys_alone() -> None:
    """The test above compares what the keys decide; here is that they decide it."""
    seeds = Seeds(0, 0, TASK)
    (mode,) = perturbations(parse("remap", MODES)[0])
    page = Page(PAGE, "toy", "/", Marks(b"k" * 16))
    for control in page.controls:
        drawn = units(seeds.drawer("remap")(control.key))[0] < 0.8
        assert mode.would_hit(page, control, 0, seeds) == (drawn and control.pressed)


class Started(Exception):  # noqa: N818 - what the test waits for
    """The world, which takes seconds, is being made."""


@pytest.mark.parametrize("as_json", [False, True])
def test_it_says_that_it_starts_before_it_takes_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    def made() -> None:
        raise Started

    monkeypatch.setattr("runner.world.world.World", made)
    with pytest.raises(Started):
        serve("shop", "remap@2", None, 0, 0, 0, as_json=as_json)
    said = "" if as_json else "stressweb: starting shop under remap@2, which takes a few seconds\n"
    assert capsys.readouterr() == ("", said)


def test_a_port_in_use_is_told_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} cannot be opened; choose another, or 0 for a free one"):
            serve("shop", "clean", None, 0, 0, port, as_json=False)
    assert capsys.readouterr() == ("", "")
    check_port(port)
    check_port(0)
