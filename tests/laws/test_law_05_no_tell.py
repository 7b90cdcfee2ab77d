"""Law 5: nothing that the agent sees tells ours from the site's, or sham from clean."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import lxml.html
import pytest
from lxml.html import HtmlElement
from playwright.sync_api import Page

from perturbations import MODES
from perturbations.remap_explicit import HINTS
from runner.registry import site_names
from runner.world.world import World
from scripts.waited import Loading, Recorder
from sites import kit
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds, digest
from stressweb.html.accessible_name import INVISIBLE
from stressweb.plugins.site_world import SiteWorld
from tests.laws.crawl import Visited, crawl, of_a_kind, some_pages
from tests.laws.playing import Player
from tests.laws.shown import Arm

pytestmark = pytest.mark.long

PAGES = 3
"""Pages of a site that are recorded, each of another kind, drawn by SEED."""
SITES = pytest.mark.parametrize("name", site_names())
ALL = "+".join(f"{mode}@5" for mode in MODES if mode not in ("remap", "popup"))
UNSEEN = ("sham", *(f"{mode}@5" for mode in ("remap", "failure")))
"""Conditions that show nothing before a gesture."""
type Visit = Callable[..., Page]
type Record = Callable[[str, str, bytes, int], dict[str, str]]
type Arms = Callable[[str], Arm]


@pytest.fixture(scope="module")
def kept() -> dict[tuple[str, str, bytes, int], dict[str, str]]:
    """What was recorded before: an episode of these seeds is the same each time."""
    return {}


@pytest.fixture
def recorded(
    play: Player, world: World, visit: Visit, seed: int, kept: dict[tuple[str, str, bytes, int], dict[str, str]]
) -> Record:
    """Return what an agent's browser shows of some pages of a site: documents by path, URLs, cookies, storage."""

    def record(name: str, condition: str, key: bytes, stress: int) -> dict[str, str]:
        if (about := (name, condition, key, stress)) in kept:
            return kept[about]
        site = play.library.world(name, 0)
        episode = world.open(site, parse(condition, MODES)[0], Seeds(0, stress, f"{name}/x"), key)
        recorder = Recorder(episode)
        page = visit(episode, lambda page: recorder.attach(page, page.context.new_cdp_session(page)))
        loading = Loading(page.context.new_cdp_session(page))
        seen: dict[str, str] = {}

        def read() -> str:
            text = recorder.settled(page, episode, 5.0, loading, measured=False)
            assert text is not None
            recorder.found(json.loads(text))
            return page.content()

        for path in paths(site, seed):
            page.goto(episode.start_url.rstrip("/") + path)
            # Also what the click leaves: it may lead elsewhere in one condition and only select in another.
            seen[f"at first {path}"] = read()
            page.locator('[href="/"]:visible').first.click(timeout=3000)
            page.wait_for_load_state()
            seen[path] = read()
            seen[f"url {path}"] = page.url
        seen["cookies"] = json.dumps([{**cookie} for cookie in page.context.cookies()], sort_keys=True, default=str)
        seen["storage"] = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, history.length])")
        assert episode.faults() == []
        assert [entry for entry in episode.perturber.entries if entry.mode in ("engine", "world")] == []
        episode.close()
        kept[about] = seen
        return seen

    return record


# All that a script could ask of a page that holds no more than the site's own: what it finds is compared, arm by arm.
PROBE = """() => {
  const own = (owner) => Object.getOwnPropertyNames(owner).concat(Object.getOwnPropertySymbols(owner).map(String));
  const written = (owner, name) => {
    const { get, set, value } = Object.getOwnPropertyDescriptor(owner, name);
    return [name, ...[get, set, value].map((one) => (typeof one === "function" ? Function.prototype.toString.call(one) : typeof one))];
  };
  const types = own(window).filter((name) => /^[A-Z]/.test(name) && typeof window[name] === "function" && window[name].prototype);
  const styles = [...document.styleSheets].map((sheet) => [sheet.href, sheet.cssRules.length, sheet.ownerNode?.localName]);
  return {
    window: own(window).sort(),
    document: [own(document), own(document.documentElement), own(document.body), Object.keys(document.body.dataset)],
    handlers: Object.keys(window).filter((name) => name.startsWith("on") && window[name] !== null),
    functions: own(window).filter((name) => typeof window[name] === "function").map((name) => written(window, name)),
    prototypes: types.map((name) => [name, own(window[name].prototype).filter((one) => !one.startsWith("Symbol"))
      .map((one) => written(window[name].prototype, one))]),
    styles: [styles, document.adoptedStyleSheets.length],
    storage: [{ ...localStorage }, { ...sessionStorage }, document.cookie, window.name, history.state],
    nodes: document.querySelectorAll("*").length,
    // A form has its fields and buttons by number.
    props: [...document.querySelectorAll("*")].map((one) => [one.localName, own(one).filter((name) => !/^\\d+$/.test(name))])
      .filter(([, names]) => names.length),
    resources: performance.getEntriesByType("resource").map((one) => one.name).sort(),
    scripts: [...document.scripts].map((one) => one.src),
    current: [document.currentScript, document.readyState, document.compatMode, document.characterSet, document.title],
  };
}"""
MAKING = """<script>window.sent = []; for (const [type, name] of [[Navigator, "sendBeacon"], [EventTarget, "dispatchEvent"], [Element, "animate"]]) {
  const was = type.prototype[name];
  type.prototype[name] = function (...given) { sent.push(name); return was.apply(this, given); };
}</script>"""


def unlike(arm: Arms, label: str, page: Visited) -> list[str]:
    """Return in what a page under a condition differs from the undisturbed one, by any way of looking at it."""
    found: list[dict[str, Any]] = []
    for one in (arm("clean"), arm(label)):
        one.show(page, drawn=True)
        probed = one.page.evaluate(PROBE)
        read = one.seen()
        # After the read too: it must leave nothing behind.
        found.append(
            probed
            | {
                "document": [probed["document"], one.page.content()],
                "read": read.html,
                "tree": one.page.locator("body").aria_snapshot(),
                "picture": one.page.screenshot(),
                "after": one.page.evaluate(PROBE),
            }
        )
    return [what for what in found[0] if found[0][what] != found[1][what]]


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("label", UNSEEN)
def test_what_shows_nothing_cannot_be_told_from_clean(arm: Arms, name: str, label: str, seed: int) -> None:
    """Document, tree, picture, names on window and on every node, functions, style sheets, storage, requests."""
    for page in some_pages(kit.load(name, 0), PAGES, "law 5", seed):
        assert unlike(arm, label, page) == [], page.path


@pytest.mark.audit
@pytest.mark.timeout(3600)
@SITES
def test_no_page_under_sham_can_be_told_from_clean(arm: Arms, name: str) -> None:
    for page in crawl(kit.load(name, 0), of_a_kind=of_a_kind(name)):
        assert unlike(arm, "sham", page) == [], page.path


@pytest.mark.parametrize("label", UNSEEN)
def test_a_page_that_listens_to_the_browser_hears_nothing_of_ours(arm: Arms, label: str) -> None:
    """What is sent, dispatched or animated goes by functions that were kept before the page put its own there."""
    page = Visited(
        "shop", "/listening", f"<!DOCTYPE html><html><head>{MAKING}</head><body><button>Go</button></body></html>"
    )
    heard = []
    for one in (arm("clean"), arm(label)):
        one.show(page)
        one.page.locator("button").dispatch_event("click")
        one.seen()
        heard.append(one.page.evaluate("sent"))
    # The events that Playwright sends.
    assert heard[0] == heard[1]
    assert "dispatchEvent" in heard[0]


def paths(site: SiteWorld, seed: int) -> list[str]:
    """Return the paths that are recorded, drawn by SEED."""
    return [page.path for page in some_pages(site, PAGES, "law 5", seed)]


def runs(text: str) -> Iterator[str]:
    """Yield every string of six characters within the words of a text, without characters that have no width."""
    for word in re.findall(r"[^\s\"'<>=/;:,.&]{6,}", text.translate(INVISIBLE)):
        yield from (word[at : at + 6] for at in range(len(word) - 5))


@pytest.mark.sample(1, "pages")
@SITES
def test_nothing_of_ours_recurs_over_two_episodes(play: Player, recorded: Record, name: str, seed: int) -> None:
    """No string of six or more characters recurs unless the clean page has it, or an instruction says it."""
    clean = recorded(name, "clean", b"c" * 16, 0)
    # Also what the site serves and its own script replaces once it has run: decoys are made of it.
    served = [page.html for page in some_pages(play.library.world(name, 0), PAGES, "law 5", seed)]
    own = " ".join([*clean.values(), *served])
    # Words in another order are content of the decoys, made of the page's own words.
    said = set(runs(" ".join(HINTS)))
    known = said | set(runs(own)) | set(runs(own.lower())) | set(runs(own.title()))
    # Episodes of the same seeds have the same disturbances, on purpose.
    shown = [recorded(name, ALL, digest(stress, size=16), stress) for stress in (1, 2)]
    first, second = (set(runs(" ".join(one.values()))) for one in shown)
    assert (first & second) - known == set()


@pytest.fixture
def dialogs(play: Player, world: World, visit: Visit) -> Callable[[str, int], list[HtmlElement]]:
    """Return the dialogs and cues that a browser shows on the way through some pages of a site, parsed."""

    def collect(name: str, first: int) -> list[HtmlElement]:
        shown = []
        site = play.library.world(name, 0)
        for stress in range(first, first + 4):
            episode = world.open(site, parse("popup(rate=1)", MODES)[0], Seeds(0, stress, f"{name}/x"), b"k" * 16)
            page = visit(episode)
            for path in with_buttons(name):
                page.goto(episode.start_url.rstrip("/") + path)
                if not page.locator("dialog[open]").count():
                    page.locator("main button:visible").first.click()
                page.locator("dialog[open]").wait_for()
                shown.append(page.locator("dialog[open]").evaluate("(dialog) => dialog.outerHTML"))
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


@pytest.mark.sample(1, "pages")
@SITES
def test_a_dialog_bears_no_name_that_recurs(
    dialogs: Callable[[str, int], list[HtmlElement]], play: Player, name: str
) -> None:
    """Beyond what it says and what HTML itself is made of, its markup holds keyed names and the page's own classes."""
    names = []
    # Of other seeds: the same ones draw the same dialogs.
    for first in (0, 4):
        found = dialogs(name, first)
        assert len({len(one) for one in found}) > 2
        attributes = [(what, value) for one in found for each in one.iter("*") for what, value in each.attrib.items()]
        assert {what for what, _ in attributes} <= {
            "class", "id", "for", "name", "type", "role", "open", "aria-label", "aria-labelledby", "autocomplete",
        }  # fmt: skip
        keyed = ("class", "id", "for", "name", "aria-labelledby")
        names.append({word for what, value in attributes if what in keyed for word in value.split()})
    pages = crawl(play.library.world(name, 0), of_a_kind=12)
    theirs = {word for page in pages for word in classes_of(page.html)}
    assert names[0] & names[1] <= theirs


def classes_of(html: str) -> set[str]:
    return {word for value in lxml.html.document_fromstring(html).xpath("//@class") for word in value.split()}


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("condition", [*(f"{mode}@5" for mode in MODES if mode != "popup"), ALL])
def test_url_cookies_and_storage_are_the_clean_ones(recorded: Record, name: str, condition: str) -> None:
    condition = re.sub("remap(_explicit)?@5|failure@5", lambda found: found[0].replace("5", "0"), condition)
    clean, stressed = recorded(name, "clean", b"c" * 16, 0), recorded(name, condition, b"s" * 16, 0)
    assert clean.keys() == stressed.keys()
    for what in clean:
        if what in ("cookies", "storage") or what.startswith("url "):
            assert stressed[what] == clean[what], what


OF_OURS = ("script", "style", "link", "meta", "template", "base", "slot")


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("condition", [*(f"{mode}@5" for mode in MODES), ALL])
def test_nothing_of_ours_is_on_window_in_storage_or_in_a_style_sheet(
    arm: Arms, name: str, condition: str, seed: int
) -> None:
    """Whatever a mode shows: what it does so with is not there to be seen."""
    for page in some_pages(kit.load(name, 0), PAGES, "law 5", seed):
        found = []
        for one in (arm("clean"), arm(condition)):
            one.show(page, drawn=True)
            root = lxml.html.document_fromstring(one.seen().html)
            counts = {tag: len(root.findall(f".//{tag}")) for tag in OF_OURS}
            probed = one.page.evaluate(PROBE)
            shows = {"nodes", "document", "current"}
            found.append((counts, {what: value for what, value in probed.items() if what not in shows}))
        assert found[0] == found[1], page.path


KINDS = """(ours) => {
  const kinds = new Map();
  const walker = document.createTreeWalker(document);
  for (let number = 0; walker.nextNode(); number += 1) if (ours[number]) kinds.set(walker.currentNode, ours[number]);
  const isOurs = (node) => node !== null && (["added", "wrapper"].includes(kinds.get(node)) || isOurs(node.parentNode));
  const found = { ours: new Set(), theirs: new Set() };
  for (const one of document.body.querySelectorAll("*")) {
    const into = found[kinds.get(one) === "wrapper" || isOurs(one) ? "ours" : "theirs"];
    for (const name of one.getAttributeNames()) into.add(`@${name}`);
    into.add(one.classList.length ? "classed" : "bare");
  }
  return { ours: [...found.ours], theirs: [...found.theirs] };
}"""


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("severity", [1, 3, 5])
def test_every_kind_of_mark_on_ours_is_also_on_theirs(arm: Arms, name: str, severity: int, seed: int) -> None:
    """No attribute tells them apart."""
    mixed = [mode for mode in ("noise", "remap_explicit") if mode in MODES]
    shown = arm("+".join(f"{mode}@{severity}" for mode in mixed))
    for page in some_pages(kit.load(name, 0), PAGES, "law 5", seed):
        shown.show(page)
        found = shown.page.evaluate(KINDS, shown.seen().ours)
        assert found["ours"], page.path
        assert {*found["ours"]} <= {*found["theirs"]}, page.path


@pytest.mark.sample(1, "pages")
@SITES
def test_the_served_bytes_say_no_seed_mode_or_severity(
    play: Player, world: World, visit: Visit, name: str, seed: int
) -> None:
    """Seed, mode and severity appear in no URL, header or page that the agent sees."""
    site = play.library.world(name, 0)
    episode = world.open(site, parse(ALL, MODES)[0], Seeds(0, 7, f"{name}/x"), b"k" * 16)
    page = visit(episode)
    response = page.goto(episode.start_url.rstrip("/") + paths(site, seed)[-1])
    assert response is not None
    said = f"{page.url} {json.dumps(response.all_headers())} {page.content()}".lower()
    episode.close()
    for word in ("stressweb", "perturb", "remap", "severity", "stress", "mitmproxy", "x-site-key", "seed="):
        assert word not in said, word
