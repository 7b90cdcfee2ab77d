"""Small pictures: they have the stated size, and the page does not notice them."""

import base64
from collections.abc import Callable
from statistics import fmean

import pytest
from playwright.sync_api import Page

from scripts.waited import Recorder, take
from stressweb.core.conditions import CLEAN
from stressweb.core.draws import Seeds
from stressweb.core.protocol import VIEWPORT
from stressweb.log.pictures import SCALE, TYPICAL_BYTES, kind_of, window_of
from stressweb.runner.browser.loading import IDLE
from stressweb.runner.commands.options import PICTURES
from stressweb.runner.registry import Library, site_names
from stressweb.runner.world.world import EpisodeWorld, World

WIDTH, HEIGHT = VIEWPORT["width"], VIEWPORT["height"]
LISTEN = """() => {
  window.heard = [];
  const hear = (target, ...names) => names.forEach((name) => target.addEventListener(name, () => heard.push(name)));
  hear(window, "resize", "scroll", "focus", "blur", "pagehide", "beforeprint");
  hear(visualViewport, "resize", "scroll");
  hear(document, "visibilitychange", "selectionchange", "scroll");
  new ResizeObserver(() => heard.push("observed")).observe(document.documentElement);
  for (const query of ["(max-width: 1000px)", "(min-resolution: 0.75dppx)", "(prefers-color-scheme: dark)", "print"])
    hear(matchMedia(query), "change");
}"""
LOOK = "() => [innerWidth, innerHeight, devicePixelRatio, visualViewport.scale, scrollX, scrollY, screen.width]"


def test_a_page_does_not_notice_that_its_picture_is_taken(browser_page: Page) -> None:
    page = browser_page
    page.set_content("<body style='margin:0;height:3000px;background:linear-gradient(red, blue)'><p>Lamps</p>")
    page.evaluate("scrollTo(0, 500)")
    session = page.context.new_cdp_session(page)
    page.evaluate(LISTEN)
    # An observer reports once when it starts.
    page.wait_for_function("heard.includes('observed')")
    page.wait_for_timeout(100)
    page.evaluate("heard.length = 0")
    before = page.evaluate(LOOK), page.content(), page.screenshot()
    picture = take(session, WIDTH, HEIGHT) or b""
    assert page.evaluate("() => new Promise((done) => setTimeout(() => done(heard), 100))") == []
    assert (page.evaluate(LOOK), page.content(), page.screenshot()) == before
    assert (kind_of(picture), window_of(picture)) == ("jpeg", (WIDTH, HEIGHT))


PAINT = "(colour) => document.querySelectorAll('body, div').forEach((one) => (one.style.background = colour))"
COLOUR = """async (data) => {
  const picture = new Image();
  picture.src = `data:image/jpeg;base64,${data}`;
  await picture.decode();
  const drawn = new OffscreenCanvas(1, 1).getContext("2d");
  drawn.drawImage(picture, 0, 0);
  const [red, , blue] = drawn.getImageData(0, 0, 1, 1).data;
  return red > blue ? "red" : "blue";
}"""


@pytest.mark.parametrize("when", ["before the read", "during the read", "unsettled"])
@pytest.mark.parametrize(
    ("style", "copies"), [("", 600), ("filter: blur(3px); box-shadow: 0 0 60px 30px rgba(0, 0, 0, .1)", 250)]
)
def test_a_picture_shows_the_page_as_it_was_read(browser_page: Page, style: str, copies: int, when: str) -> None:
    """A change caused by a read, as with chaos, appears only in the next frame, and every change may take long to
    paint."""
    page, recorder = browser_page, Recorder()
    session = page.context.new_cdp_session(page)
    recorder.attach(page, session)
    page.set_content("<body>" + f"<div style='padding: 3px; rotate: 1deg; {style}'><p>Lamps</p></div>" * copies)
    colours, pictured = ["red", "blue"] * 4, []
    for colour in colours:
        if when == "during the read":
            assert recorder.settled(page, IDLE, 5.0, measured=False)
        page.evaluate(PAINT, colour)
        if when == "before the read":
            assert recorder.settled(page, IDLE, 5.0, measured=False)
        changed = {"chaos": copies} if when == "during the read" else {}
        recorder.pass_on({"documents": [{"answer": {"changed": changed}}]})
        recorder.drawn(page)
        picture = take(session, WIDTH, HEIGHT) or b""
        pictured.append(page.evaluate(COLOUR, base64.b64encode(picture).decode()))
    assert pictured == colours


def test_a_closed_tab_has_no_picture(browser_page: Page) -> None:
    session = browser_page.context.new_cdp_session(browser_page)
    browser_page.close()
    assert take(session, WIDTH, HEIGHT) is None


def test_the_help_states_the_size_that_pictures_of_the_sites_have(
    world: World, visit: Callable[[EpisodeWorld], Page]
) -> None:
    """Includes new sites: if they move the mean, the help text must change."""
    sizes = []
    for name in site_names():
        episode = world.open(Library().world(name, 0), CLEAN, Seeds(0, 0, f"{name}/x"))
        page = visit(episode)
        session = page.context.new_cdp_session(page)
        sizes.append(len(take(session, WIDTH, HEIGHT) or b""))
        episode.close()
    assert fmean(sizes) == pytest.approx(TYPICAL_BYTES, rel=0.5), sizes
    assert f"{WIDTH * SCALE:.0f} x {HEIGHT * SCALE:.0f} pixels, about {TYPICAL_BYTES // 1000} kB each" == PICTURES
