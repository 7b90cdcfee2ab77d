"""A page is settled when it is loaded and idle; it is read after two seconds at the latest."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Page

from scripts.waited import Loading, Recorder, settle
from stressweb.core.errors import InfrastructureError
from stressweb.core.protocol import SETTLE_TIMEOUT_S
from stressweb.runner.browser import loading as loads
from tests.runner.small_site import SmallSite
from tests.support.stand_in_episode import StandInEpisode
from tests.support.waiting import until

pytestmark = pytest.mark.sample(4, "file")

LINKS = """<!DOCTYPE html><body><a id="next" href="/next">Next</a>
<button onclick="fetch('/slow').then((answer) => answer.text()).then((text) => { late.textContent = text })">Fetch</button><p id="late"></p>"""


def test_a_quiet_page_is_settled_after_two_frames(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    assert settle(page, small_site)
    started = time.monotonic()
    assert settle(page, small_site)
    assert time.monotonic() - started < SETTLE_TIMEOUT_S / 4


def test_a_navigation_is_waited_for(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    small_site.pages["/next"] = "<!DOCTYPE html><title>next</title><img src='/picture'>"
    for _ in range(10):
        page.goto(small_site.url)
        page.click("#next", no_wait_after=True)
        assert settle(page, small_site)
        assert page.title() == "next"


def test_a_navigation_from_a_timer_cannot_break_it(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    small_site.pages["/next"] = "<!DOCTYPE html><title>next</title>"
    for delay in range(0, 60, 6):
        page.goto(small_site.url)
        page.evaluate("(delay) => { setTimeout(() => { location.href = '/next' }, delay) }", delay)
        settle(page, small_site)
        page.wait_for_url("**/next")


def test_a_request_of_the_page_is_waited_for(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    loading = Loading(page.context.new_cdp_session(page))
    small_site.pages["/slow"] = "it came"
    small_site.gate.clear()
    page.click("button")
    small_site.open_gate_after(0.3)
    assert settle(page, small_site, loading=loading)
    assert page.inner_text("#late") == "it came"


def test_settling_times_out(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    small_site.gate.clear()
    page.click("button")
    started = time.monotonic()
    assert not settle(page, small_site)
    assert SETTLE_TIMEOUT_S <= time.monotonic() - started < 2 * SETTLE_TIMEOUT_S


def test_a_question_is_answered_as_soon_as_the_page_settles(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    question = "(word) => word + document.readyState"
    assert settle(page, small_site, then=question, argument="it is ") == "it is complete"
    small_site.pages["/next"] = "<!DOCTYPE html><title>next</title>"
    page.click("#next", no_wait_after=True)
    assert settle(page, small_site, then="() => document.title") == "next"


@pytest.mark.parametrize(("frame", "times_asked"), [(16, 1), (300, 1), (1200, 0)])
def test_the_question_runs_once_and_never_late_with_slow_frames(
    show: Callable[[str], Page], small_site: SmallSite, frame: int, times_asked: int
) -> None:
    page = show(LINKS)
    page.evaluate("(frame) => { requestAnimationFrame = (then) => setTimeout(then, frame); asked = 0 }", frame)
    assert settle(page, small_site, then="() => ++asked") == (1 if times_asked else None)
    page.wait_for_timeout(1500)
    assert page.evaluate("asked") == times_asked


class Restless:
    """Traffic with a new request at every check."""

    def __init__(self) -> None:
        self._looks = 0

    def busy(self) -> int:
        return 0

    def started(self) -> int:
        self._looks += 1
        return self._looks


class Navigating(loads.Loading):
    """A tab that is always about to show another page."""

    def navigating(self) -> bool:
        return True


class Leaving(loads.Loading):
    """A tab whose document is about to be replaced."""

    def leaving(self) -> bool:
        return True


class Blind:
    """Traffic that no request has reached yet."""

    def busy(self) -> int:
        return 0

    def started(self) -> int:
        return 0


@pytest.mark.parametrize("how", ["click", "load"])
def test_a_request_of_a_script_is_waited_for_before_the_traffic_knows_of_it(
    show: Callable[[str], Page], small_site: SmallSite, how: str
) -> None:
    small_site.pages["/slow"] = "it came"
    page = show(LINKS)
    loading = Loading(page.context.new_cdp_session(page))
    for _ in range(5):
        small_site.gate.clear()
        if how == "load":
            show(LINKS.replace("<body>", '<body onload="document.querySelector(`button`).click()">'))
        else:
            page.click("button")
        small_site.open_gate_after(0.2)
        assert settle(page, Blind(), loading=loading)
        assert page.inner_text("#late") == "it came"
        page.evaluate("late.textContent = ''")


def test_a_request_that_a_navigation_broke_off_is_forgotten(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    loading = Loading(page.context.new_cdp_session(page))
    small_site.gate.clear()
    page.click("button")
    # The browser reports it soon, and Playwright passes the report on while it waits.
    assert until(loading.busy, lambda: page.wait_for_timeout(5)) == 1
    small_site.pages["/next"] = "<!DOCTYPE html><title>next</title>"
    page.click("#next", no_wait_after=True)
    assert settle(page, Blind(), 20, then="() => document.title", loading=loading) == "next"
    assert (loading.busy(), loading.started()) == (0, 1)


@pytest.mark.parametrize("delay", [0, 10, 20])
def test_timers_after_an_action_are_waited_for(show: Callable[[str], Page], small_site: SmallSite, delay: int) -> None:
    """This holds even if nothing moves meanwhile and the action ended some time before the question."""
    page = show(f"<input oninput='setTimeout(() => {{ window.said = this.value }}, {delay})'>")
    for n in range(10):
        assert settle(page, small_site, 20) is True
        page.fill("input", f"entry {n}")
        page.wait_for_timeout(n)
        assert settle(page, small_site, 20, then="() => said") == f"entry {n}"


def test_one_frame_is_waited_for_and_two_if_something_moves(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show("<p id=p>0</p>")
    page.evaluate("""() => {
      const draw = requestAnimationFrame;
      frames = 0;
      requestAnimationFrame = (then) => draw((...all) => { frames += 1; then(...all); });
    }""")
    assert [settle(page, small_site, 20, then="() => frames") for _ in range(3)] == [1, 2, 3]
    page.evaluate("() => { setInterval(() => { p.textContent = +p.textContent + 1 }, 1) }")
    assert [settle(page, small_site, 20, then="() => frames") for _ in range(3)] == [5, 7, 9]


def test_the_wait_starts_when_a_dialog_closes(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show("<button onclick='confirm(1); setTimeout(() => { window.said = `went on` }, 20)'>Go</button>")

    def accept(dialog: Dialog) -> None:
        page.wait_for_timeout(200)
        dialog.accept()

    page.on("dialog", accept)
    for _ in range(5):
        page.evaluate("said = ''")
        assert settle(page, small_site, 20)
        page.click("button")
        assert settle(page, small_site, 20, then="() => said") == "went on"


class Hasty(Blind):
    """Traffic that counts started requests but never waits for their end."""

    def __init__(self, site: SmallSite) -> None:
        self.started = site.started  # type: ignore[method-assign]


@pytest.mark.parametrize(
    "script", ["document.write('<img src=/picture>')", "fetch('/picture').then(() => (came = true))"]
)
def test_a_page_that_loads_is_read_once(show: Callable[[str], Page], small_site: SmallSite, script: str) -> None:
    """The page may request anything before its load event; it is still read once."""
    page = show(LINKS)
    loading = Loading(page.context.new_cdp_session(page))
    small_site.pages |= {"/picture": "x", "/slow": "0"}
    # The picture is requested after the slow script, when the question has been sent.
    late_page = f"<script src='/slow'></script><script>{script}</script>"
    small_site.pages["/"] = f"<!DOCTYPE html><script>times = 0</script>{late_page}"
    small_site.gate.clear()
    page.goto(small_site.url, wait_until="commit")
    small_site.open_gate_after(0.3)
    assert settle(page, Hasty(small_site), 20, then="() => ++times", loading=loading) == 1
    assert small_site.requests[-1] == "/picture"


@pytest.mark.parametrize("name", ["settled", "read"])
def test_elements_do_not_shadow_cached_values(show: Callable[[str], Page], small_site: SmallSite, name: str) -> None:
    page = show(f"<p id={name}>there</p>")
    recorder = Recorder(StandInEpisode("secret"))
    for _ in range(2):
        text = recorder.settled(page, small_site, 20, measured=False)
        assert text is not None
        assert "there" in text


def test_an_unsettled_page_gives_no_answer(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    assert settle(page, Restless(), patience=0.3) is None
    assert settle(page, small_site, patience=0.3, loading=Navigating()) is None
    assert settle(page, small_site) is True


def test_a_document_about_to_be_replaced_is_not_asked(show: Callable[[str], Page], small_site: SmallSite) -> None:
    page = show(LINKS)
    page.evaluate("asked = 0")
    assert settle(page, small_site, patience=0.3, then="() => ++asked", loading=Leaving()) is None
    assert page.evaluate("asked") == 0


def test_a_mistake_in_the_question_is_ours(show: Callable[[str], Page], small_site: SmallSite) -> None:
    with pytest.raises(InfrastructureError, match="nowhere"):
        settle(show(LINKS), small_site, then="() => nowhere")
