"""Law 5: in what the agent can see no element can be told ours or the site's by its markup."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache

import lxml.html
import pytest
from lxml.html import HtmlElement
from playwright.sync_api import Page

from perturbations import MODES
from perturbations.remap_explicit import HINT
from runner.browser.loading import Loading
from runner.browser.settle import settle
from runner.registry import site_names
from runner.world.world import EpisodeWorld, World
from sites import kit
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds, digest
from stressweb.html.accessible_name import INVISIBLE
from stressweb.html.marks import Kind, Marks
from stressweb.plugins.site import SiteWorld
from tests.laws.crawl import crawl, some_pages
from tests.laws.playing import Player

pytestmark = pytest.mark.long

PAGES = 3
"""Pages of a site that are recorded, each of another kind, drawn by SEED."""
SITES = pytest.mark.parametrize("name", site_names())
ALL = "+".join(f"{mode}@5" for mode in MODES if mode not in ("remap", "popup"))
type Visit = Callable[[EpisodeWorld], Page]
type Record = Callable[[str, str, bytes], dict[str, str]]


@pytest.fixture(scope="module")
def kept() -> dict[tuple[str, str, bytes], dict[str, str]]:
    """What was recorded before: an episode of these seeds is the same each time."""
    return {}


@pytest.fixture
def recorded(
    play: Player, world: World, visit: Visit, seed: int, kept: dict[tuple[str, str, bytes], dict[str, str]]
) -> Record:
    """Return what an agent's browser shows of some pages of a site: documents by path, URLs, cookies, storage."""

    def record(name: str, condition: str, key: bytes) -> dict[str, str]:
        if (name, condition, key) in kept:
            return kept[name, condition, key]
        site = play.library.world(name, 0)
        episode = world.open(site, parse(condition, MODES)[0], Seeds(0, 0, f"{name}/x"), key)
        page = visit(episode)
        loading = Loading(page.context.new_cdp_session(page))
        seen: dict[str, str] = {}
        for path in paths(site, seed):
            page.goto(episode.start_url.rstrip("/") + path)
            settle(page, episode, loading=loading)
            # Also what the click leaves: it may lead elsewhere in one condition and only select in another.
            seen[f"at first {path}"] = page.content()
            page.locator('[href="/"]:visible').first.click(timeout=3000)
            page.wait_for_load_state()
            seen[path] = page.content()
            seen[f"url {path}"] = page.url
        seen["cookies"] = json.dumps([{**cookie} for cookie in page.context.cookies()], sort_keys=True, default=str)
        seen["storage"] = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, Object.keys(window)])")
        assert episode.faults() == []
        episode.close()
        kept[name, condition, key] = seen
        return seen

    return record


def paths(site: SiteWorld, seed: int) -> list[str]:
    """Return the paths that are recorded, drawn by SEED."""
    return [page.path for page in some_pages(site, PAGES, "law 5", seed)]


def runs(text: str) -> Iterator[str]:
    """Yield every string of six characters within the words of a text, without characters that have no width."""
    for word in re.findall(r"[^\s\"'<>=/;:,.&]{6,}", text.translate(INVISIBLE)):
        yield from (word[at : at + 6] for at in range(len(word) - 5))


@pytest.mark.sample(2, "pages")
@SITES
def test_nothing_of_ours_recurs_over_two_episodes(play: Player, recorded: Record, name: str, seed: int) -> None:
    """No string of six or more characters recurs unless the clean page has it, or an instruction says it."""
    clean = recorded(name, "clean", b"c" * 16)
    # Also what the site serves and its own script replaces once it has run: decoys are made of it.
    served = [page.html for page in some_pages(play.library.world(name, 0), PAGES, "law 5", seed)]
    own = " ".join([*clean.values(), *served])
    # Words in another order are content of the decoys, made of the page's own words.
    known = set(runs(HINT)) | set(runs(own)) | set(runs(own.lower())) | set(runs(own.title()))
    first, second = (set(runs(" ".join(recorded(name, ALL, digest(key, size=16)).values()))) for key in "ab")
    assert (first & second) - known == set()


@pytest.fixture
def dialogs(play: Player, world: World, visit: Visit) -> Callable[[str, bytes], list[HtmlElement]]:
    """Return the dialogs and cues that a browser shows on the way through some pages of a site, parsed."""

    def collect(name: str, key: bytes) -> list[HtmlElement]:
        shown = []
        site = play.library.world(name, 0)
        for stress in range(4):
            episode = world.open(site, parse("popup(rate=1)", MODES)[0], Seeds(0, stress, f"{name}/x"), key)
            page = visit(episode)
            for path in with_buttons(name):
                page.goto(episode.start_url.rstrip("/") + path)
                if not page.locator("dialog").count():
                    page.locator("main button:visible").first.click()
                page.locator("dialog[open]").wait_for()
                shown.append(page.locator("dialog").evaluate("(dialog) => dialog.outerHTML"))
                page.keyboard.press("Escape")
                cue = page.get_by_role("status").last
                shown.append(cue.evaluate("(cue) => cue.outerHTML"))
            assert episode.faults() == []
            episode.close()
        return [lxml.html.fromstring(one) for one in shown]

    return collect


@cache
def with_buttons(name: str) -> list[str]:
    """Return two paths of a site whose pages have a button among what they are about."""
    pages = {page.kind: page for page in crawl(kit.load(name, 0), of_a_kind=2)}
    return [page.path for page in pages.values() if lxml.html.fromstring(page.html).xpath("//main//button")][:2]


@pytest.mark.sample(2, "pages")
@SITES
def test_a_dialog_bears_no_name_that_recurs(
    dialogs: Callable[[str, bytes], list[HtmlElement]], play: Player, name: str
) -> None:
    """Beyond what it says and what HTML itself is made of, its markup holds keyed names and the page's own classes."""
    names = []
    for key in "ab":
        found = dialogs(name, digest(key, size=16))
        assert len({len(one) for one in found}) > 2
        attributes = [(what, value) for one in found for each in one.iter("*") for what, value in each.attrib.items()]
        assert {what for what, _ in attributes} <= {
            "class", "id", "for", "name", "type", "role", "open", "aria-labelledby", "autocomplete",
        }  # fmt: skip
        keyed = ("class", "id", "for", "name", "aria-labelledby")
        names.append({word for what, value in attributes if what in keyed for word in value.split()})
    pages = crawl(play.library.world(name, 0), of_a_kind=12)
    theirs = {word for page in pages for word in classes_of(page.html)}
    assert names[0] & names[1] <= theirs


def classes_of(html: str) -> set[str]:
    return {word for value in lxml.html.document_fromstring(html).xpath("//@class") for word in value.split()}


@pytest.mark.sample(2, "pages")
@SITES
def test_url_cookies_and_storage_are_the_clean_ones(recorded: Record, name: str) -> None:
    clean, stressed = recorded(name, "clean", b"c" * 16), recorded(name, "noise@5+failure@0", b"s" * 16)
    assert clean.keys() == stressed.keys()
    for what in clean:
        if what in ("cookies", "storage") or what.startswith("url "):
            assert stressed[what] == clean[what], what


@pytest.mark.sample(2, "pages")
@SITES
@pytest.mark.parametrize("condition", [f"{mode}@5" for mode in MODES if mode != "popup"])
def test_no_script_or_style_of_ours_stays(recorded: Record, name: str, condition: str) -> None:
    clean, stressed = recorded(name, "clean", b"c" * 16), recorded(name, condition, b"s" * 16)
    for tag in ("script", "style", "link", "meta", "template"):
        counts = [len(lxml.html.document_fromstring(seen["/"]).findall(f".//{tag}")) for seen in (clean, stressed)]
        assert counts[0] == counts[1], tag


def kinds_of_marks(element: HtmlElement, token: str) -> set[str]:
    """Return what could give an element away: attribute names, and the classes that are not its mark."""
    classes = [name for name in (element.get("class") or "").split() if name != token]
    return {f"@{name}" for name in element.attrib} | {"bare" if not classes else "classed"}


@pytest.mark.sample(2, "pages")
@SITES
@pytest.mark.parametrize("severity", [1, 3, 5])
def test_every_kind_of_mark_on_ours_is_also_on_theirs(recorded: Record, name: str, severity: int) -> None:
    key = b"s" * 16
    seen = recorded(name, f"noise@{severity}+remap_explicit@3", key)
    for path in (path for path in seen if path.startswith("/")):
        elements = lxml.html.document_fromstring(seen[path]).xpath("body//*[@class]")
        reader = Marks(key).reader(element.get("class") for element in elements)
        ours, theirs = set[str](), set[str]()
        for element in elements:
            kind = reader.kind(element.get("class"))
            token = next((t for t in element.get("class").split() if reader.kind(t) is kind), "")
            (theirs if kind is Kind.ORIGINAL else ours).update(kinds_of_marks(element, token))
        assert ours
        assert ours <= theirs, f"{path}: only ours have {ours - theirs}"


@pytest.mark.sample(2, "pages")
@SITES
def test_every_element_of_a_rewritten_body_bears_a_mark(recorded: Record, name: str) -> None:
    key = b"s" * 16
    for condition in ("sham", "noise@5"):
        seen = recorded(name, condition, key)
        elements = lxml.html.document_fromstring(seen["/"]).xpath(
            "body//*[not(ancestor-or-self::script or ancestor-or-self::noscript or ancestor-or-self::svg)]"
        )
        reader = Marks(key).reader(element.get("class") for element in elements)
        assert [lxml.html.tostring(e)[:80] for e in elements if reader.kind(e.get("class")) is None] == []


@pytest.mark.sample(2, "pages")
@SITES
def test_the_served_bytes_say_no_seed_mode_or_severity(
    play: Player, world: World, visit: Visit, name: str, seed: int
) -> None:
    """Seed, mode and severity appear in no URL, header or page that the agent sees."""
    site = play.library.world(name, 0)
    episode = world.open(site, parse("remap@4+failure@2+noise@5", MODES)[0], Seeds(0, 7, f"{name}/x"), b"k" * 16)
    page = visit(episode)
    response = page.goto(episode.start_url.rstrip("/") + paths(site, seed)[-1])
    assert response is not None
    said = f"{page.url} {json.dumps(response.all_headers())} {page.content()}".lower()
    episode.close()
    for word in ("stressweb", "perturb", "remap", "severity", "stress", "mitmproxy", "x-site-key", "seed="):
        assert word not in said, word
