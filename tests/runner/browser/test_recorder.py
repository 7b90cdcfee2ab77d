"""The recorder reads a page without its scripts noticing, and they cannot change what it reads."""

import asyncio
import contextlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page
from playwright.sync_api import Error as PlaywrightError

from scripts.waited import IsolatedWorld, Loading, Recorder, settle
from stressweb.core import draws
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.runner.browser.settle import torn
from stressweb.runner.registry import site_names
from stressweb.runner.world.world import EpisodeWorld, World
from stressweb.sites import kit
from stressweb.sources.part import PLAIN, read_js
from tests.runner.small_site import SmallSite
from tests.sampling import sample_seed
from tests.support.crawl import crawl
from tests.support.stand_in_episode import StandInEpisode

pytestmark = pytest.mark.sample(2, "file")

SPY = """<script>
window.heard = [];
{
  const push = Array.prototype.push;
  const hear = (name) => { Reflect.apply(push, heard, [name]); };
  const spy = (owner, names) => names.forEach((name) => {
    const was = Object.getOwnPropertyDescriptor(owner, name);
    for (const part of ["get", "set", "value"]) {
      const method = was[part];
      if (typeof method !== "function") continue;
      was[part] = method.prototype && /^[A-Z]/.test(name)
        ? new Proxy(method, { construct: (...all) => { hear(name); return Reflect.construct(...all); } })
        : function (...all) { hear(name); const value = Reflect.apply(method, this, all); return typeof value === "string" ? "forged" : value; };
    }
    Object.defineProperty(owner, name, was);
  });
  const all = (type) => Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
  spy(window, ["Event", "CustomEvent", "MutationObserver", "XMLSerializer", "DOMParser", "Promise", "Set", "Map", "requestAnimationFrame", "setTimeout"]);
  spy(JSON, ["stringify", "parse"]);
  spy(scheduler.constructor.prototype, ["postTask"]);
  for (const type of [EventTarget, Node, Element, HTMLElement, HTMLInputElement, HTMLTextAreaElement, HTMLOptionElement, Document, Attr, NamedNodeMap, NodeList, XMLSerializer, Function, RegExp, Set])
    spy(type.prototype, all(type).filter((name) => !["apply", "call", "bind"].includes(name)));
  spy(Array.prototype, ["push", "pop", "join", "map", "forEach", Symbol.iterator].filter((name) => typeof name === "string"));
  spy(String.prototype, ["replace", "toWellFormed", "trim", "split"]);
  Object.setPrototypeOf(EventTarget.prototype, new Proxy(Object.prototype, { get: (target, name, me) => { hear(String(name)); return Reflect.get(target, name, me); }, has: (target, name) => { hear(String(name)); return name in target; } }));
}
</script>"""
LISTEN = """() => {
  new MutationObserver(() => heard.push("changed")).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  new ResizeObserver(() => heard.push("resized")).observe(document.documentElement);
  const types = new Set(["selectionchange", "scroll", "focus", "blur", "visibilitychange", "input", "change", "message", "error"]);
  for (const owner of [window, document, HTMLElement.prototype])
    for (const name in owner) if (name.startsWith("on")) types.add(name.slice(2));
  for (const type of types)
    if (!/pointer|mouse/.test(type)) for (const target of [window, document]) target.addEventListener(type, () => heard.push(type), true);
}"""
BODY = """<h1 title="a &amp; b">Some page</h1><form><input name="nodeType" value="old"><input type="checkbox"><textarea>said</textarea>
<select><option>one</option><option selected="">two</option></select></form><noscript><p>none</p></noscript><template><i>x</i></template>"""


def page_html(head: str) -> str:
    return f"<!DOCTYPE html><html><head><title>A title</title>{head}</head><body>{BODY}</body></html>"


def typed_into(page: Page) -> Page:
    """Type a value into the first field with the keyboard."""
    page.keyboard.press("Tab")
    page.keyboard.type("new")
    return page


@pytest.mark.parametrize("when", ["now", "settled"])
def test_a_page_that_replaces_the_browsers_functions_neither_forges_nor_notices_a_read(
    show: Callable[[str], Page], small_site: SmallSite, when: str
) -> None:
    def read(page: Page) -> dict[str, Any]:
        if when == "settled":
            text = recorder.settled(page, small_site, 5.0, loading, measured=True)
        else:
            text = recorder.read(page, measured=True)
        reading: dict[str, Any] = json.loads(text or "")
        return reading

    recorder = Recorder(StandInEpisode("secret"))
    plain = typed_into(show(page_html("<script></script>")))
    loading = Loading(plain.context.new_cdp_session(plain))
    expected = read(plain)
    assert (expected["title"], expected["copy"].count('value="new"')) == ("A title", 1)
    page = typed_into(show(page_html(SPY)))
    session = page.context.new_cdp_session(page)

    def heard() -> list[str]:
        # Not through Playwright: the spy would also hear its script in the page.
        reply = session.send("Runtime.evaluate", {"expression": "heard.splice(0)", "returnByValue": True})
        return list(reply["result"]["value"])

    heard()
    actual = read(page)
    assert heard() == []
    script = re.compile("<script>.*?</script>", re.DOTALL)
    assert script.sub("", actual.pop("copy")) == script.sub("", expected.pop("copy"))
    assert actual == expected
    # The same read in the page's main world is heard, so the spy works.
    with contextlib.suppress(PlaywrightError):
        page.evaluate(read_js(), {**PLAIN, "event": "secret", "boxes": True})
    assert {"documentElement", "dispatchEvent"} <= set(heard())


def test_a_page_does_not_notice_a_read(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(page_html("<script>window.heard = []</script>"))
    page.evaluate(LISTEN)
    page.wait_for_function("heard.includes('resized')")
    state = (
        "() => [Reflect.ownKeys(window).length, Reflect.ownKeys(document).length, document.documentElement.outerHTML]"
    )
    before = page.evaluate(state)
    page.evaluate("heard.length = 0")
    recorder = Recorder(StandInEpisode("secret"))
    assert recorder.read(page, measured=True)
    assert recorder.settled(page, small_site, 5.0, measured=True)
    assert page.evaluate("() => new Promise((done) => setTimeout(() => done(heard), 100))") == []
    assert page.evaluate(state) == before
    # Only a listener that knows the event's name hears it.
    page.evaluate("addEventListener('secret', () => heard.push('read'))")
    recorder.read(page, measured=False)
    assert page.evaluate("heard") == ["read"]


def test_only_one_session_is_opened_for_a_tab(show: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch) -> None:
    page = show(page_html(""))
    opened: list[Page] = []
    session = page.context.new_cdp_session(page)

    def open_session(page: Page) -> CDPSession:
        opened.append(page)
        return session

    monkeypatch.setattr(page.context, "new_cdp_session", open_session)
    recorder = Recorder()
    for _ in range(3):
        assert recorder.read(page, measured=False)
    assert len(opened) == 1
    second = Recorder()
    second.attach(page, session)
    assert second.read(page, measured=False)
    assert len(opened) == 1


def test_a_renderer_that_crashes_under_a_read_ends_it(page: Page) -> None:
    world = IsolatedWorld(page)
    session: Any = page.context.new_cdp_session(page)
    loop = asyncio.get_running_loop()
    tasks = []
    loop.call_later(0.2, lambda: tasks.append(loop.create_task(session._impl_obj.send("Page.crash", {}, None))))
    assert world.evaluate("() => true")
    with pytest.raises(PlaywrightError, match="the page crashed"):
        world.evaluate("() => new Promise((done) => setTimeout(done, 20000))")
    with pytest.raises(PlaywrightError, match="the page crashed"):
        world.evaluate("() => true")
    for task in tasks:
        task.cancel()


def test_errors_of_a_function_are_raised(page: Page) -> None:
    ask = IsolatedWorld(page).evaluate
    for _ in range(2):
        with pytest.raises(PlaywrightError, match="ReferenceError: nowhere is not defined"):
            ask("() => nowhere")
        with pytest.raises(PlaywrightError, match="no luck"):
            ask("async () => { throw new Error('no luck'); }")
        assert ask("async (given) => given.one + 1", {"one": 1}) == 2
        assert ask("(given) => given") is None


def test_a_document_caches_functions_and_the_next_one_starts_empty(
    show: Callable[[str], Page], small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = show("<p>one</p>")
    sent: list[str] = []
    session = page.context.new_cdp_session(page)
    whole = session.send

    def send(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        sent.append(f"{method} {params}")
        return whole(method, params)

    monkeypatch.setattr(session, "send", send)
    world = IsolatedWorld(page, session)
    count = "(add) => { globalThis.times = (globalThis.times ?? 0) + add; return globalThis.times; }"
    assert [world.evaluate(count, 1) for _ in range(3)] == [1, 2, 3]
    assert sum(count in message for message in sent) == 1
    assert ["callFunctionOn" in message for message in sent[-2:]] == [True, True]
    assert page.evaluate("window.times") is None
    for path in ("", "/other", "/other#here"):
        small_site.pages["/other"] = "<p>two</p>"
        page.goto(small_site.url + path)
        # The same document in the last case, where only the fragment changed.
        assert world.evaluate(count, 1) == (2 if "#" in path else 1)
    assert IsolatedWorld(page.context.new_page()).evaluate(count, 1) == 1


def test_a_navigation_breaks_off_a_question_but_not_the_next_one(
    show: Callable[[str], Page], small_site: SmallSite
) -> None:
    page = show("<title>one</title>")
    small_site.pages["/next"] = "<title>two</title>"
    world = IsolatedWorld(page)
    question = "(ms) => new Promise((done) => setTimeout(() => done(document.title), ms))"
    assert world.evaluate(question, 0) == "one"
    page.evaluate("() => { setTimeout(() => { location.href = '/next' }, 50) }")
    with pytest.raises(PlaywrightError) as raised:
        world.evaluate(question, 10_000)
    assert torn(raised.value)
    assert world.evaluate(question, 0) == "two"


@pytest.fixture
def pages(world: World, visit: Callable[[EpisodeWorld], Page]) -> Callable[[str], Iterator[Page]]:
    """Open a sample of a site's pages, drawn by SEED."""

    def shown(name: str) -> Iterator[Page]:
        site = kit.load(name, 0)
        episode = world.open(site, CLEAN, Seeds(0, 0, f"{name}/x"))
        page = visit(episode)
        loading = Loading(page.context.new_cdp_session(page))
        paths = [visited.path for visited in crawl(site, per_kind=1)]
        for path in sorted(paths, key=lambda path: draws.unit("recorder", sample_seed(), name, path))[:8]:
            page.goto(episode.start_url.rstrip("/") + path)
            # The calendar fetches its contents.
            assert settle(page, episode, loading=loading)
            yield page
        assert episode.faults() == []
        episode.close()

    return shown


@pytest.mark.parametrize("name", site_names())
def test_a_clean_page_is_read_as_the_browser_writes_it(pages: Callable[[str], Iterator[Page]], name: str) -> None:
    """Ignores `selected`: no attribute marks the first option."""
    selected = re.compile(' selected(="[^"]*")?')
    recorder = Recorder()
    seen = 0
    for page in pages(name):
        read = json.loads(recorder.read(page, measured=False) or "")
        assert selected.sub("", read["html"]) == selected.sub("", page.content())
        assert (read["url"], read["title"]) == (page.url, page.title())
        seen += 1
    assert seen > 3
