"""The benchmark's own parts: turns, targets, pages of a given size."""

import io
import json

import lxml.html
import pytest
from click.testing import CliRunner
from rich.console import Console

from scripts.bench import bench
from scripts.bench.baseline import BaselineSite
from scripts.bench.episodes import Measured
from scripts.bench.figure import Figure
from scripts.bench.made_up import Template
from scripts.bench.parts import Part
from scripts.bench.player import Replay
from scripts.bench.sized_page import SizedSite, fetched, page_of
from scripts.bench.turns import in_turns
from stressweb.core.draws import Seeds
from stressweb.html.recorded import digest
from stressweb.log.recording import Shown
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Observation
from stressweb.runner.registry import conditions
from stressweb.runner.world.world import World

ITEM = '<li itemscope itemtype="https://schema.org/Product"><b itemprop="name">Lamp {}</b></li>'


def figures(ratio: float) -> list[Figure]:
    return [Figure("ratio", ratio, "x", 1.3, "1 s against 2 s"), Figure("rate", 30.0, "/min")]


def test_ways_take_turns() -> None:
    order: list[str] = []
    medians = in_turns(3, lambda: order.append("a"), lambda: order.append("b"))
    assert order == ["a", "b"] * 3
    assert len(medians) == 2


def test_replay_does_its_actions_and_claims_done() -> None:
    action = Action(kind="CLICK", selector="a")
    agent = Replay([action])
    seen = Observation(url="", html="")
    assert [agent.act(seen).kind for _ in range(2)] == ["CLICK", "DONE"]


@pytest.mark.parametrize("count", [4, 40, 2000])
def test_a_page_is_brought_to_its_size(count: int) -> None:
    html = f"<html><body><ul>{''.join(ITEM.format(number) for number in range(count))}</ul></body></html>"
    assert len(page_of(30_000, html)) == pytest.approx(30_000, rel=0.02)


def test_the_measured_page_is_a_real_one_of_its_size(baseline_shop: BaselineSite) -> None:
    html = page_of(bench.PAGE_BYTES, bench.largest(baseline_shop))
    assert len(html.encode()) == pytest.approx(bench.PAGE_BYTES, rel=0.1)
    assert len(list(lxml.html.document_fromstring(html).iter("a"))) > 50


@pytest.mark.parametrize("label", ["clean", "failure@3"])
def test_the_page_that_is_measured_comes_through_the_proxy(world: World, label: str) -> None:
    site = SizedSite("<!DOCTYPE html><html><head></head><body>lamp</body></html>")
    (condition,) = conditions(label)
    episode = world.open(site, condition, Seeds(0, 0, "sized/x"))
    got = fetched(episode)
    assert (got == site.page) == (label == "clean")
    assert (b"<script" in got) == (label != "clean")
    assert episode.faults() == []
    episode.close()


PAGE = "<html><body><button>Buy</button></body></html>"
COPY = '<!--sw1-notes--><html sw1-shown=""><body><button sw1-key="shop / button Buy  #1">Buy</button></body></html>'


def test_a_made_up_page_is_recorded_as_a_real_one() -> None:
    template = Template(Shown.of("http://shop.test/", COPY))
    clean, stressed = (template.shown("x", stressed=is_stressed) for is_stressed in (False, True))
    assert clean.html == "<html><body><button>Buy</button><p>Noticed: x</p></body></html>"
    assert stressed.html == clean.html.replace("<p>Noticed", "<div>Free returns, today only</div><p>Noticed")
    # Only the site's nodes count in the digest.
    assert digest(stressed.recorded) == digest(clean.recorded)
    assert digest(template.shown("y", stressed=False).recorded) != digest(clean.recorded)
    evidence = Template(Shown.of("http://shop.test/cart", PAGE)).shown("x", stressed=False)
    assert (evidence.copy, evidence.html) == ("", clean.html)


def test_a_target_is_met_or_missed() -> None:
    assert [figure.met for figure in figures(1.3)] == [True, True]
    assert [figure.met for figure in figures(1.31)] == [False, True]


def test_the_table_shows_target_and_verdict() -> None:
    console = Console(file=io.StringIO(), width=110)
    console.print(bench.table(figures(1.5)))
    assert isinstance(console.file, io.StringIO)
    lines = [line.split() for line in console.file.getvalue().splitlines()]
    assert lines[1] == ["ratio", "1.50", "x", "≤", "1.3", "miss", "1", "s", "against", "2", "s"]
    assert lines[2] == ["rate", "30", "/min", "–"]


WHERE = [Part("actions", 300.0, 400.0, 150.0), Part("evidence", 100.0, 100.0, 0.0), Part("whole", 400.0, 500.0, 150.0)]


def test_each_part_is_shown_with_its_share() -> None:
    assert bench.parts_rows(WHERE) == [
        ["actions", "300", "75%", "400", "80%", "150"],
        ["evidence", "100", "25%", "100", "20%", "–"],
        ["whole", "400", "100%", "500", "100%", "150"],
    ]


@pytest.mark.parametrize(("ratio", "status"), [(1.2, 0), (1.5, 1)])
def test_a_missed_target_is_a_finding(monkeypatch: pytest.MonkeyPatch, ratio: float, status: int) -> None:
    monkeypatch.setattr(bench, "measure_sample", lambda *_: Measured(figures(ratio), WHERE, [], 9.0))
    outcome = CliRunner().invoke(bench.bench, ["episodes", "--json"], standalone_mode=False)
    assert outcome.return_value == status
    printed = json.loads(outcome.stdout)["figures"]
    assert printed[0] == {
        "name": "ratio", "value": ratio, "unit": "x", "target": 1.3, "detail": "1 s against 2 s", "met": status == 0,
    }  # fmt: skip
    assert json.loads(outcome.stdout)["parts"][0] == {"name": "actions", "plain": 300, "pictured": 400, "bare": 150}
