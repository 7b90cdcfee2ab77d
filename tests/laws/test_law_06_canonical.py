"""Law 6: the canonical form of a perturbed page is that of the clean page, and of no other page."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from stressweb.core import draws
from stressweb.html import annotated_form, canonical
from stressweb.log.recording import EpisodeRecord
from stressweb.perturbations import MODES
from stressweb.runner.registry import task_ids
from stressweb.sites import kit
from tests.examples import examples
from tests.laws.planted import PLANT, PLANTS
from tests.support.arm import Arm
from tests.support.crawl import Visited, crawl, pages_per_kind, states
from tests.support.crawling import PERSONAS, SITES, sign_in
from tests.support.playing import Player, conditions, summary_of, two_of

pytestmark = pytest.mark.long

CONDITIONS = (*(f"{mode}@{severity}" for mode in MODES for severity in (1, 3, 5)), "sham")
LIVE = (*conditions(3), "sham")
TASKS = task_ids()
NOISY = "noise@5"
"""The condition that adds most nodes to a page."""
VIEWERS = [*((name, "") for name in SITES), *PERSONAS.items()]
"""Each site as a visitor sees it and, where it has personas, as one of them who is signed in."""
STATES = 12
"""States of trajectories that `make test` loads."""
TRIED_PAGES = 8
"""Pages on which a plant is tried."""

type Arms = Callable[[str], Arm]


@cache
def site(name: str) -> kit.KitWorld:
    return kit.load(name, 0)


@cache
def crawled(name: str, persona: str = "") -> list[Visited]:
    return crawl(site(name), sign_in(site(name), persona), per_kind=pages_per_kind(name))


@cache
def one_page_per_kind(name: str, persona: str, seed: int) -> list[Visited]:
    """Return one page of each kind, drawn by SEED."""
    pages = sorted(
        crawl(site(name), sign_in(site(name), persona), per_kind=3),
        key=lambda page: draws.unit("law 6", seed, name, persona, page.path),
    )
    return [*{page.kind: page for page in pages}.values()]


@cache
def trajectories() -> list[Visited]:
    goals = ((site(name), task.goal(site(name))) for name in kit.names() for task in kit.tasks(name))
    ways = ((world, way, goal.offers) for world, goal in goals for way in goal.ways)
    return list(dict.fromkeys(state for way in ways for state in states(*way)))


@cache
def trajectory(seed: int) -> list[Visited]:
    """Return the first states of one task's trajectory per site; SEED draws the tasks."""
    visited = []
    for name in kit.names():
        task = draws.pick(kit.tasks(name), "law 6", seed, name)
        goal = task.goal(site(name))
        visited += states(site(name), goal.ways[0], goal.offers)[: STATES // len(kit.names())]
    return visited


@pytest.fixture(scope="module")
def form(arm: Arms) -> Callable[[Visited], str]:
    """Return the canonical form of a clean page in a browser."""
    return cache(lambda page: arm("clean")(page).form)


def changed_forms(arm: Arm, form: Callable[[Visited], str], pages: Iterable[Visited]) -> list[str]:
    """Return the paths of the pages whose canonical form a condition changes."""
    return [page.path for page in pages if arm(page).form != form(page)]


def test_the_crawl_reaches_the_whole_shop() -> None:
    visits = [crawled("shop"), crawled("shop", "saver")]
    out, inside = ({page.path for page in pages} for pages in visits)
    products = {f"/p/{product.id}" for product in site("shop").entities["Product"]}
    assert products <= out & inside
    assert {"/cart", "/sign-in", "/register", "/help"} <= out
    assert {"/cart", "/account", "/orders", "/wishlist", "/account/addresses", "/checkout"} <= inside
    assert len({page.html for pages in visits for page in pages}) > len(out | inside)


def test_the_crawl_reaches_every_kind_of_page_of_the_calendar() -> None:
    kinds = {page.kind for page in crawled("calendar")}
    assert {
        "",
        "month",
        "week",
        "day",
        "agenda",
        "event",
        "new",
        "conflicts",
        "batch",
        "categories",
        "settings",
    } <= kinds


@pytest.mark.sample(1, "forms")
@pytest.mark.parametrize(("name", "persona"), VIEWERS)
@pytest.mark.parametrize("label", CONDITIONS)
def test_a_page_of_every_kind_keeps_its_form(
    arm: Arms, form: Callable[[Visited], str], label: str, name: str, persona: str, seed: int
) -> None:
    assert changed_forms(arm(label), form, one_page_per_kind(name, persona, seed)) == []


@pytest.mark.sample(1, "forms")
@pytest.mark.parametrize("label", CONDITIONS)
def test_states_of_a_trajectory_keep_their_form(
    arm: Arms, form: Callable[[Visited], str], label: str, seed: int
) -> None:
    assert changed_forms(arm(label), form, trajectory(seed)) == []


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("name", "persona"), VIEWERS)
@pytest.mark.parametrize("label", CONDITIONS)
def test_every_page_keeps_its_form(
    arm: Arms, form: Callable[[Visited], str], label: str, name: str, persona: str
) -> None:
    assert changed_forms(arm(label), form, crawled(name, persona)) == []


@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("label", CONDITIONS)
def test_every_state_of_the_trajectories_keeps_its_form(arm: Arms, form: Callable[[Visited], str], label: str) -> None:
    assert changed_forms(arm(label), form, trajectories()) == []


@pytest.mark.parametrize("label", [NOISY, "remap_explicit@3"])
def test_a_condition_that_shows_changes_what_is_recorded(
    arm: Arms, form: Callable[[Visited], str], label: str, seed: int
) -> None:
    """The counter-check of equal forms: the agent sees our nodes, and the copy annotates them."""
    page = one_page_per_kind("shop", "", seed)[0]
    clean, stressed = arm("clean")(page), arm(label)(page)
    assert stressed.html != clean.html
    assert (clean.answer, clean.copy.count("kind=")) == (None, 0)
    assert stressed.answer is not None
    # Only elements have the attribute; our text nodes stand between two comments.
    assert 0 < stressed.copy.count("kind=") <= len(stressed.ours)
    assert stressed.form == clean.form == form(page)


@pytest.mark.sample(1, "forms")
@pytest.mark.parametrize("name", SITES)
def test_forms_of_different_pages_of_a_site_differ(form: Callable[[Visited], str], seed: int, name: str) -> None:
    pages = [page for viewer in VIEWERS if viewer[0] == name for page in one_page_per_kind(*viewer, seed)]
    assert len({form(page) for page in pages}) == len({page.html for page in pages}) > 1


@pytest.mark.audit
def test_forms_of_different_pages_differ(form: Callable[[Visited], str], seed: int) -> None:
    pages = [page for viewer in VIEWERS for page in one_page_per_kind(*viewer, seed)]
    assert len({form(page) for page in pages}) == len({(page.site, page.html) for page in pages})


def without_offers(form: Iterable[canonical.Line]) -> Iterator[canonical.Line]:
    """Yield a canonical form without the suggestions that a field shows while somebody types.

    Any press closes them, even one that a mode holds back. The page is then in a state that no clean episode has.
    """
    before: canonical.Line = ("", "")
    offered = False
    for line in form:
        offered |= before == (">", "combobox") and line[:2] == ("<", "listbox")
        if not offered:
            own = line[:2] == ("<", "combobox")
            yield tuple(part for part in line if not (own and part.startswith("aria-expanded=")))
            before = line[:2]
        offered &= line[:2] != (">", "listbox")


def course(record: EpisodeRecord) -> list[str]:
    """Return the canonical forms of an episode in order, without repetitions."""
    copies = (step.page.recorded for step in record.steps)
    forms = (canonical.digest_of(without_offers(annotated_form.lines(copy))) for copy in copies)
    return [digest for digest, _ in groupby(forms)]


def differing_course(play: Player, task: str, label: str) -> str:
    """Return the summary of a stressed episode whose forms differ from the clean one's, "" if they are equal.

    A lost gesture leaves the page as it was, and `resilient` repeats it until it takes effect: no form is new.
    """
    undisturbed, disturbed = (play.recall("resilient", task, condition) for condition in ("clean", label))
    return "" if course(disturbed) == course(undisturbed) else summary_of(disturbed)


@pytest.mark.sample(1, "forms")
@pytest.mark.parametrize("task", TASKS)
def test_the_live_page_goes_through_the_same_forms(play: Player, task: str, seed: int) -> None:
    assert [differing_course(play, task, label) for label in two_of(LIVE, seed, task)] == ["", ""]


@cache
def planted_in(seed: int) -> list[Visited]:
    """Return the pages to plant changes in: pages of every kind, and states of trajectories."""
    return [*(page for viewer in VIEWERS for page in one_page_per_kind(*viewer, seed)), *trajectory(seed)]


def plant_in(arm: Arm, page: Visited, plant: str, position: int, exact: int | None) -> tuple[int | None, str]:
    """Load a page and plant a change; return the number of the changed element (None: no element fits), and the new form."""
    arm.show(page)
    # The modes' nodes must be there by now, so the change is planted among them.
    planted = arm.page.evaluate(PLANT, [plant, position, arm.seen().ours, exact])
    return planted, arm.seen().form


@pytest.mark.sample(1, "forms")
@pytest.mark.parametrize("plant", PLANTS)
@examples(12)
@given(data=st.data())
def test_a_change_planted_in_the_live_page_changes_the_form(
    arm: Arms, form: Callable[[Visited], str], plant: str, seed: int, data: st.DataObject
) -> None:
    """A change in the site's own nodes changes the form, and equally with and without our nodes."""
    fit = fitting(arm("clean"), plant, seed)
    if not fit:
        pytest.skip(f"no page of our sites has anything for {plant!r}; test_annotated_form.py plants it")
    # Draw a number and note the path: shorter in a failure's message than the source.
    page = planted_in(seed)[data.draw(st.sampled_from(fit), "page")]
    note(f"{page.site} {page.path}")
    chosen, among_ours = plant_in(arm(NOISY), page, plant, data.draw(st.integers(0, 10_000), "where"), None)
    assume(chosen is not None)
    same, alone = plant_in(arm("clean"), page, plant, 0, chosen)
    assume(same is not None)
    assert alone != form(page)
    assert among_ours == alone


@cache
def fitting(clean: Arm, plant: str, seed: int) -> list[int]:
    """Return the numbers of some pages that, as served, have an element that fits a plant."""
    numbers: list[int] = []
    pages = planted_in(seed)
    for number in sorted(range(len(pages)), key=lambda index: draws.unit("fitting", seed, plant, index)):
        if len(numbers) == TRIED_PAGES:
            break
        clean.page.set_content(pages[number].html, wait_until="commit")
        if clean.page.evaluate(PLANT, [plant, None, {}, None]) is not None:
            numbers.append(number)
    return numbers
