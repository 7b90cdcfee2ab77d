"""Law 6: the canonical form of a perturbed page is that of the clean page, and of no other page."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

import lxml.html
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from lxml.html import HtmlElement

from perturbations import MODES
from perturbations.episode_perturber import EpisodePerturber
from runner.registry import perturbations, task_ids
from sites import kit
from stressweb.core.draws import Seeds
from stressweb.html import canonical
from stressweb.html.accessible_name import clean
from stressweb.html.marks import Kind, Marks
from stressweb.log.recording import EpisodeRecord
from tests.examples import examples
from tests.laws.crawl import Visited, crawl, of_a_kind, states, style_words
from tests.laws.playing import Player, conditions, some, story
from tests.plans import condition
from tests.sites.crawling import PERSONAS, SITES, sign_in

pytestmark = pytest.mark.long

CONDITIONS = ("noise@1", "noise@5", *(f"{mode}@3" for mode in MODES), "sham")
LIVE = (*conditions(3), "sham")
TASKS = task_ids()
KEY = b"canonical-form-1"
WHO = [*((name, "") for name in SITES), *PERSONAS.items()]
"""Sites, and who looks at them: a visitor, and where there are people to sign in as one of them."""
LETTER = re.compile(r"[^\W_]")
SILENT = ("script", "style", "template", "noscript")

type Draw = Callable[[st.SearchStrategy[Any]], Any]
type Plant = Callable[[HtmlElement, Draw], None]


@cache
def site(name: str) -> kit.KitWorld:
    return kit.load(name, 0)


@cache
def crawled(name: str, persona: str = "") -> list[Visited]:
    return crawl(site(name), sign_in(site(name), persona), of_a_kind=of_a_kind(name))


@cache
def trajectories() -> list[Visited]:
    ways = ((site(name), way) for name in kit.names() for task in kit.tasks(name) for way in task.goal(site(name)).ways)
    return list(dict.fromkeys(state for world, way in ways for state in states(world, way)))


@cache
def form(html: str) -> str:
    return canonical.digest(html, KEY)


@cache
def sheet_words(name: str) -> frozenset[str]:
    return style_words(site(name))


class Stressed:
    """Pages as an episode under a condition gets them."""

    def __init__(self, label: str, stress_seed: int = 0) -> None:
        seeds = Seeds(0, stress_seed, "shop/profile")
        self.stress = EpisodePerturber(perturbations(condition(label)), seeds, KEY, active=True)

    def __call__(self, page: Visited) -> str:
        words = sheet_words(page.site)
        return self.stress.rewrite(page.html, page.site, page.path, "nonce", lambda _: words)


def astray(label: str, pages: list[Visited]) -> list[str]:
    """Return the paths of the pages whose canonical form a condition changes; it must change their source."""
    stressed = Stressed(label)
    served = [(page, stressed(page)) for page in pages]
    assert all(html != page.html for page, html in served)
    return [page.path for page, html in served if canonical.digest(html, KEY) != form(page.html)]


def test_the_crawl_reaches_the_whole_shop() -> None:
    visits = [crawled("shop"), crawled("shop", "saver")]
    out, inside = ({page.path for page in pages} for pages in visits)
    products = {f"/p/{product.id}" for product in site("shop").entities["Product"]}
    assert products <= out & inside
    assert {"/cart", "/sign-in", "/register", "/help"} <= out
    assert {"/cart", "/account", "/orders", "/wishlist", "/account/addresses", "/checkout"} <= inside
    assert len({form(page.html) for pages in visits for page in pages}) > len(out | inside)


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


@pytest.mark.sample(2)
@pytest.mark.parametrize(("name", "persona"), WHO)
@pytest.mark.parametrize("label", CONDITIONS)
def test_every_page_keeps_its_form(label: str, name: str, persona: str) -> None:
    assert astray(label, crawled(name, persona)) == []


@pytest.mark.sample(1, "trajectories")
@pytest.mark.parametrize("label", CONDITIONS)
def test_every_state_of_the_trajectories_keeps_its_form(label: str) -> None:
    assert astray(label, trajectories()) == []


def course(record: EpisodeRecord) -> list[str]:
    """Return the canonical forms that an episode went through, each once for as long as it lasted."""
    forms = (canonical.digest(step.page.html, record.cell.mark_key) for step in record.steps)
    return [one for one, _ in groupby(forms)]


def astray_alive(play: Player, task: str, label: str) -> str:
    """Tell the episode whose forms are not those of the undisturbed one; nothing if they are.

    A gesture that is lost leaves the page as it was, and `resilient` goes on once one took effect: no form is new.
    """
    undisturbed, disturbed = (play.recall("resilient", task, one) for one in ("clean", label))
    return "" if course(disturbed) == course(undisturbed) else story(disturbed)


@pytest.mark.sample(1, "trajectories")
@pytest.mark.parametrize("task", TASKS)
def test_the_live_page_goes_through_the_same_forms(play: Player, task: str, seed: int) -> None:
    assert [astray_alive(play, task, label) for label in some(LIVE, seed, task)] == ["", ""]


@pytest.mark.audit
@pytest.mark.parametrize("label", LIVE)
@pytest.mark.parametrize("task", TASKS)
def test_the_live_page_goes_through_the_same_forms_in_every_condition(play: Player, task: str, label: str) -> None:
    assert astray_alive(play, task, label) == ""


def texts(root: HtmlElement) -> Iterator[tuple[HtmlElement, str]]:
    """Yield where words stand that are read: an element, and which text of it."""
    unread = {inner for element in root.iter(*SILENT) for inner in element.iterdescendants()}
    for element in root.iter("*"):
        if element in unread:
            continue
        if element.tag not in (*SILENT, "textarea") and clean(element.text or ""):
            yield element, "text"
        if element.tag != "body" and clean(element.tail or ""):
            yield element, "tail"


def misspell(root: HtmlElement, draw: Draw) -> None:
    """Replace or drop one character that is seen."""
    element, where = draw(st.sampled_from([*texts(root)]))
    text = getattr(element, where)
    at = draw(st.sampled_from([at for at, letter in enumerate(text) if not letter.isspace()]))
    other = draw(st.sampled_from([letter for letter in "aZ0.\u00e9" if letter != text[at]] + [""]))
    setattr(element, where, text[:at] + other + text[at + 1 :])


def fill_in(root: HtmlElement, draw: Draw) -> None:
    """Change what one field holds: its words, whether it is ticked, which option is chosen, whether it can be used."""
    field = draw(st.sampled_from([*root.iter("input", "textarea", "option", "button")]))
    flag = {"option": "selected", "button": "disabled"}.get(field.tag, "")
    flag = "checked" if field.get("type") in ("checkbox", "radio") else flag
    if flag:
        field.attrib.pop(flag) if flag in field.attrib else field.set(flag, "")
    elif field.tag == "textarea":
        field.text = f"{field.text or ''}x"
    else:
        field.set("value", f"{field.get('value') or ''}x")


def drop_row(root: HtmlElement, draw: Draw) -> None:
    """Take one row, option, item or property away."""
    rows = root.xpath("body//*[self::li or self::tr or self::option or self::article or @itemscope or @itemprop]")
    draw(st.sampled_from(rows)).drop_tree()


def reorder(root: HtmlElement, draw: Draw) -> None:
    """Swap two neighbours that say different things."""
    elements = root.find("body").iterdescendants("*")
    pairs = [(one, after) for one in elements if (after := one.getnext()) is not None]
    told = [(one, two, said(one), said(two)) for one, two in pairs]
    first, second = draw(
        st.sampled_from([(one, two) for one, two, left, right in told if left and right and left != right])
    )
    first.addprevious(second)


def redirect(root: HtmlElement, draw: Draw) -> None:
    """Let one link or form lead elsewhere."""
    element = draw(st.sampled_from(root.xpath("body//*[@href or @action]")))
    where = "href" if element.get("href") is not None else "action"
    element.set(where, f"{element.get(where)}x")


def said(element: HtmlElement) -> str:
    """Return the words of an element that are read; none if it stands in what is not read."""
    unread = any(one.tag in SILENT for one in (element, *element.iterancestors()))
    return "" if unread else clean(element.text_content())


@cache
def planted_in() -> list[Visited]:
    """Return pages of every kind, and every state of the trajectories: what changes are planted in."""
    kinds = {(page.site, page.kind): page for who in WHO for page in crawled(*who)}
    return [*kinds.values(), *trajectories()]


def drawn(data: st.DataObject) -> Visited:
    """Draw a page by its number: in the message of a failed test its path says more than its source."""
    page = planted_in()[data.draw(st.integers(0, len(planted_in()) - 1), "page")]
    note(page.path)
    return page


@pytest.mark.sample(3)
@pytest.mark.parametrize("plant", [misspell, fill_in, drop_row, reorder, redirect])
@examples(80)
@given(data=st.data())
def test_a_planted_change_changes_the_form(plant: Plant, data: st.DataObject) -> None:
    page = drawn(data)
    root = lxml.html.document_fromstring(page.html)
    before = form(page.html)
    parsed = form(lxml.html.tostring(root, encoding="unicode"))
    plant(root, data.draw)
    planted = replace(page, html=lxml.html.tostring(root, encoding="unicode"))
    after, noisy = form(planted.html), canonical.digest(Stressed("noise@5")(planted), KEY)
    assert parsed == before
    assert after != before
    assert noisy == after


@examples(80)
@given(data=st.data())
def test_a_change_planted_in_a_noisy_page_changes_the_form(data: st.DataObject) -> None:
    """What the agent saw is recorded with our nodes among the site's: a change in the site's own is still seen."""
    page = drawn(data)
    root = lxml.html.document_fromstring(noisy_page(page))
    reader = Marks(KEY).reader(element.get("class") for element in root.iter("*"))
    ours = [one for one in root.iter("*") if reader.kind(one.get("class")) is Kind.ADDED]
    inside = {inner for one in ours for inner in one.iterdescendants()}
    words = [(one, where) for one, where in texts(root) if one not in inside and (one not in ours or where == "tail")]
    element, where = data.draw(
        st.sampled_from([(one, where) for one, where in words if LETTER.search(getattr(one, where))])
    )
    text = getattr(element, where)
    at = data.draw(st.sampled_from([found.start() for found in LETTER.finditer(text)]))
    setattr(element, where, text[:at] + text[at + 1 :])
    before, after = form(page.html), canonical.digest(lxml.html.tostring(root, encoding="unicode"), KEY)
    assert after != before


@cache
def noisy_page(page: Visited) -> str:
    return Stressed("noise@5")(page)
