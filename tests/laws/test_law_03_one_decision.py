"""Law 3: one decision per user action. The paths of a gesture are tested with each mode; here, how often it hits."""

import pytest
from scipy import stats

from perturbations import MODES
from perturbations.failure import Failure
from runner.browser.recorder import Recorder
from runner.world.world import World
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.html.marks import Marks
from stressweb.html.page import Page
from tests.perturbations.conftest import Visit
from tests.toy import PAGE, Toy

ACTIONS = 120


@pytest.mark.sample(1)
@pytest.mark.parametrize("severity", [3, 5])
def test_the_delivered_rate_is_the_declared_one(world: World, visit: Visit, severity: int) -> None:
    """Clicks and entries over one connection, many to a page: neither the page nor keep-alive makes them alike."""
    (condition,) = parse(f"failure@{severity}", MODES)
    rate = {3: 0.35, 5: 0.5}[severity]
    episode = world.open(Toy(), condition, Seeds(0, 0, "toy/rate"), b"k" * 16)
    page = visit(episode)
    recorder = Recorder(episode.read_event)
    for _ in range(ACTIONS // 4):
        page.click("[name=agree]")
        page.fill("[name=name]", "x")
        recorder.read(page, measured=False)
        page.click("label:has(input)")
        page.fill("textarea", "y")
        recorder.read(page, measured=False)
    hits = sum(entry.phase == "delivered" for entry in episode.ledger())
    assert episode.faults() == []
    episode.close()
    assert stats.binomtest(hits, ACTIONS, rate).pvalue > 0.001, hits


def test_every_press_is_decided_once_by_every_mode(world: World, visit: Visit) -> None:
    """Remap, failure and popup on one gesture: what one swallows the next is not asked about, and none asks twice."""
    (condition,) = parse("remap@5+failure@3+popup@0", MODES)
    episode = world.open(Toy(), condition, Seeds(0, 0, "toy/rate"), b"k" * 16)
    page = visit(episode)
    for n in range(1, 21):
        episode.begin(n)
        page.click("[name=agree]", click_count=1 + n % 2)
    for n in range(1, 21):
        lines = [(entry.mode, entry.phase) for entry in episode.ledger() if entry.step == n and entry.element]
        selected, lost = lines.count(("remap", "delivered")), lines.count(("failure", "delivered"))
        assert selected == 1
        assert lost <= n % 2
    assert any(entry.mode == "failure" and entry.phase == "delivered" for entry in episode.ledger())
    assert episode.faults() == []
    episode.close()


def test_the_declared_rates_hold_over_many_seeds() -> None:
    """Without a browser: the share of first attempts that fail, over 2,000 elements and seeds."""
    page = Page(PAGE, "toy", "/", Marks(b"k" * 16))
    for severity in range(1, 6):
        mode = Failure.at(severity)
        planned = [mode.instruct(page, Seeds(0, stress, "toy/x")) for stress in range(250)]
        hits = sum(one.planned for one in planned if one is not None)
        draws = 250 * len(page.controls)
        assert stats.binomtest(hits, draws, mode.rate).pvalue > 0.001
