"""Screenshots of a page."""

import base64
import contextlib
import functools
from typing import Any

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.sync_api import Page

from scripts.blocking import blocking
from scripts.waited import still
from stressweb.runner.browser.observe import Observer as Asynchronous
from stressweb.sources import camera
from stressweb.sources.camera import packed
from stressweb.sources.screenshots import distinct

Camera = blocking(camera.Camera.of)
Observer = blocking(Asynchronous)


@pytest.mark.parametrize(("taken", "expected"), [(b"aa", b"a"), (b"abb", b"b"), (b"abcdee", b"e"), (b"abcdefgh", b"e")])
def test_a_picture_is_taken_until_it_stands_still(taken: bytes, expected: bytes) -> None:
    pictures = list(taken) + [taken[-1]] * 9

    async def take() -> bytes:
        return bytes([pictures.pop(0)])

    assert still(take) == expected


@pytest.mark.parametrize(
    ("taken", "expected"),
    [([b"a"], [b"a"]), ([b"a", b"b", b"a", b"c", b"d"], [b"a", b"b", b"c"]), ([b"a", b"a", b"b"], [b"a", b"b"])],
)
def test_distinct(taken: list[bytes], expected: list[bytes]) -> None:
    assert distinct(tuple(taken)) == tuple(expected)


PAGE = """<!DOCTYPE html><html><head><style>body { background: linear-gradient(teal, plum); height: 3000px }
svg { width: 90% }</style></head><body><h1>A page</h1><button>Press</button> <input value="typed">
<svg viewBox="0 0 9 9"><circle cx="4" cy="4" r="3" fill="tomato"></circle></svg></body></html>"""
# Whether two pictures have the same pixels.
EQUAL_JS = """async (pictures) => {
  const [one, other] = await Promise.all(pictures.map(async (data) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    return context.getImageData(0, 0, bitmap.width, bitmap.height);
  }));
  return one.width === other.width && one.data.every((value, at) => value === other.data[at]);
}"""


def pictured(page: Page) -> bytes:
    """Return the screenshot of an observation."""
    shots: tuple[bytes, ...] = Observer(frozenset({"screenshots"})).read(page).screenshots
    return shots[0]


def equal(page: Page, *pictures: bytes) -> bool:
    second_page = page.context.new_page()
    is_equal: Any = second_page.evaluate(EQUAL_JS, [base64.b64encode(picture).decode() for picture in pictures])
    second_page.close()
    page.bring_to_front()
    return bool(is_equal)


@pytest.mark.sample(2)
@pytest.mark.parametrize("focus", ["", "button", "input"])
@pytest.mark.parametrize("scrolled", [0, 700])
def test_a_picture_has_the_pixels_of_a_usual_screenshot(page: Page, scrolled: int, focus: str) -> None:
    page.set_content(PAGE)
    if focus:
        page.focus(focus)
    page.evaluate("(top) => scrollTo(0, top)", scrolled)
    # Hiding an absent caret makes Playwright redraw fields, with another shade at an edge beside them.
    usual = functools.partial(page.screenshot, caret="hide" if focus == "input" else "initial")
    assert equal(page, pictured(page), usual())
    before = usual()
    page.evaluate("document.querySelector('circle').setAttribute('r', 1), scrollTo(0, 0)")
    assert not equal(page, before, usual())


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("focus", "usual"),
    [
        ("body", False),
        ("button", False),
        ("a", False),
        ("select", False),
        ("[type=checkbox]", False),
        ("[type=text]", True),
        ("textarea", True),
        ("p", True),
        ("div", True),
        ("x-y", True),
        ("iframe", True),
    ],
)
def test_where_a_cursor_may_blink_it_is_hidden(page: Page, focus: str, usual: bool) -> None:
    page.set_content("""<button>a</button><a href="/a">b</a><select></select><input type=checkbox><input type=text>
<textarea></textarea><p contenteditable>c</p><div tabindex=0>d</div><x-y tabindex=0></x-y><iframe srcdoc="<input>">""")
    page.evaluate("(selector) => document.querySelector(selector).focus()", focus)
    assert equal(page, pictured(page), page.screenshot(caret="hide" if usual else "initial"))


def test_a_picture_leaves_no_trace(page: Page) -> None:
    page.set_content(PAGE)
    before = page.content()
    page.evaluate("""() => {
      globalThis.changes = 0;
      const watcher = new MutationObserver((records) => (globalThis.changes += records.length));
      watcher.observe(document, { subtree: true, childList: true, attributes: true });
    }""")
    pictured(page)
    assert page.content() == before
    assert page.evaluate("changes") == 0


def test_a_repacked_picture_is_smaller(page: Page) -> None:
    page.set_content(PAGE)
    session = page.context.new_cdp_session(page)
    loose = base64.b64decode(
        session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})["data"]
    )
    assert len(packed(loose)) < len(loose)
    assert equal(page, packed(loose), loose)
    with pytest.raises(ValueError, match="no PNG"):
        packed(b"GIF89a")


def test_a_crash_ends_the_picture(page: Page) -> None:
    page.set_content(PAGE)
    taker = Camera(page)
    assert taker.take().startswith(b"\x89PNG")
    with page.expect_event("crash"), contextlib.suppress(PlaywrightError):
        page.goto("chrome://crash")
    with pytest.raises(PlaywrightError, match=r"the page crashed|has been closed"):
        taker.take()
    taker.close()
