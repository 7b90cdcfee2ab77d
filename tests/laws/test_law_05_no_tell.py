"""Law 5: nothing that the agent sees distinguishes our nodes from the site's, or sham from clean."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import lxml.html
import pytest
from lxml.html import HtmlElement
from playwright.sync_api import Page

from scripts.waited import Loading, Recorder
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.html.accessible_name import INVISIBLE
from stressweb.perturbations import MODES
from stressweb.perturbations.remap.explicit import HINTS
from stressweb.plugins.site_world import SiteWorld
from stressweb.runner.registry import site_names
from stressweb.runner.world.world import World
from stressweb.sites import kit
from tests.support.arm import Arm
from tests.support.crawl import Visited, crawl, pages_per_kind, some_pages
from tests.support.playing import Player

pytestmark = pytest.mark.long

PAGES = 3
"""Pages of a site that are recorded, each of another kind, drawn by SEED."""
SITES = pytest.mark.parametrize("name", site_names())
ALL = "+".join(f"{mode}@5" for mode in MODES if mode not in ("remap", "popup"))
UNSEEN = ("sham", *(f"{mode}@5" for mode in ("remap", "failure")))
"""Conditions that show nothing before a gesture."""
type Visit = Callable[..., Page]
type Record = Callable[[str, str, int], dict[str, str]]
type Arms = Callable[[str], Arm]


@pytest.fixture(scope="module")
def recordings() -> dict[tuple[str, str, int], dict[str, str]]:
    """Recorded pages by their arguments: an episode of the same seeds repeats."""
    return {}


@pytest.fixture
def recorded(
    play: Player, world: World, visit: Visit, seed: int, recordings: dict[tuple[str, str, int], dict[str, str]]
) -> Record:
    """Return what an agent's browser has on some pages of a site: documents by path, URLs, cookies, storage."""

    def record(name: str, condition: str, stress: int) -> dict[str, str]:
        if (about := (name, condition, stress)) in recordings:
            return recordings[about]
        site = play.library.world(name, 0)
        episode = world.open(site, parse(condition, MODES)[0], Seeds(0, stress, f"{name}/x"))
        recorder = Recorder(episode)
        page = visit(episode, lambda page: recorder.attach(page, page.context.new_cdp_session(page)))
        loading = Loading(page.context.new_cdp_session(page))
        seen: dict[str, str] = {}

        def read() -> str:
            text = recorder.settled(page, episode, 5.0, loading, measured=False)
            assert text is not None
            recorder.pass_on(json.loads(text))
            return page.content()

        for path in paths(site, seed):
            page.goto(episode.start_url.rstrip("/") + path)
            # Then after a click, which may follow the link in one condition and only select it in another.
            seen[f"at first {path}"] = read()
            page.locator('[href="/"]:visible').first.click()
            page.wait_for_load_state()
            seen[path] = read()
            seen[f"url {path}"] = page.url
        seen["cookies"] = json.dumps([{**cookie} for cookie in page.context.cookies()], sort_keys=True, default=str)
        seen["storage"] = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, history.length])")
        assert episode.faults() == []
        assert [entry for entry in episode.perturber.entries if entry.mode in ("engine", "world")] == []
        episode.close()
        recordings[about] = seen
        return seen

    return record


# Everything that a script can read from a page that should hold only the site's own; compared between arms.
PROBE = """() => {
  const own = (owner) => Object.getOwnPropertyNames(owner).concat(Object.getOwnPropertySymbols(owner).map(String));
  const written = (owner, name) => {
    const { get, set, value } = Object.getOwnPropertyDescriptor(owner, name);
    return [name, ...[get, set, value].map((entry) => (typeof entry === "function" ? Function.prototype.toString.call(entry) : typeof entry))];
  };
  const types = own(window).filter((name) => /^[A-Z]/.test(name) && typeof window[name] === "function" && window[name].prototype);
  const styles = [...document.styleSheets].map((sheet) => [sheet.href, sheet.cssRules.length, sheet.ownerNode?.localName]);
  return {
    window: own(window).sort(),
    document: [own(document), own(document.documentElement), own(document.body), Object.keys(document.body.dataset)],
    handlers: Object.keys(window).filter((name) => name.startsWith("on") && window[name] !== null),
    functions: own(window).filter((name) => typeof window[name] === "function").map((name) => written(window, name)),
    prototypes: types.map((name) => [name, own(window[name].prototype).filter((entry) => !entry.startsWith("Symbol"))
      .map((entry) => written(window[name].prototype, entry))]),
    styles: [styles, document.adoptedStyleSheets.length],
    storage: [{ ...localStorage }, { ...sessionStorage }, document.cookie, window.name, history.state],
    nodes: document.querySelectorAll("*").length,
    // A form has its fields and buttons by number.
    props: [...document.querySelectorAll("*")].map((entry) => [entry.localName, own(entry).filter((name) => !/^\\d+$/.test(name))])
      .filter(([, names]) => names.length),
    resources: performance.getEntriesByType("resource").map((entry) => entry.name).sort(),
    scripts: [...document.scripts].map((entry) => entry.src),
    current: [document.currentScript, document.readyState, document.compatMode, document.characterSet, document.title],
  };
}"""
RECORDING_HEAD = """<script>window.sent = []; for (const [type, name] of [[Navigator, "sendBeacon"], [EventTarget, "dispatchEvent"], [Element, "animate"]]) {
  const was = type.prototype[name];
  type.prototype[name] = function (...given) { sent.push(name); return was.apply(this, given); };
}</script>"""


def differing_aspects(arm: Arms, label: str, page: Visited) -> list[str]:
    """Return the aspects in which a page under a condition differs from the clean page."""
    looks: list[dict[str, Any]] = []
    for tab_arm in (arm("clean"), arm(label)):
        tab_arm.show(page, drawn=True)
        probed = tab_arm.page.evaluate(PROBE)
        read = tab_arm.seen()
        # Probe after the read too: it must leave no trace.
        looks.append(
            probed
            | {
                "document": [probed["document"], tab_arm.page.content()],
                "read": read.html,
                "tree": tab_arm.page.locator("body").aria_snapshot(),
                "picture": tab_arm.page.screenshot(),
                "after": tab_arm.page.evaluate(PROBE),
            }
        )
    return [aspect for aspect in looks[0] if looks[0][aspect] != looks[1][aspect]]


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("label", UNSEEN)
def test_what_shows_nothing_cannot_be_told_from_clean(arm: Arms, name: str, label: str, seed: int) -> None:
    """Document, tree, picture, names on window and on every node, functions, style sheets, storage, requests."""
    for page in some_pages(kit.load(name, 0), PAGES, "law 5", seed):
        assert differing_aspects(arm, label, page) == [], page.path


@pytest.mark.audit
@pytest.mark.timeout(3600)
@SITES
def test_no_page_under_sham_can_be_told_from_clean(arm: Arms, name: str) -> None:
    for page in crawl(kit.load(name, 0), per_kind=pages_per_kind(name)):
        assert differing_aspects(arm, "sham", page) == [], page.path


@pytest.mark.parametrize("label", UNSEEN)
def test_a_page_that_listens_to_the_browser_hears_nothing_of_ours(arm: Arms, label: str) -> None:
    """We send, dispatch and animate with functions saved before the page could replace them."""
    page = Visited(
        "shop",
        "/listening",
        f"<!DOCTYPE html><html><head>{RECORDING_HEAD}</head><body><button>Go</button></body></html>",
    )
    heard = []
    for tab_arm in (arm("clean"), arm(label)):
        tab_arm.show(page)
        tab_arm.page.locator("button").dispatch_event("click")
        tab_arm.seen()
        heard.append(tab_arm.page.evaluate("sent"))
    # The events that Playwright sends.
    assert heard[0] == heard[1]
    assert "dispatchEvent" in heard[0]


def paths(site: SiteWorld, seed: int) -> list[str]:
    """Return the paths to record, drawn by SEED."""
    return [page.path for page in some_pages(site, PAGES, "law 5", seed)]


def runs(text: str) -> Iterator[str]:
    """Yield every six-character string within the words of a text, zero-width characters removed."""
    for word in re.findall(r"[^\s\"'<>=/;:,.&]{6,}", text.translate(INVISIBLE)):
        yield from (word[start : start + 6] for start in range(len(word) - 5))


@pytest.mark.sample(1, "pages")
@SITES
def test_nothing_of_ours_recurs_over_two_episodes(play: Player, recorded: Record, name: str, seed: int) -> None:
    """No string of six or more characters recurs unless the clean page or an instruction has it."""
    clean = recorded(name, "clean", 0)
    # Served text that the site's own script replaces counts as well: decoys are made of it.
    served = [page.html for page in some_pages(play.library.world(name, 0), PAGES, "law 5", seed)]
    own = " ".join([*clean.values(), *served])
    # Decoys reorder the page's own words.
    instructed = set(runs(" ".join(HINTS)))
    known = instructed | set(runs(own)) | set(runs(own.lower())) | set(runs(own.title()))
    # Episodes of the same seeds have the same disturbances, by design.
    episodes = [recorded(name, ALL, stress) for stress in (1, 2)]
    first, second = (set(runs(" ".join(episode.values()))) for episode in episodes)
    assert (first & second) - known == set()


@pytest.fixture
def dialogs(play: Player, world: World, visit: Visit) -> Callable[[str, int], list[HtmlElement]]:
    """Return the dialogs and cues on some pages of a site, parsed."""

    def collect(name: str, first: int) -> list[HtmlElement]:
        markup = []
        site = play.library.world(name, 0)
        for stress in range(first, first + 4):
            episode = world.open(site, parse("popup(rate=1)", MODES)[0], Seeds(0, stress, f"{name}/x"))
            page = visit(episode)
            for path in with_buttons(name):
                page.goto(episode.start_url.rstrip("/") + path)
                if not page.locator("dialog[open]").count():
                    page.locator("main button:visible").first.click()
                page.locator("dialog[open]").wait_for()
                markup.append(page.locator("dialog[open]").evaluate("(dialog) => dialog.outerHTML"))
                page.keyboard.press("Escape")
                cue = page.get_by_role("status").last
                markup.append(cue.evaluate("(cue) => cue.outerHTML"))
            assert episode.faults() == []
            episode.close()
        return [lxml.html.fromstring(html) for html in markup]

    return collect


@cache
def with_buttons(name: str) -> list[str]:
    """Return two paths of a site whose pages have a button in `main`."""
    pages = {page.kind: page for page in crawl(kit.load(name, 0), per_kind=2)}
    return [page.path for page in pages.values() if lxml.html.fromstring(page.html).xpath("//main//button")][:2]


@pytest.mark.sample(1, "pages")
@SITES
def test_a_dialog_has_no_recurring_name(
    dialogs: Callable[[str, int], list[HtmlElement]], play: Player, name: str
) -> None:
    """Apart from its text and HTML itself, its markup holds keyed names and the page's own classes."""
    names = []
    # Two sets of seeds: the same seeds draw the same dialogs.
    for first in (0, 4):
        parsed = dialogs(name, first)
        assert len({len(element) for element in parsed}) > 2
        attributes = [
            (attribute, text)
            for element in parsed
            for node in element.iter("*")
            for attribute, text in node.attrib.items()
        ]
        assert {attribute for attribute, _ in attributes} <= {
            "class", "id", "for", "name", "type", "role", "open", "aria-label", "aria-labelledby", "autocomplete",
        }  # fmt: skip
        keyed = ("class", "id", "for", "name", "aria-labelledby")
        names.append({word for attribute, text in attributes if attribute in keyed for word in text.split()})
    pages = crawl(play.library.world(name, 0), per_kind=12)
    theirs = {word for page in pages for word in classes_of(page.html)}
    assert names[0] & names[1] <= theirs


def classes_of(html: str) -> set[str]:
    root: HtmlElement = lxml.html.document_fromstring(html)
    return {word for class_list in root.xpath("//@class") for word in class_list.split()}


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("condition", [*(f"{mode}@5" for mode in MODES if mode != "popup"), ALL])
def test_url_cookies_and_storage_are_the_clean_ones(recorded: Record, name: str, condition: str) -> None:
    condition = re.sub("remap(_explicit)?@5|failure@5", lambda match: match[0].replace("5", "0"), condition)
    clean, stressed = recorded(name, "clean", 0), recorded(name, condition, 0)
    assert clean.keys() == stressed.keys()
    for recording in clean:
        if recording in ("cookies", "storage") or recording.startswith("url "):
            assert stressed[recording] == clean[recording], recording


OUR_TAGS = ("script", "style", "link", "meta", "template", "base", "slot")


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("condition", [*(f"{mode}@5" for mode in MODES), ALL])
def test_nothing_of_ours_is_on_window_in_storage_or_in_a_style_sheet(
    arm: Arms, name: str, condition: str, seed: int
) -> None:
    """The page shows a mode's effect, but no trace of its means."""
    for page in some_pages(kit.load(name, 0), PAGES, "law 5", seed):
        states = []
        for tab_arm in (arm("clean"), arm(condition)):
            tab_arm.show(page, drawn=True)
            root = lxml.html.document_fromstring(tab_arm.seen().html)
            counts = {tag: len(root.findall(f".//{tag}")) for tag in OUR_TAGS}
            probed = tab_arm.page.evaluate(PROBE)
            shows = {"nodes", "document", "current"}
            states.append((counts, {aspect: probe for aspect, probe in probed.items() if aspect not in shows}))
        assert states[0] == states[1], page.path


KINDS = """(ours) => {
  const kinds = new Map();
  const walker = document.createTreeWalker(document);
  for (let number = 0; walker.nextNode(); number += 1) if (ours[number]) kinds.set(walker.currentNode, ours[number]);
  const isOurs = (node) => node !== null && (["added", "wrapper"].includes(kinds.get(node)) || isOurs(node.parentNode));
  const marks = { ours: new Set(), theirs: new Set() };
  for (const element of document.body.querySelectorAll("*")) {
    const into = marks[kinds.get(element) === "wrapper" || isOurs(element) ? "ours" : "theirs"];
    for (const name of element.getAttributeNames()) into.add(`@${name}`);
    into.add(element.classList.length ? "classed" : "bare");
  }
  return { ours: [...marks.ours], theirs: [...marks.theirs] };
}"""


@pytest.mark.sample(1, "pages")
@SITES
@pytest.mark.parametrize("severity", [1, 3, 5])
def test_every_kind_of_mark_on_ours_is_also_on_theirs(arm: Arms, name: str, severity: int, seed: int) -> None:
    """No attribute distinguishes them."""
    mixed = [mode for mode in ("noise", "remap_explicit") if mode in MODES]
    stressed = arm("+".join(f"{mode}@{severity}" for mode in mixed))
    for page in some_pages(kit.load(name, 0), PAGES, "law 5", seed):
        stressed.show(page)
        kinds = stressed.page.evaluate(KINDS, stressed.seen().ours)
        assert kinds["ours"], page.path
        assert {*kinds["ours"]} <= {*kinds["theirs"]}, page.path


@pytest.mark.sample(1, "pages")
@SITES
def test_the_served_bytes_say_no_seed_mode_or_severity(
    play: Player, world: World, visit: Visit, name: str, seed: int
) -> None:
    """Seed, mode and severity appear in no URL, header or page that the agent sees."""
    site = play.library.world(name, 0)
    episode = world.open(site, parse(ALL, MODES)[0], Seeds(0, 7, f"{name}/x"))
    page = visit(episode)
    response = page.goto(episode.start_url.rstrip("/") + paths(site, seed)[-1])
    assert response is not None
    visible_text = f"{page.url} {json.dumps(response.all_headers())} {page.content()}".lower()
    episode.close()
    for word in ("stressweb", "perturb", "remap", "severity", "stress", "mitmproxy", "x-site-key", "seed="):
        assert word not in visible_text, word
