"""Law 7: a mode cannot lie. Its claims are checked against their effect, and claims without effect are reported."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Browser

from stressweb.core.draws import Seeds
from stressweb.core.page_draws import rule_words
from stressweb.html import annotated_form
from stressweb.plugins.perturbation import Perturbation, Stage, table
from stressweb.plugins.rule import Rule
from stressweb.sites import kit
from tests.support.arm import Arm
from tests.support.crawl import Visited, crawl
from tests.support.playing import Player

pytestmark = pytest.mark.long

HIT = 'runtime.report("ghost", press.key, "hit", runtime.attempt("ghost", press.key))'
MOVED = 'runtime.report("ghost", runtime.page, "moved", {})'
LOADED = 'runtime.listen(["DOMContentLoaded"], () => {{ {} }})'
ADDS = 'const node = document.createElement("b"); node.textContent = "More"; runtime.own(node, "added");'
type Haunt = Callable[[str], Arm]


@pytest.fixture(scope="module")
def page() -> Visited:
    """The first page of a shop."""
    return crawl(kit.load("shop", 0), per_kind=1)[0]


@pytest.fixture
def haunt(browser: Browser, tmp_path: Path) -> Iterator[Haunt]:
    """Return a tab whose pages have a mode with the given script."""
    with ExitStack() as stack:

        def with_script(script: str) -> Arm:
            # The text of a script is cached by its path.
            path = tmp_path / f"ghost{len([*tmp_path.iterdir()])}.js"
            path.write_text(f"(runtime, settings) => {{ {script}; }}", encoding="utf-8")
            tab_arm = Arm("ghost@3", modes=[ghost(path)])
            return stack.enter_context(tab_arm.opened(browser))

        yield with_script


def ghost(path: Path) -> Perturbation:
    """Return a mode with a script."""

    class GhostRule(Rule):
        script: ClassVar[Path] = path

    class Ghost(Perturbation):
        mode = "ghost"
        stage = Stage.EXECUTION
        severities = table()

        def rule(self, seeds: Seeds) -> Rule:
            return GhostRule(mode="ghost", rule=rule_words(seeds, f"ghost {path}"))

    return Ghost()


def delivered(arm: Arm) -> list[tuple[str, int]]:
    """Return element and count of the ledger's deliveries."""
    return [(entry.element, entry.count) for entry in arm.ledger if entry.phase == "delivered"]


@pytest.mark.parametrize("press", ["click", "Enter"])
def test_a_mode_that_reports_a_hit_and_holds_the_press_back_has_delivered(
    haunt: Haunt, page: Visited, press: str
) -> None:
    arm = haunt(f"runtime.onPress((press) => {{ {HIT}; return false; }})")
    arm.show(page)
    before, link = arm.seen().form, arm.page.locator("a[href='/all']:visible").first
    link.click() if press == "click" else link.press(press)
    assert arm.seen().form == before
    assert len(delivered(arm)) == 1
    assert arm.broken() == []


GHOSTS = {
    "it lets the press pass": f"runtime.onPress((press) => {{ {HIT}; return true; }})",
    "it says so later": f"runtime.onPress((press) => {{ setTimeout(() => {HIT}); return true; }})",
    "it says so before": f"runtime.listen(['pointerdown'], (event) => {{ const press = {{ key: runtime.keyOf(event.target) }}; {HIT}; }})",
    "it stops another event": f"runtime.listen(['pointerdown'], runtime.block); runtime.onPress((press) => {{ {HIT}; return true; }})",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("how", GHOSTS)
def test_a_mode_that_reports_a_hit_and_lets_the_press_pass_is_found(haunt: Haunt, page: Visited, how: str) -> None:
    arm = haunt(GHOSTS[how])
    arm.show(page)
    arm.seen()
    # Keep the page, so the report arrives.
    arm.page.evaluate("addEventListener('click', (event) => event.preventDefault())")
    arm.page.locator("a[href='/all']:visible").first.click()
    arm.page.evaluate("new Promise((done) => setTimeout(done, 20))")
    arm.seen()
    assert delivered(arm) == []
    assert len(arm.broken()) == 1
    assert "ghost claims a gesture that passes" in arm.broken()[0]


GREETED = 'runtime.report("ghost", runtime.page, "hit", 0)'
GREETINGS = {
    "it shows nothing": (GREETED, 0),
    "what it shows stands nowhere": (f"{ADDS} {GREETED}", 0),
    "what it shows is gone at once": (f"{ADDS} document.body.append(node); node.remove(); {GREETED}", 0),
    "it shows what it says": (f"{ADDS} document.body.append(node); {GREETED}", 1),
    "one thing for two hits": (f"{ADDS} document.body.append(node); {GREETED}; {GREETED}", 1),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("how", GREETINGS)
def test_a_mode_that_reports_a_hit_on_the_page_has_shown_something_there(haunt: Haunt, page: Visited, how: str) -> None:
    script, counts = GREETINGS[how]
    arm = haunt(LOADED.format(script))
    arm.show(page)
    arm.seen()
    assert len(delivered(arm)) == counts
    lies = script.count(GREETED) - counts
    assert len(arm.broken()) == lies
    assert all("ghost claims a page that it has not changed" in line for line in arm.broken())


CHANGES = {
    "it changes nothing": (MOVED.format(5), 0),
    "it changes less than it says": (f"{ADDS} document.body.append(node); {MOVED.format(5)}", 1),
    "it changes what it says": (f"{ADDS} document.body.append(node); {MOVED.format(1)}", 1),
    "what it adds stands nowhere": (f"{ADDS} {MOVED.format(1)}", 0),
    "what it adds is gone at once": (f"{ADDS} document.body.append(node); node.remove(); {MOVED.format(1)}", 0),
    "a look": (f"runtime.wear(document.body, {{ opacity: 0.5 }}); {MOVED.format(1)}", 1),
    "a look that it takes off": (f"runtime.wear(document.body, {{ opacity: 0.5 }})(); {MOVED.format(1)}", 0),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("how", CHANGES)
def test_what_a_mode_claims_to_have_changed_counts_as_far_as_it_is_shown(haunt: Haunt, page: Visited, how: str) -> None:
    script, counts = CHANGES[how]
    arm = haunt(LOADED.format(script))
    arm.show(page)
    # A discarded read, as of a page that had not settled, loses no report.
    assert arm.recorder.read(arm.page, measured=False)
    for _ in range(2):
        arm.seen()
        assert delivered(arm) == [("", counts)] * bool(counts)
        assert len(arm.broken()) == (not counts)
    assert all("but the page has none" in line for line in arm.broken())


def test_an_honest_claim_does_not_cover_a_later_lie(haunt: Haunt, page: Visited) -> None:
    script = f"{ADDS} document.body.append(node); {MOVED.format(1)}"
    arm = haunt(f"{LOADED.format(script)}; runtime.onPress((press) => {{ {MOVED.format(3)}; return false; }})")
    arm.show(page)
    arm.seen()
    arm.page.locator("a[href='/all']:visible").first.click()
    arm.seen()
    assert delivered(arm) == [("", 1)]
    assert arm.broken() == ["blocked /: ghost claims 3 changes, but the page has none"]


WRAPS = """const heading = document.querySelector("h1, h2, main p"), node = document.createElement("div");
runtime.own(node, "wrapper"); heading.replaceWith(node); node.append(heading)"""
SPEAKS = ['role", "button', 'aria-label", "Other', "inert", "hidden", 'aria-hidden", "true']


def test_a_wrapper_of_ours_may_say_nothing(haunt: Haunt, page: Visited) -> None:
    """A bare wrapper is not in the form; one that changes roles, names or visibility is."""
    forms = []
    for attribute in ["", *SPEAKS]:
        name, _, text = attribute.partition('", "')
        says = f'; node.setAttribute("{name}", "{text}")' if attribute else ""
        arm = haunt(LOADED.format(WRAPS + says))
        forms.append(arm(page).form)
    clean = haunt("")(page).form
    assert forms[0] == clean
    assert clean not in forms[1:]
    assert len(set(forms)) == len(forms)


def test_a_middle_click_on_a_button_is_no_delivery(haunt: Haunt) -> None:
    """On a button it does nothing anyway; on a link it opens a tab."""
    html = (
        "<!DOCTYPE html><html><head></head><body><form><button>Go</button></form><a href='/all'>All</a></body></html>"
    )
    arm = haunt(f"runtime.onPress((press) => {{ {HIT}; return false; }})")
    arm.show(Visited("shop", "/middle", html))
    arm.seen()
    arm.page.locator("button").click(button="middle")
    arm.seen()
    assert delivered(arm) == []
    arm.page.locator("a").click(button="middle")
    arm.seen()
    assert delivered(arm) == [("link 'All'", 1)]
    assert arm.broken() == []


@pytest.mark.sample(2)
@pytest.mark.parametrize("condition", ["failure@5", "remap@5"])
@pytest.mark.parametrize("task", ["shop/two-of-a-named-product", "calendar/move-an-event"])
def test_a_gesture_that_was_lost_leaves_page_and_database_as_they_were(play: Player, task: str, condition: str) -> None:
    """Judged by the recording alone, without the page or the mode."""
    record = play("naive", task, condition)
    mode = condition.partition("@")[0]
    lines = {
        n: {entry.phase for entry in record.ledger if entry.step == n and entry.mode == mode}
        for n in range(len(record.steps))
    }
    states = [(step.page.url, annotated_form.digest(step.page.recorded)) for step in record.steps]
    lost = [n for n in range(1, len(states)) if "delivered" in lines[n] and "overcome" not in lines[n]]
    assert lost
    assert [n for n in lost if states[n] != states[n - 1]] == []
