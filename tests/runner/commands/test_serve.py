"""`serve` shows a site disturbed exactly as a run disturbs it, whatever the host and port."""

import http.client
import re
import socket
import urllib.request
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perturbations import MODES, modes_of
from perturbations.episode_perturber import EpisodePerturber
from runner.commands.serve import check_port, serve, served
from runner.registry import Library, site_names, task_ids
from runner.world.serve_site import serve_site
from runner.world.world import World
from stressweb.core.conditions import Condition, parse
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.page_draws import draw, key_words, rule_words
from stressweb.plugins.rule import Control
from stressweb.plugins.site_world import SiteWorld
from tests import proxied
from tests.perturbations.page.keyed import by_program
from tests.perturbations.upstream import NAVIGATION
from tests.script_arguments import script_arguments
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
        asked = urllib.request.Request(url, headers=NAVIGATION)
        with urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy})).open(asked) as answer:
            return answer.read().decode()
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=10)
    connection.request("GET", parts.path, headers={"Host": parts.netloc, **NAVIGATION})
    text = connection.getresponse().read().decode()
    connection.close()
    return text


type Served = tuple[str, EpisodePerturber, Collection[str]]
"""A page with its script, its episode, and the hosts that stand for the site."""


def through_a_run(world: World, site: SiteWorld, condition: Condition, seeds: Seeds) -> Served:
    episode = world.open(site, condition, seeds, b"k" * 16)
    binding = world.episodes.bindings[episode.port]
    html = fetched(episode.start_url, proxied.address(episode))
    episode.close()
    return html, binding.stress, binding.served[0].hosts


def through_serve(world: World, site: SiteWorld, condition: Condition, seeds: Seeds) -> Served:
    url = serve_site(world, site, condition, seeds)
    binding = world.episodes.bindings[urlsplit(url).port or 0]
    return fetched(url), binding.stress, binding.served[0].hosts


def draws(stress: EpisodePerturber, html: str, site: SiteWorld, hosts: Collection[str]) -> dict[str, list[object]]:
    """Return what the modes have in store for each control of the page that was served, by the control's key."""
    controls, _ = by_program(html, "/", site.site, hosts)
    rules = [mode.rule(stress.seeds) for mode in stress.perturbations]
    return {
        key: [
            (rule.decides(Control(key, role, name), f"{site.site} /", n), rule.meets(Control(key, role, name), "", n))
            for rule in rules
            for n in range(4)
        ]
        for role, name, key in controls
    }


def disturbs(html: str) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Return the arguments of the script of a served page, without the names of episode and host and without `watched`."""
    settings, rules = script_arguments(html)
    own = {"read", "binding", "report", "hosts", "watched"}
    return {name: value for name, value in settings.items() if name not in own}, rules


CONTROL = re.compile(r"<(?:a|button|input|select|textarea)\b")


def bare(html: str) -> str:
    """Return a served page without its script."""
    return re.sub("<script[^>]*>\\(.*?</script>", "", html, count=1, flags=re.DOTALL)


def anywhere(html: str, hosts: Collection[str]) -> str:
    """Return a page as it is whatever the site's host is."""
    for host in hosts:
        html = html.replace(host, "HOST")
    return html


@pytest.mark.sample(3)
@pytest.mark.parametrize("label", [*(f"{name}@5" for name in MODES), "+".join(MODES[1:])])
@pytest.mark.parametrize("name", ["toy", "absolute", *site_names()])
def test_serve_disturbs_as_a_run_does(world: World, name: str, label: str) -> None:
    site = {"toy": Toy, "absolute": lambda: Absolute(LINKED)}.get(name, lambda: Library().world(name, 0))()
    task = next((task for task in task_ids() if task.startswith(f"{name}/")), TASK)
    (condition,) = parse(label, MODES)
    for stress_seed in range(3):
        seeds = Seeds(0, stress_seed, task)
        run, one, by_run = through_a_run(world, site, condition, seeds)
        shown, other, by_serve = through_serve(world, site, condition, seeds)
        assert one.report_path != other.report_path
        assert disturbs(run) == disturbs(shown)
        assert [rule["mode"] for rule in script_arguments(run).rules] == [mode.mode for mode in one.perturbations]
        assert anywhere(bare(run), by_run) == anywhere(bare(shown), by_serve)
        found = draws(one, bare(run), site, by_run)
        assert found == draws(other, bare(shown), site, by_serve)
        # A page that a script draws whole is served without any control.
        assert len(found) >= 10 or not CONTROL.search(bare(run))


def test_the_task_is_part_of_what_is_served(world: World) -> None:
    """The draws of another task are others, so `serve` must be told which task's to use."""
    (condition,) = parse("remap+failure", MODES)
    (one, other) = (through_serve(world, Toy(), condition, Seeds(0, 0, task)) for task in ("toy/x", "toy/y"))
    found, others = (draws(stress, bare(html), Toy(), hosts) for html, stress, hosts in (one, other))
    assert found.keys() == others.keys()
    assert found != others
    assert disturbs(one[0]) != disturbs(other[0])


HOSTS = st.sampled_from(["shop.test", "127.0.0.1:8080", "shop-0f3a.localhost:49152", "localhost:80", "[::1]:8080"])


@given(HOSTS, HOSTS, st.sampled_from(["", "http:", "https:"]), st.sampled_from(["", "/", "/p/7?q=1#x", "?q=1"]))
def test_an_absolute_url_of_the_site_keys_alike_at_every_host(one: str, other: str, scheme: str, path: str) -> None:
    def keys(host: str) -> list[str]:
        html = f"<html><body><p>{scheme}//{host}{path}</p><a href='{scheme}//{host}{path}'>Go</a></body></html>"
        controls, nodes = by_program(html, "/", "shop", {host})
        return [key for _, _, key in controls] + nodes

    assert keys(one) == keys(other)
    assert one not in " ".join(keys(one))


@given(HOSTS)
def test_an_absolute_url_of_another_site_keeps_its_host(host: str) -> None:
    for url in (f"http://other-{host}/x", f"http://{host}.example/x", f"http://{host}9/x", "http://else.test/x", "/x"):
        (key,) = (key for _, _, key in by_program(f'<a href="{url}">Go</a>', "/", "shop", {host})[0])
        assert key == f"shop / link Go {url} #1"
    ((_, _, key),) = by_program(f'<a href="http://{host}/x">Go</a>', "/", "shop", {host})[0]
    assert key == "shop / link Go /x #1"


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
    (mode,) = modes_of(parse("remap", MODES)[0])
    controls, _ = by_program(PAGE, "/", "toy")
    hits = []
    for role, name, key in controls:
        control = Control(key, role, name)
        drawn = draw(rule_words(seeds, "remap"), key_words(key)) < 0.8
        assert mode.rule(seeds).meets(control, "", 0) == (drawn and control.pressed)
        hits.append(drawn and control.pressed)
    assert set(hits) == {True, False}


class Started(Exception):  # noqa: N818 - what the test waits for
    """The world, which takes longest, is being made."""


@pytest.mark.parametrize("as_json", [False, True])
def test_it_says_that_it_starts_before_it_takes_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    def made() -> None:
        raise Started

    monkeypatch.setattr("runner.world.world.World", made)
    with pytest.raises(Started):
        serve("shop", "remap@2", None, 0, 0, 0, as_json=as_json)
    said = "" if as_json else "stressweb: starting shop under remap@2\n"
    assert capsys.readouterr() == ("", said)


def test_a_port_in_use_is_told_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} cannot be opened; choose another, or 0 for a free one"):
            serve("shop", "clean", None, 0, 0, port, as_json=False)
    assert capsys.readouterr() == ("", "")
    check_port(port)
    check_port(0)
