"""`serve` disturbs a site exactly as a run does, at any host and port."""

import http.client
import re
import select
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.conditions import Condition, parse
from stressweb.core.draws import Seeds
from stressweb.core.errors import UserError
from stressweb.core.page_draws import draw, key_words, rule_words
from stressweb.perturbations import MODES, modes_of
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.plugins.rule import Control
from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.commands.serve import check_port, serve, served
from stressweb.runner.registry import Library, site_names, task_ids
from stressweb.runner.world.serve_site import serve_site
from stressweb.runner.world.world import World
from tests.support import proxied
from tests.support.keyed import by_program
from tests.support.script_arguments import script_arguments
from tests.support.toy import PAGE, Toy
from tests.support.upstream import NAVIGATION

TASK = "toy/x"
LINKED = PAGE.replace(
    "</ul>",
    '<li><a href="http://{host}/gamma">Gamma page</a></li><li><a href="//{host}/delta">Delta page</a></li>'
    '<li><a href="http://{host}">Home</a></li><li><a href="http://toy.test/own">By its own name</a></li></ul>',
).replace('action="/do"', 'action="http://{host}/do"')


class Absolute(Toy):
    """A site whose links are absolute URLs of the requested host."""

    def app(self, environ: Mapping[str, Any], start_response: Any) -> Any:
        """Answer one request."""
        return [part.replace(b"{host}", environ["HTTP_HOST"].encode()) for part in super().app(environ, start_response)]


def fetched(url: str, proxy: str | None = None) -> str:
    """Return a page as a browser gets it, through a proxy or directly."""
    if proxy:
        request = urllib.request.Request(url, headers=NAVIGATION)
        with urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy})).open(request) as answer:
            return str(answer.read(), "utf-8")
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=10)
    connection.request("GET", parts.path, headers={"Host": parts.netloc, **NAVIGATION})
    text = connection.getresponse().read().decode()
    connection.close()
    return text


type ServedPage = tuple[str, EpisodePerturber, Collection[str]]
"""A page with its script, its episode's perturber, and the hosts of the site."""


def through_a_run(world: World, site: SiteWorld, condition: Condition, seeds: Seeds) -> ServedPage:
    episode = world.open(site, condition, seeds)
    binding = world.episodes.bindings[episode.port]
    html = fetched(episode.start_url, proxied.address(episode))
    episode.close()
    return html, binding.stress, binding.served[0].hosts


def through_serve(world: World, site: SiteWorld, condition: Condition, seeds: Seeds) -> ServedPage:
    url = serve_site(world, site, condition, seeds)
    binding = world.episodes.bindings[urlsplit(url).port or 0]
    return fetched(url), binding.stress, binding.served[0].hosts


def draws(stress: EpisodePerturber, html: str, site: SiteWorld, hosts: Collection[str]) -> dict[str, list[object]]:
    """Return the decisions of the modes for each control of a served page, by the control's key."""
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


def without_script(html: str) -> str:
    """Return a served page without its script."""
    return re.sub("<script[^>]*>\\(.*?</script>", "", html, count=1, flags=re.DOTALL)


def without_hosts(html: str, hosts: Collection[str]) -> str:
    """Return a page with every host of the site replaced by a placeholder."""
    for host in hosts:
        html = html.replace(host, "HOST")
    return html


@pytest.mark.sample(3)
@pytest.mark.parametrize("label", [*(f"{name}@5" for name in MODES), "+".join(MODES[1:])])
@pytest.mark.parametrize("name", ["toy", "absolute", *site_names()])
def test_serve_disturbs_as_a_run_does(world: World, name: str, label: str) -> None:
    toys = {"toy": Toy(), "absolute": Absolute(LINKED)}
    site = toys[name] if name in toys else Library().world(name, 0)
    task = next((task for task in task_ids() if task.startswith(f"{name}/")), TASK)
    (condition,) = parse(label, MODES)
    for stress_seed in range(3):
        seeds = Seeds(0, stress_seed, task)
        run_html, run_stress, by_run = through_a_run(world, site, condition, seeds)
        served_html, served_stress, by_serve = through_serve(world, site, condition, seeds)
        assert run_stress.report_path != served_stress.report_path
        assert disturbs(run_html) == disturbs(served_html)
        assert [rule["mode"] for rule in script_arguments(run_html).rules] == [
            mode.mode for mode in run_stress.perturbations
        ]
        assert without_hosts(without_script(run_html), by_run) == without_hosts(without_script(served_html), by_serve)
        run_draws = draws(run_stress, without_script(run_html), site, by_run)
        assert run_draws == draws(served_stress, without_script(served_html), site, by_serve)
        # A page that a script draws completely is served without controls.
        assert len(run_draws) >= 10 or not CONTROL.search(without_script(run_html))


def test_the_task_determines_the_disturbances(world: World) -> None:
    """Draws depend on the task, so `serve` needs to know the task."""
    (condition,) = parse("remap+failure", MODES)
    (first, second) = (through_serve(world, Toy(), condition, Seeds(0, 0, task)) for task in ("toy/x", "toy/y"))
    first_draws, second_draws = (
        draws(stress, without_script(html), Toy(), hosts) for html, stress, hosts in (first, second)
    )
    assert first_draws.keys() == second_draws.keys()
    assert first_draws != second_draws
    assert disturbs(first[0]) != disturbs(second[0])


HOSTS = st.sampled_from(["shop.test", "127.0.0.1:8080", "shop-0f3a.localhost:49152", "localhost:80", "[::1]:8080"])


@given(HOSTS, HOSTS, st.sampled_from(["", "http:", "https:"]), st.sampled_from(["", "/", "/p/7?q=1#x", "?q=1"]))
def test_an_absolute_url_of_the_site_keys_alike_at_every_host(first: str, second: str, scheme: str, path: str) -> None:
    def keys(host: str) -> list[str]:
        html = f"<html><body><p>{scheme}//{host}{path}</p><a href='{scheme}//{host}{path}'>Go</a></body></html>"
        controls, nodes = by_program(html, "/", "shop", {host})
        return [key for _, _, key in controls] + nodes

    assert keys(first) == keys(second)
    assert first not in " ".join(keys(first))


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
def test_choice_of_the_served_task(site: str | None, task: str | None, expected: str) -> None:
    assert served(site, task) == expected


@pytest.mark.parametrize(
    ("site", "task", "message"),
    [
        ("market", None, f"unknown site 'market'; there are {', '.join(site_names())}"),
        ("shop", "week-view", "task calendar/week-view belongs to another site than shop"),
        (None, "first-hit,profile", "matches 2 tasks, and serve takes one"),
        (None, "nothing", "unknown task 'nothing'; `stressweb list tasks` lists all"),
    ],
)
def test_invalid_sites_and_tasks_are_refused(site: str | None, task: str | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        served(site, task)


def test_a_mode_draws_from_keys_alone() -> None:
    """The test above compares decisions by key; this one checks that only the key decides."""
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


def test_it_announces_the_start_before_the_slow_part() -> None:
    command = [sys.executable, "-P", "-m", "stressweb", "serve", "shop", "--mode", "remap@2", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        try:
            assert process.stderr.readline() == "stressweb: starting shop under remap@2\n"
            assert select.select([process.stdout], [], [], 0)[0] == [], "the address comes later"
            assert process.stdout.readline().startswith("shop under remap@2, disturbed as in task shop/")
        finally:
            process.kill()


def test_a_port_in_use_is_reported_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} cannot be opened; choose another, or 0 for a free one"):
            serve("shop", "clean", None, 0, 0, port, as_json=False)
    assert capsys.readouterr() == ("", "")
    check_port(port)
    check_port(0)
