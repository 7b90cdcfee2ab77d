"""A report in a browser: it opens, filters and sorts; recorded pages run no code, and nothing is requested."""

import http.server
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from stressweb.core.entity import Entity
from stressweb.plugins.actions import Action
from stressweb.plugins.database import TableChange
from tests.support.small_reports import PIXEL, Recorded, recorded, source, standard

pytestmark = [pytest.mark.long, pytest.mark.sample(1, "file")]

type Show = Callable[..., Page]


def uncounted(**changes: Any) -> Recorded:
    """Return an episode that is in no chart, because a report without charts opens faster."""
    return recorded(status="error", claim="none", **changes)


def visible(page: Page) -> list[str]:
    """Return the visible rows of the list as task, agent and condition."""
    rows = page.locator("tbody[id]:visible > tr:first-child").all()
    return [" ".join(row.locator("td").all_inner_texts()[1:4]) for row in rows]


@pytest.mark.sample(1, "looks")
def test_the_charts_are_drawn_and_follow_the_scheme(show: Show) -> None:
    page = show(source(standard()))
    assert page.locator("[data-chart] .main-svg").count() >= 6
    expect(page.locator("#chart-claims .barlayer text").first).to_have_text("3")
    fill = "() => getComputedStyle(document.querySelector('#chart-claims .barlayer path')).fill"
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(fill), page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"(before) => ({fill})() !== before", arg=light[0])
    assert page.evaluate(ground) != light[1]
    page.get_by_role("button", name="Light", exact=True).click()
    page.wait_for_function(f"(before) => ({fill})() === before", arg=light[0])
    assert page.evaluate(ground) == light[1]
    expect(page.get_by_role("button", name="Dark", exact=True)).to_be_visible()


@pytest.mark.sample(1, "looks")
def test_a_scale_of_few_episodes_has_each_number_once(show: Show) -> None:
    page = show(source([recorded(task=f"shop/task-{number}", condition="clean") for number in range(2)]))
    ticks = page.locator("#chart-claims .xaxislayer-above .xtick")
    expect(ticks.first).to_be_visible()
    assert ticks.all_text_contents() == ["0", "1", "2"]


@pytest.mark.sample(1, "looks")
def test_an_episode_opens_where_it_went_wrong_and_closes(show: Show) -> None:
    page = show(source(standard()))
    button = page.locator("#e1 .open")
    button.click()
    details = page.locator("#e1 .detail")
    expect(details.locator(".outcome")).to_have_text("It claimed to be done, and was not.")
    expect(details.locator("li.wrong")).to_contain_text("First unrecovered disturbance")
    expect(details.locator("li.wrong .parameter").first).to_have_text('selector="#buy"')
    assert details.locator(".checks li").all_inner_texts()[0] == "✗put it into the cart"
    expect(button).to_have_attribute("aria-expanded", "true")
    button.click()
    expect(details).to_have_count(0)


@pytest.mark.sample(1, "looks")
def test_a_link_leads_to_an_episode_and_to_a_step(show: Show) -> None:
    page = show(source(standard()), "#e2-2")
    expect(page.locator("#e2 .detail li.wrong")).to_be_in_viewport()
    page.get_by_role("link", name="first failure").click()
    expect(page.locator("#e1 .detail")).to_be_visible()


@pytest.mark.sample(1, "looks")
def test_the_list_is_filtered_by_each_of_its_columns_and_by_text(show: Show) -> None:
    page = show(source(standard()))
    everything = visible(page)
    assert len(everything) == 12
    page.locator("[data-filter='verdict']").select_option("failed")
    assert visible(page) == [f"shop/task-{n} naive remap@3" for n in range(3)]
    page.locator("[data-filter='task']").select_option("shop/task-1")
    assert visible(page) == ["shop/task-1 naive remap@3"]
    expect(page.locator("#shown")).to_have_text("1 of 12")
    page.locator("[data-filter='claim']").select_option("none")
    assert visible(page) == []
    page.get_by_role("button", name="Show all").click()
    assert visible(page) == everything
    page.locator("[data-filter='text']").fill("BUTTON 'Buy'")
    assert visible(page) == [f"shop/task-{n} naive remap@3" for n in range(3)]
    page.get_by_role("button", name="Show all").click()
    page.locator(".account a", has_text="remap@3").nth(1).click()
    assert visible(page) == [f"shop/task-{n} resilient remap@3" for n in range(3)]


@pytest.mark.sample(1, "looks")
def test_a_link_to_a_filtered_episode_shows_it(show: Show) -> None:
    page = show(source(standard()))
    page.locator("[data-filter='verdict']").select_option("passed")
    page.get_by_role("link", name="first failure").click()
    expect(page.locator("#e1 .detail")).to_be_visible()


@pytest.mark.sample(1, "looks")
def test_columns_sort_by_number_and_by_name_and_details_stay_with_their_episode(show: Show) -> None:
    episodes = [recorded(task=f"shop/{name}") for name in ("b", "c", "a")]
    for (graded, record), steps in zip(episodes, (9, 10, 100), strict=True):
        episodes[episodes.index((graded, record))] = (graded.model_copy(update={"steps": steps}), record)
    page = show(source(episodes))
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail")).to_be_visible()

    def order() -> list[str]:
        return [text.split()[0].removeprefix("shop/") for text in visible(page)]

    page.get_by_role("button", name="steps", exact=True).click()
    assert order() == ["b", "c", "a"]
    page.get_by_role("button", name="steps", exact=True).click()
    assert order() == ["a", "c", "b"]
    page.get_by_role("button", name="task", exact=True).click()
    assert order() == ["a", "b", "c"]
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("#e1 .detail")).to_be_visible()


@pytest.mark.audit
def test_a_long_list_is_shown_in_portions_and_sorted_filtered_and_linked_as_a_whole(show: Show) -> None:
    # Number 1,201 is the only success, and successes come last.
    episodes = [uncounted(task=f"shop/task-{n:04}") for n in range(1_200)]
    page = show(source([*episodes, recorded(task="shop/zebra", condition="clean")]))
    rows = page.locator("tbody[id]:visible")
    more = page.locator("#more")

    expect(rows).to_have_count(40)
    expect(page.locator("#shown")).to_have_text("first 40 of all 1201")
    expect(more).to_have_text("Show 500 more")
    page.get_by_role("button", name="task", exact=True).click()
    page.get_by_role("button", name="task", exact=True).click()
    expect(rows.first).to_contain_text("shop/zebra")
    expect(rows).to_have_count(40)
    more.click()
    expect(rows).to_have_count(540)
    more.click()
    expect(rows).to_have_count(1_040)
    expect(more).to_have_text("Show 161 more")
    more.click()
    expect(rows).to_have_count(1_201)
    expect(more).to_be_hidden()
    expect(page.locator("#shown")).to_have_text("all 1201")

    page.locator("[data-filter='text']").fill("zebra")
    expect(rows).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1 of 1201")
    page.get_by_role("button", name="Show all").click()
    expect(rows).to_have_count(40)
    page.get_by_role("button", name="verdict", exact=True).click()
    expect(page.locator("#e1201")).to_have_count(0)
    page.evaluate("location.hash = '#e1201'")
    expect(page.locator("#e1201 .detail")).to_be_visible()


@pytest.mark.sample(1, "looks")
def test_a_picture_is_shown_and_enlarged(show: Show) -> None:
    page = show(source([uncounted(picture=PIXEL)]))
    page.locator("#e1 .open").click()
    picture = page.locator("#e1 img")
    expect(picture).to_have_count(1)
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 1
    small = picture.bounding_box()
    page.get_by_role("button", name="Enlarge the picture of step 0").click()
    large = picture.bounding_box()
    assert small
    assert large
    assert large["width"] > 2 * small["width"]


@pytest.mark.sample(1, "looks")
def test_a_ring_marks_where_the_click_went_at_every_size(show: Show) -> None:
    action = Action(kind="CLICK", x=0.25, y=0.5)
    graded, record = uncounted(picture=PIXEL)
    record.steps[1] = replace(record.steps[1], action=action)
    page = show(source([(graded, record)]))
    page.locator("#e1 .open").click()
    expect(page.locator("#e1-0 .picture")).to_contain_text("click of step 1")
    off = """(ring) => {
        const [inner, outer] = [ring, ring.parentElement.querySelector("img")].map((one) => one.getBoundingClientRect());
        return [inner.x + inner.width / 2 - outer.x - 0.25 * outer.width,
                inner.y + inner.height / 2 - outer.y - 0.5 * outer.height];
    }"""
    ring = page.locator("#e1 .ring")
    expect(ring).to_have_count(1)
    assert page.locator("#e1 img").evaluate("(image) => image.decode().then(() => true)")
    assert ring.evaluate(off) == pytest.approx([0, 0], abs=2)
    page.get_by_role("button", name="Enlarge the picture of step 0").click()
    assert ring.evaluate(off) == pytest.approx([0, 0], abs=2)


def wide(**changes: Any) -> Recorded:
    """Return an episode with long texts everywhere."""
    long = "x" * 300
    row = Entity(id=long, note=long)
    final = {long: TableChange(("id",), (row,), altered=((row, Entity(id=long, note="short")),))}
    html = f"<html><body><a class='first' href='/x'>{long}</a></body></html>"
    return recorded(task="shop/task-9", message=long, element=long, html=html, final=final, picture=PIXEL, **changes)


@pytest.mark.sample(1, "looks")
@pytest.mark.parametrize("width", [1280, 800, 400, 390])
def test_nothing_is_wider_than_the_window(show: Show, width: int) -> None:
    page = show(source([*standard(), wide()]))
    page.set_viewport_size({"width": width, "height": 900})
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail")).to_be_visible()
    page.locator("tbody", has_text="task-9").locator(".open").click()
    expect(page.locator(".detail")).to_have_count(2)
    page.locator(".detail").evaluate_all(
        "(all) => all.forEach((one) => one.querySelectorAll('details').forEach((d) => (d.open = true)))"
    )
    page.locator(".steps .page").last.click()
    page.locator(".zoom").first.click()
    page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.sample(1, "looks")
@pytest.mark.parametrize("width", [400, 390])
def test_on_a_telephone_rows_are_read_without_scrolling_sideways(show: Show, width: int) -> None:
    page = show(source([*standard(), wide()]))
    page.set_viewport_size({"width": width, "height": 900})
    page.locator("tbody", has_text="task-9").locator(".open").click()
    expect(page.locator(".detail")).to_be_visible()
    # Every cell and button of the list, its details and the filters is within the window.
    beyond = """(all) => all.filter((one) => {
        const box = one.getBoundingClientRect();
        return box.width && (box.left < 0 || box.right > innerWidth);
    }).map((one) => one.outerHTML.slice(0, 200))"""
    for selector in (
        "#list > tbody > tr > td",
        "#list > thead th",
        ".filters > *",
        ".steps > li, .steps > li *",
        "header *",
    ):
        assert page.locator(selector).evaluate_all(beyond) == []
    page.locator(".changes > summary").click()
    expect(page.locator(".changes .rows tr").first).to_have_css("display", "table-row")
    # The result table scrolls in its own box; the name of the condition stays.
    last = page.locator(".result td:last-child").nth(1)
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    box = page.locator(".result tr:nth-child(3) > th").first.bounding_box()
    assert box
    assert box["x"] >= 0
    assert page.evaluate("scrollX") == 0


@pytest.mark.sample(1, "looks")
def test_it_prints_light_with_what_is_open(show: Show) -> None:
    page = show(source(standard()))
    page.emulate_media(color_scheme="dark", media="screen")
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .detail")).to_be_visible()
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate("() => getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
    expect(page.locator(".filters")).to_be_hidden()
    expect(page.locator("#e1 .detail")).to_be_visible()
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("() => document.documentElement.dataset.theme") is None


class Listener:
    """Counts connections, preconnections without a request included."""

    def __init__(self) -> None:
        self.connections = 0
        listener = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def setup(self) -> None:
                listener.connections += 1
                super().setup()

            def do_GET(self) -> None:
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing."""

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    server = Listener()
    yield server
    server.close()


SCRIPT = "<p id=a>a &lt; b</p></pre></iframe><script>parent.hit = 1</script>"
HOSTILE = """<!doctype html><html><head><title>"><script>parent.hit = 1</script></title>
<meta http-equiv="refresh" content="0;url=URL/refresh"><base href="URL/" target="_top">
<link rel="stylesheet" href="URL/a.css"><link rel="preconnect" href="URL"><link rel="dns-prefetch" href="URL">
<link rel="prefetch" href="URL/next"><style>@import "URL/b.css"; h1 { background: url(URL/c.png) }</style>
<script>parent.hit = 2; alert("ran")</script><script src="URL/d.js"></script></head>
<body onload="parent.hit = 3"><h1 style="background: url('URL/e.png')">Hostile</h1>
</iframe></script><script>parent.hit = 4</script><img src="URL/f.png" onerror="parent.hit = 5"><img src="/relative.png">
<img srcset="URL/g.png 1x"><video src="URL/h.mp4" poster="URL/i.png"></video><object data="URL/j"></object>
<embed src="URL/k"><iframe src="URL/l"></iframe><iframe srcdoc="<script>top.hit = 6</script>"></iframe>
<svg onload="parent.hit = 7"><image href="URL/m.png"/><use href="URL/n.svg#x"/><script>parent.hit = 8</script></svg>
<a href="javascript:parent.hit=9" id="script">script</a> <a href="URL/o" target="_self" id="away">away</a>
<a href="URL/p" target="_blank" id="blank">blank</a> <a href="URL/q" target="_top" id="top">top</a>
<form action="URL/r" method="post"><input name="x"><button id="send" formaction="URL/s">send</button></form>
<input autofocus onfocus="parent.hit = 10"><details open ontoggle="parent.hit = 11"><summary>s</summary></details>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=URL/t onerror=parent.hit=12&gt;">
<template><script>parent.hit = 13</script></template><noscript><p title="</noscript><img src=URL/u onerror=alert(1)>"></noscript>
</body></html>"""


def take_refusals(browser_messages: list[str]) -> list[str]:
    """Remove the refused requests and their console messages, and return them."""
    refused = [
        message for message in browser_messages if message.startswith(("console: ", "request: http://127.0.0.1"))
    ]
    browser_messages[:] = [message for message in browser_messages if message not in refused]
    return refused


def test_a_hostile_page_is_shown_and_does_nothing(show: Show, browser_messages: list[str], listener: Listener) -> None:
    html = HOSTILE.replace("URL", listener.url)
    page = show(source([uncounted(html=html)]))
    page.locator("#e1 .open").click()
    page.locator("#e1 .steps").get_by_role("button", name="Page", exact=True).first.click()
    frame = page.locator("#e1 iframe")
    assert frame.get_attribute("sandbox") == ""
    inside = frame.content_frame
    expect(inside.get_by_role("heading", name="Hostile")).to_be_visible()
    for name in ("script", "away", "blank", "top", "send"):
        inside.locator(f"#{name}").dispatch_event("click")
        inside.locator(f"#{name}").click()
    expect(inside.get_by_role("heading", name="Hostile")).to_be_visible()
    assert page.evaluate("() => window.hit") is None
    assert page.frames[1].url.startswith("about:srcdoc")
    assert listener.connections == 0
    # The policy refuses the URLs of the page's style sheet, and nothing else was requested.
    refused = take_refusals(browser_messages)
    assert {message.rpartition("/")[2] for message in refused if message.startswith("request: ")} <= {
        "b.css",
        "c.png",
        "e.png",
    }


def test_sandbox_and_policy_protect_without_the_cleaning(
    show: Show, browser_messages: list[str], listener: Listener
) -> None:
    # An inner frame would cause the same message as the navigation that the test waits for.
    html = HOSTILE.replace("URL", listener.url).replace(f'<iframe src="{listener.url}/l"></iframe>', "")
    page = show(source([uncounted()]))
    page.locator("#e1 .open").click()
    page.locator("#e1 .steps").get_by_role("button", name="Page", exact=True).first.click()
    frame = page.locator("#e1 iframe")
    expect(frame.content_frame.get_by_role("heading", name="Shop")).to_be_visible()
    policy = frame.evaluate("(frame) => frame.srcdoc.match(/<meta [^>]*>/)[0]")
    frame.evaluate("(frame, html) => { frame.srcdoc = html; }", f"<!doctype html>{policy}{html}")
    expect(frame.content_frame.get_by_role("heading", name="Hostile")).to_be_visible()
    for name in ("script", "blank", "top", "send"):
        frame.content_frame.locator(f"#{name}").click()
    with page.expect_console_message(lambda message: message.text.startswith("Framing")):
        frame.content_frame.locator("#away").click()
    assert page.evaluate("() => window.hit") is None
    assert listener.connections == 0
    assert any("Blocked opening" in message for message in take_refusals(browser_messages))
    browser_messages[:] = [message for message in browser_messages if message != "request: file:///relative.png"]


STYLED = """<!doctype html><html><head><link rel="stylesheet" href="/a.css"><link rel="stylesheet" href="/gone.css">
<link rel="stylesheet" href="/print.css" media="print"></head><body><h1>Host</h1><a href="/x">link</a><a>none</a></body></html>"""
SHEET = """@import "URL/b.css"; @font-face { font-family: x; src: url(URL/c.woff) }
h1 { color: rgb(1, 2, 3); background: #fff url(URL/d.png) } a:not([href]) { color: rgb(4, 5, 6) }
a:link { color: rgb(7, 8, 9) } h1::after { content: "</style><link rel=preconnect href=URL><img src=URL/e.png>" }"""


def test_a_page_is_shown_in_its_own_style_and_still_fetches_nothing(show: Show, listener: Listener) -> None:
    sheets = {
        "http://shop.test/a.css": SHEET.replace("URL", listener.url),
        "http://shop.test/print.css": "h1 { color: red !important }",
    }
    page = show(source([uncounted(html=STYLED)], sheets=sheets))
    page.locator("#e1 .open").click()
    page.locator("#e1 .steps").get_by_role("button", name="Page", exact=True).first.click()
    frame = page.locator("#e1 iframe")
    inside = frame.content_frame
    expect(inside.get_by_role("heading", name="Host")).to_have_css("color", "rgb(1, 2, 3)")
    expect(inside.get_by_text("link", exact=True)).to_have_css("color", "rgb(7, 8, 9)")
    expect(inside.get_by_text("none", exact=True)).to_have_css("color", "rgb(4, 5, 6)")
    carried = frame.get_attribute("srcdoc") or ""
    assert "<link" not in carried
    assert "<img" not in carried
    assert inside.locator("img, link").count() == 0
    assert listener.connections == 0
    page.locator("#e1 .steps").get_by_role("button", name="Source").first.click()
    assert page.locator("#e1 .source").text_content() == STYLED


UNFOLDED = """<!doctype html><title>x</title><h1>Host</h1><form name="head"><input name="attributes"></form>
<form><input name="getAttributeNames"><input name="remove"></form><img name="querySelectorAll">
<div><template shadowrootmode="open"><p>in the shadow</p><link rel="preconnect" href="URL">
<link rel="dns-prefetch" href="//names.test"><img src="URL/t.png"><section>
<template shadowrootmode="open"><link rel="preconnect" href="URL"><a ping="URL" href="URL/u">deep</a></template>
</section></template></div>"""


def test_contents_of_templates_are_cleaned_too(show: Show, browser_messages: list[str], listener: Listener) -> None:
    page = show(source([uncounted(html=UNFOLDED.replace("URL", listener.url))]))
    page.locator("#e1 .open").click()
    page.locator("#e1 .steps").get_by_role("button", name="Page", exact=True).first.click()
    frame = page.locator("#e1 iframe")
    expect(frame.content_frame.get_by_role("heading", name="Host")).to_be_visible()
    expect(frame.content_frame.get_by_text("in the shadow")).to_be_visible()
    carried = frame.get_attribute("srcdoc") or ""
    assert carried.startswith('<!doctype html><html><head><meta http-equiv="Content-Security-Policy"')
    for word in ("<link", "preconnect", "dns-prefetch", listener.url, "names.test", "ping="):
        assert word not in carried
    assert listener.connections == 0


def test_the_source_of_a_page_is_text(show: Show) -> None:
    page = show(source([uncounted(html=SCRIPT)]))
    page.locator("#e1 .open").click()
    page.locator("#e1 .steps").get_by_role("button", name="Source").first.click()
    assert page.locator("#e1 .source").text_content() == SCRIPT
    page.locator("#e1 .steps").get_by_role("button", name="Page", exact=True).first.click()
    expect(page.locator("#e1 .source")).to_have_count(0)
    page.locator("#e1 .steps").get_by_role("button", name="Page", exact=True).first.click()
    expect(page.locator("#e1 iframe")).to_have_count(0)


def test_hostile_texts_are_shown_and_not_run(show: Show) -> None:
    evil = '</script></iframe><img src=x onerror="window.hit=1">\'"javascript:window.hit=2'
    graded, record = recorded(agent=evil, task=f"shop/{evil}", condition="remap@3", message=evil, element=evil)
    clean = recorded(agent=evil, task=f"shop/{evil}", condition="clean", message=evil)
    again = recorded(agent=evil, task=f"shop/{evil}", condition="clean", message=evil, epoch=1)
    page = show(source([(graded, record), clean, again], goals={(f"shop/{evil}", 0): evil}))
    page.locator("#e1 .open").click()
    expect(page.locator("#e1 .facts .message")).to_contain_text(evil)
    expect(page.locator(".account h2")).to_contain_text(evil)
    expect(page.locator("#chart-claims")).to_contain_text(evil)
    page.locator("[data-filter='task']").select_option(f"shop/{evil}")
    assert page.evaluate("() => window.hit") is None
