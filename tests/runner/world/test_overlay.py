"""The overlay in a browser: it describes each gesture, has keys that the site does not receive, and resets the site."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from stressweb.core.browser_program import find_browser, launch_args
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.runner.world.serve_site import serve_site
from stressweb.runner.world.world import World
from tests.support.toy import PAGE, Toy

pytestmark = pytest.mark.sample(2, "file")

# Like a normal browser, names under localhost resolve to this machine; no other name resolves.
RESOLVING = "--host-resolver-rules=MAP *.localhost 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
HEARS = """<script>
window.heard = [];
for (const target of [window, document]) target.addEventListener("keydown", ({ code }) => heard.push(code), true);
</script>"""
HEARING = PAGE.replace("<title>", f"{HEARS}<title>")
FIRST = "Click or type in the page above: what happens to each gesture is shown here."
TIMEOUT_MS = 20_000


@contextmanager
def open_overlay(browser: Browser, world: World, label: str, page: str = PAGE) -> Iterator[Page]:
    """Open the overlay of the toy site in a browser that resolves the site's name."""
    (condition,) = parse(label, MODES)
    url = serve_site(world, Toy(page), condition, Seeds(0, 0, "toy/x"), with_effects_log=True)
    args = [*(switch for switch in launch_args() if "resolver" not in switch), RESOLVING]
    own = browser.browser_type.launch(executable_path=str(find_browser().path), args=args)
    try:
        tab = own.new_page(viewport={"width": 1280, "height": 800})
        tab.set_default_timeout(TIMEOUT_MS)
        tab.goto(url)
        site(tab).wait_for_load_state()
        yield tab
    finally:
        own.close()


def site(tab: Page) -> Frame:
    return tab.frames[1]


def newest(tab: Page, count: int) -> str:
    """Wait until the panel has `count` lines, and return the newest, which is the first."""
    lines = tab.locator("#lines li:not(.none)")
    expect(lines).to_have_count(count, timeout=TIMEOUT_MS)
    return lines.first.inner_text()


def posts(tab: Page, world: World) -> int:
    """Return how many forms the site has received."""
    served = world.episodes.bindings[urlsplit(tab.url).port or 0].served[0]
    state = world.site_server.database(served.database)
    with state.lock:
        return int(state.connection.execute("SELECT COUNT(*) FROM post").fetchone()[0])


def expect_fresh(tab: Page, world: World) -> None:
    expect(tab.locator("#lines li")).to_have_text([FIRST], timeout=TIMEOUT_MS)
    expect(tab.frame_locator("#site").get_by_role("heading", name="Hello /", exact=True)).to_be_visible()
    assert posts(tab, world) == 0


def test_failure_names_the_swallowed_click_and_a_reset_starts_afresh(browser: Browser, world: World) -> None:
    with open_overlay(browser, world, "failure@5") as tab:

        def clicked(times: int) -> list[tuple[str, int]]:
            clicks = []
            for number in range(times):
                before = posts(tab, world)
                site(tab).get_by_role("button", name="Save it").click()
                text = newest(tab, number + 1)
                site(tab).wait_for_load_state()
                clicks.append((text, posts(tab, world) - before))
            return clicks

        first_clicks = clicked(6)
        for text, sent in first_clicks:
            assert "button 'Save it'" in text
            assert ("swallowed by failure@5" in text, "failure@5 let this click" in text) == (not sent, bool(sent))
        assert {sent for _, sent in first_clicks} == {0, 1}
        tab.get_by_role("button", name="Reset the site").click()
        expect_fresh(tab, world)
        # The reset forgets attempts, so the same clicks get the same draws.
        assert clicked(2) == first_clicks[:2]


def test_remap_names_the_needed_gesture_and_a_reset_starts_afresh(browser: Browser, world: World) -> None:
    with open_overlay(browser, world, "remap@5") as tab:
        button = site(tab).get_by_role("button", name="Save it")
        button.click()
        assert newest(tab, 1) == "remap@5: button 'Save it' needs a double click. A single click only selects it."
        assert posts(tab, world) == 0
        button.dblclick()
        expect(tab.locator("#lines li").first).to_have_text("remap@5: button 'Save it' got its double click.")
        expect(tab.frame_locator("#site").get_by_role("heading", name="Hello /done")).to_be_visible()
        assert posts(tab, world) == 1
        site(tab).locator("body").press("Alt+Shift+KeyR")
        expect_fresh(tab, world)


@pytest.mark.parametrize("label", ["clean", "popup(rate=1)", "failure@5"])
def test_keys_work_in_the_frame_and_the_site_does_not_hear_them(browser: Browser, world: World, label: str) -> None:
    with open_overlay(browser, world, label, HEARING) as tab:
        lines = tab.locator("#lines")
        for path in ("/alpha", "/beta"):
            # This includes an open dialog of a pop-up.
            for hidden in (True, False):
                tab.locator("#site").focus()
                site(tab).evaluate("document.body.focus()")
                tab.keyboard.press("Alt+Shift+KeyO")
                expect(lines).to_be_hidden() if hidden else expect(lines).to_be_visible()
                assert site(tab).evaluate("heard.filter((code) => code.startsWith('Key'))") == []
            tab.keyboard.press("KeyO")
            site(tab).evaluate("(path) => location.assign(path)", path)
            expect(tab.frame_locator("#site").get_by_role("heading", name=f"Hello {path}")).to_be_attached()
            site(tab).wait_for_load_state()
        button = tab.get_by_role("button", name="Hide")
        assert button.get_attribute("title") == button.get_attribute("aria-keyshortcuts") == "Alt+Shift+O"
        button.focus()
        tab.keyboard.press("Alt+Shift+KeyO")
        expect(tab.get_by_role("button", name="Show")).to_be_visible()
