"""Law 3: one decision per user action. Each mode's tests cover the paths of a gesture; this file covers rates."""

from collections import Counter

import pytest
from scipy import stats

from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES, mode, modes_of
from stressweb.plugins.rule import Control, Rule
from tests.support.served import WORDS
from tests.support.toy_stage import Set, Stage

ACTIONS = 120
ROLES = ("link", "button", "checkbox", "textbox", "combobox")


def rules(name: str, severity: int, seeds: int) -> list[Rule]:
    """Return a mode's rules under the first stress seeds."""
    (perturbation,) = modes_of(parse(f"{name}@{severity}", MODES)[0])
    return [perturbation.rule(Seeds(0, stress, "toy/x")) for stress in range(seeds)]


@pytest.mark.sample(1)
@pytest.mark.parametrize("severity", [3, 5])
def test_the_delivered_rate_is_the_declared_one(stage: Set, severity: int) -> None:
    """Many clicks and entries per page over one connection: neither correlates the draws."""
    rate = {3: 0.35, 5: 0.5}[severity]
    toy = stage(f"failure@{severity}", task="toy/rate")
    for _ in range(ACTIONS // 4):
        toy.page.click("[name=agree]")
        toy.page.fill("[name=name]", "x")
        toy.read()
        # The label's checkbox is in its middle.
        toy.page.click("label:has(input)", position=WORDS["label:has(input)"])
        toy.page.fill("textarea", "y")
        toy.read()
    # Each of the four actions is decided once.
    assert [*toy.stress().attempts()["failure"].values()] == [ACTIONS // 2, ACTIONS // 4, ACTIONS // 4]
    hits = len(toy.lines("delivered"))
    assert stats.binomtest(hits, ACTIONS, rate).pvalue > 0.001, hits


def click_20_times(toy: Stage) -> None:
    """Do 20 actions, double and single clicks in turns."""
    for n in range(1, 21):
        toy.episode.begin(n)
        toy.page.click("[name=agree]", click_count=1 + n % 2)
        toy.page.evaluate("0")


def test_every_press_is_decided_once_by_every_mode(stage: Set) -> None:
    """Remap and failure on one gesture: failure does not decide on gestures that remap swallows, and neither decides twice."""
    toy = stage("remap@5+failure@3", task="toy/rate")
    click_20_times(toy)
    lines = Counter((entry.step, entry.mode) for entry in toy.lines("delivered"))
    for n in range(1, 21):
        assert lines[n, "remap"] == 1
        assert lines[n, "failure"] <= n % 2
    # Only the second click of each double click reaches failure's decision.
    assert [*toy.stress().attempts()["failure"].values()] == [10]
    assert 0 < sum(mode == "failure" for _, mode in lines) < 10


def test_popup_decides_last(stage: Set) -> None:
    """A gesture that another mode holds back meets no dialog; every other is decided once."""
    toy = stage("remap@5+failure@3+popup(rate=0.000001)", task="toy/rate")
    click_20_times(toy)
    delivered = Counter(entry.mode for entry in toy.lines("delivered"))
    failed = delivered["failure"]
    assert delivered == {"remap": 20, "failure": failed}
    assert sum(toy.stress().attempts()["popup"].values()) == 10 - failed


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", MODES)
@pytest.mark.parametrize("severity", range(1, 6))
def test_the_declared_rate_holds_over_many_seeds_and_elements(name: str, severity: int) -> None:
    """Without a browser: the share of hits over 2,000 elements, seeds and, for some modes, attempts."""
    seeded_rules = rules(name, severity, 100)
    # Some modes act on loads of the pages of one template, and on gestures on those of another.
    places = [f"toy /p{number}" for number in range(6)]
    controls = [Control(f"{place} {role} Thing #1", role, "Thing") for place in places for role in ROLES]
    moments = [
        *((control, " ".join(control.key.split(" ")[:2])) for control in controls),
        *((None, place) for place in places),
    ]
    decided = [(control, place) for control, place in moments if seeded_rules[0].decides(control, place, 0) is not None]
    if not decided:
        pytest.skip(f"{name} decides on places of a page, which its own tests count")
    (rate,) = mode(name).severities[severity].values()
    attempts = range(3) if seeded_rules[0].by_attempt else range(1)
    draws = [(rule.decides(control, place, attempt), rule.meets(control, place, attempt))
             for rule in seeded_rules for control, place in decided for attempt in attempts]  # fmt: skip
    met = [meets for drawn, meets in draws if drawn is not None]
    assert len(met) >= 1000
    assert stats.binomtest(sum(met), len(met), rate).pvalue > 0.001, sum(met) / len(met)


@pytest.mark.parametrize("name", MODES)
def test_neither_elements_nor_seeds_nor_attempts_are_alike(name: str) -> None:
    """The rate holds for each element by itself: no element is always hit, and no two are correlated."""
    seeded_rules, rate = rules(name, 3, 400), next(iter(mode(name).severities[3].values()))
    first, second = (Control(f"toy / button {word} #1", "button", word) for word in ("Save", "Saved"))
    if seeded_rules[0].decides(first, "toy /", 0) is None:
        pytest.skip(f"{name} decides on places of a page, which its own tests count")
    pairs = [
        [rule.meets(first, "toy /", 0) for rule in seeded_rules],
        [rule.meets(second, "toy /", 0) for rule in seeded_rules],
    ]
    if seeded_rules[0].by_attempt:
        pairs.append([rule.meets(first, "toy /", 1) for rule in seeded_rules])
    for met in pairs:
        assert stats.binomtest(sum(met), 400, rate).pvalue > 0.001
    for met in pairs[1:]:
        both = sum(a and b for a, b in zip(pairs[0], met, strict=True))
        assert stats.binomtest(both, 400, rate * rate).pvalue > 0.001
