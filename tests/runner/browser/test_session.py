"""Dialogs, tabs, downloads and uploads from the agent's side: actions, observations and outcomes."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import lxml.html
import pytest
from playwright.sync_api import Browser, BrowserContext, Download
from playwright.sync_api import Error as PlaywrightError

from scripts.waited import BrowserSession
from stressweb.core.browser_program import find_browser, launch_args
from stressweb.core.errors import InfrastructureError
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Dialog, Observation
from stressweb.plugins.offers import Offer
from stressweb.runner.browser.session import EMPTY_PAGE
from tests.runner.small_site import SmallSite

pytestmark = pytest.mark.sample(6, "file")

DIALOGS = """<!DOCTYPE html><html><head><title>Dialogs</title></head><body><p id="said"></p><input id="field">
<button id="alert" onclick="alert('hello'); said.textContent += 'after '">Alert</button>
<button id="confirm" onclick="said.textContent += confirm('Sure?') + ' '">Confirm</button>
<button id="prompt" onclick="said.textContent += prompt('Name?', 'Ann') + ' '">Prompt</button>
<button id="twice" onclick="said.textContent += confirm('One?') + ' '; said.textContent += confirm('Two?') + ' '">Twice</button>
<button id="late" onclick="setTimeout(() => alert('late'), 20)">Late</button>
<a id="next" href="/next">Next</a>
</body></html>"""
TABS = """<!DOCTYPE html><html><head><title>First</title></head><body><p id="said">first</p>
<a id="tab" href="/second" target="_blank">Second</a> <button id="two" onclick="window.open('/second'); window.open('/third')">Two</button>
<a id="file" href="/file" download="report.csv">File</a>
<button id="blob" onclick="const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['12345'])); a.download = 'made.txt'; a.click()">Blob</button>
<label for="up">Choose</label><input id="up" type="file" onchange="up.files[0].text().then((text) => said.textContent = up.files[0].name + ': ' + text)">
<form action="/attached"><button id="get">Get</button></form></body></html>"""
SECOND = """<!DOCTYPE html><title>Second</title><p>second</p><button onclick="window.close()">Close</button>"""

type Open = Callable[..., tuple[BrowserSession, Observation]]


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    new_context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield new_context
    new_context.close()


@pytest.fixture
def opened(context: BrowserContext, small_site: SmallSite) -> Iterator[Open]:
    """Open a document in a new session."""
    sessions: list[BrowserSession] = []

    def _open(
        html: str, wants: frozenset[str] = frozenset(), offers: Sequence[Offer] = ()
    ) -> tuple[BrowserSession, Observation]:
        small_site.pages |= {
            "/": html,
            "/next": "<!DOCTYPE html><title>next</title>",
            "/second": SECOND,
            "/third": "<!DOCTYPE html><title></title>third",
            "/file": "0123456789",
            "/attached": "1234567",
        }
        sessions.append(BrowserSession(context, small_site, wants, offers=offers))
        return sessions[0], sessions[0].start(small_site.url, 5000)

    yield _open
    for session in sessions:
        session.end()


def do(session: BrowserSession, kind: str, **parameters: Any) -> tuple[Outcome, Observation]:
    started = time.monotonic()
    outcome, observation = session.step(Action.model_validate({"kind": kind, **parameters}))
    assert time.monotonic() - started < 4, "an action and the following read take at most two seconds each"
    assert observation.history[-1][1] == outcome
    return outcome, observation


def message_in(observation: Observation) -> str:
    root: lxml.html.HtmlElement = lxml.html.document_fromstring(observation.html)
    (element,) = root.xpath("//*[@id='said']")
    return str(element.text_content()).strip()


def test_a_dialog_is_seen_before_it_is_answered(opened: Open) -> None:
    session, first = opened(DIALOGS, frozenset({"boxes", "tree", "screenshots"}))
    started = time.monotonic()
    outcome, behind = do(session, "CLICK", selector="#alert")
    assert time.monotonic() - started < 0.75, "the action that opens a dialog must not wait for its answer"
    assert outcome == Outcome(ok=True, detail='opened alert "hello"')
    assert behind.dialog == Dialog("alert", "hello")
    assert (behind.html, behind.boxes, behind.tree, behind.screenshots) == (
        first.html,
        first.boxes,
        first.tree,
        first.screenshots,
    )
    outcome, after = do(session, "DIALOG", accept=True)
    assert outcome == Outcome(ok=True)
    assert (after.dialog, message_in(after)) == (None, "after")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("selector", "answer", "expected"),
    [
        ("#confirm", {"accept": True}, "true"),
        ("#confirm", {"accept": False}, "false"),
        ("#confirm", {"accept": True, "text": "no prompt"}, "true"),
        ("#prompt", {"accept": True, "text": "Bo"}, "Bo"),
        ("#prompt", {"accept": True, "text": ""}, ""),
        ("#prompt", {"accept": True}, "Ann"),
        ("#prompt", {"accept": False, "text": "Bo"}, "null"),
    ],
)
def test_answers_to_dialogs(opened: Open, selector: str, answer: dict[str, Any], expected: str) -> None:
    session, _ = opened(DIALOGS)
    do(session, "CLICK", selector=selector)
    assert do(session, "DIALOG", **answer)[0] == Outcome(ok=True)
    assert message_in(do(session, "WAIT", seconds=0)[1]) == expected


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("CLICK", {"selector": "#field"}),
        ("CLICK", {"x": 10, "y": 10}),
        ("FILL", {"selector": "#field", "text": "x"}),
        ("TYPE", {"text": "x"}),
        ("PRESS", {"key": "Enter"}),
        ("NAVIGATE", {"url": "/next"}),
        ("RELOAD", {}),
        ("GO_BACK", {}),
        ("WAIT", {"seconds": 10}),
        ("TAB", {"index": 0}),
        ("CLOSE_TAB", {}),
    ],
)
def test_nothing_else_can_be_done_while_a_dialog_is_open(opened: Open, kind: str, parameters: dict[str, Any]) -> None:
    session, _ = opened(DIALOGS)
    do(session, "CLICK", selector="#confirm")
    outcome, observation = do(session, kind, **parameters)
    assert outcome == Outcome(ok=False, reason="covered by", detail='confirm "Sure?"')
    assert observation.dialog == Dialog("confirm", "Sure?")
    do(session, "DIALOG", accept=True)
    outcome, observation = do(session, "FILL", selector="#field", text="free")
    assert outcome.ok
    assert 'value="free"' in observation.html


def test_without_a_dialog_there_is_nothing_to_answer(opened: Open) -> None:
    session, _ = opened(DIALOGS)
    assert do(session, "DIALOG", accept=True)[0] == Outcome(ok=False, reason="not found", detail="dialog")


@pytest.mark.sample(1)
@pytest.mark.parametrize("gesture", [{"selector": "#twice"}, {"key": "Enter"}, {"x": True}])
def test_one_dialog_after_the_other(opened: Open, gesture: dict[str, Any]) -> None:
    session, first = opened(DIALOGS, frozenset({"boxes"}))
    if "key" in gesture:
        do(session, "PRESS", selector="#twice", key="Enter")
    elif "x" in gesture:
        nodes = lxml.html.document_fromstring(first.html).iter("*")
        box = next(box for node, box in zip(nodes, first.boxes, strict=True) if node.get("id") == "twice")
        assert box is not None
        do(session, "CLICK", x=box[0] + 5, y=box[1] + 5)
    else:
        do(session, "CLICK", **gesture)
    outcome, second = do(session, "DIALOG", accept=True)
    assert outcome == Outcome(ok=True, detail='opened confirm "Two?"')
    assert second.dialog == Dialog("confirm", "Two?")
    assert message_in(do(session, "DIALOG", accept=False)[1]) == "true false"


def test_the_interrupted_action_reports_a_dialog_from_a_timer(opened: Open) -> None:
    session, _ = opened(DIALOGS)
    outcome, observation = do(session, "CLICK", selector="#late")
    assert outcome == Outcome(ok=True, detail='opened alert "late"')
    assert observation.dialog == Dialog("alert", "late")


@pytest.mark.parametrize("action", [{"kind": "CLICK", "selector": "#next"}, {"kind": "PRESS", "key": "a"}])
def test_a_dialog_that_opened_between_steps_covers_the_page(
    opened: Open, context: BrowserContext, action: dict[str, Any]
) -> None:
    session, _ = opened(DIALOGS)
    # Opened through another session, so ours notices it only at the next action.
    cdp = context.new_cdp_session(context.pages[0])
    cdp.send("Runtime.evaluate", {"expression": "setTimeout(() => alert('meanwhile'), 0)"})
    # Waiting for the dialog would also inform our session; one second is enough for a timer of 0.
    time.sleep(1)
    outcome, observation = do(session, action.pop("kind"), **action)
    assert outcome == Outcome(ok=False, reason="covered by", detail='alert "meanwhile"')
    do(session, "DIALOG", accept=True)
    assert do(session, "WAIT", seconds=0)[1].url == observation.url


def test_a_page_may_ask_before_it_is_left(opened: Open) -> None:
    session, _ = opened(DIALOGS + "<script>onbeforeunload = (event) => event.preventDefault()</script>")
    do(session, "CLICK", selector="#field")
    _, observation = do(session, "CLICK", selector="#next")
    assert observation.dialog is not None
    assert observation.dialog.type == "beforeunload"
    _, observation = do(session, "DIALOG", accept=False)
    assert observation.tabs == ("Dialogs",)
    do(session, "NAVIGATE", url="/next")
    _, observation = do(session, "DIALOG", accept=True)
    assert (observation.dialog, observation.tabs) == (None, ("next",))


def test_a_dialog_on_load_hides_the_page(opened: Open) -> None:
    session, observation = opened("<!DOCTYPE html><script>alert('first')</script><p id=said>there")
    assert (observation.html, observation.dialog) == (EMPTY_PAGE, Dialog("alert", "first"))
    assert message_in(do(session, "DIALOG", accept=True)[1]) == "there"


def test_a_session_that_ends_leaves_nothing_open(opened: Open, context: BrowserContext) -> None:
    session, _ = opened(DIALOGS)
    do(session, "CLICK", selector="#twice")
    session.end()
    assert context.pages[0].inner_text("#said") == "false false"


def test_a_new_tab_becomes_current_and_the_agent_can_go_back(opened: Open) -> None:
    session, first = opened(TABS)
    assert (first.tabs, first.tab) == (("First",), 0)
    outcome, second = do(session, "CLICK", selector="#tab")
    assert outcome == Outcome(ok=True, detail="opened tab 1")
    assert (second.tabs, second.tab, second.url[-7:]) == (("First", "Second"), 1, "/second")
    outcome, back = do(session, "TAB", index=0)
    assert outcome == Outcome(ok=True)
    assert (back.tabs, back.tab, message_in(back)) == (("First", "Second"), 0, "first")
    outcome, closed = do(session, "CLOSE_TAB", index=1)
    assert outcome == Outcome(ok=True, detail="closed tab 1")
    assert (closed.tabs, closed.tab) == (("First",), 0)
    assert do(session, "TAB", index=1)[0] == Outcome(ok=False, reason="not found", detail="tab 1")


def test_two_tabs_at_once(opened: Open, small_site: SmallSite) -> None:
    session, _ = opened(TABS)
    outcome, observation = do(session, "CLICK", selector="#two")
    assert outcome.detail == "opened tab 1; opened tab 2"
    assert observation.tab == 2
    assert observation.tabs == ("First", f"{small_site.url}/second", f"{small_site.url}/third")


def test_a_tab_that_closes_itself(opened: Open) -> None:
    session, _ = opened(TABS)
    do(session, "CLICK", selector="#tab")
    outcome, observation = do(session, "CLICK", selector="button")
    assert outcome == Outcome(ok=True, detail="closed tab 1")
    assert (observation.tabs, message_in(observation)) == (("First",), "first")


def test_after_the_last_tab_a_blank_one_opens(opened: Open, small_site: SmallSite) -> None:
    session, _ = opened(TABS)
    outcome, observation = do(session, "CLOSE_TAB")
    assert outcome == Outcome(ok=True, detail="closed tab 0; opened tab 0")
    assert (observation.url, observation.tabs, observation.tab) == ("about:blank", ("about:blank",), 0)
    assert do(session, "NAVIGATE", url=small_site.url)[1].tabs == ("First",)


@pytest.mark.parametrize(
    ("selector", "detail"),
    [("#file", 'downloaded "report.csv", 10 bytes'), ("#blob", 'downloaded "made.txt", 5 bytes')],
)
def test_a_download_is_reported_with_its_size(opened: Open, selector: str, detail: str) -> None:
    session, first = opened(TABS)
    outcome, observation = do(session, "CLICK", selector=selector)
    assert outcome == Outcome(ok=True, detail=detail)
    assert observation.html == first.html


def test_a_downloaded_file_is_deleted_with_its_context(browser: Browser, small_site: SmallSite) -> None:
    context = browser.new_context()
    downloads: list[Download] = []
    context.on("download", lambda download: downloads.extend([download]))
    small_site.pages |= {"/": TABS, "/file": "0123456789"}
    session = BrowserSession(context, small_site)
    session.start(small_site.url, 5000)
    do(session, "CLICK", selector="#file")
    (path,) = (download.path() for download in downloads)
    assert path.read_text() == "0123456789"
    context.close()
    assert not path.exists()


def test_a_url_that_is_a_download_leaves_the_page(opened: Open, small_site: SmallSite) -> None:
    session, first = opened(TABS)
    outcome, observation = do(session, "NAVIGATE", url="/attached")
    assert outcome == Outcome(ok=True, detail='downloaded "attached.html", 7 bytes')
    assert observation.html == first.html


def test_an_upload_is_read_by_the_page(opened: Open) -> None:
    session, _ = opened(TABS, offers=[Offer(name="ünï.txt", text="some – text"), Offer(name="b.txt", text="")])
    do(session, "UPLOAD", selector="#up", files=["ünï.txt"])
    _, observation = do(session, "WAIT", seconds=0)
    assert message_in(observation) == "ünï.txt: some – text"
    assert 'value="ünï.txt"' in observation.html
    outcome, _ = do(session, "UPLOAD", selector="#up", files=["c.txt"])
    assert outcome == Outcome(ok=False, reason="invalid", detail='file "c.txt"; choose from "ünï.txt", "b.txt"')


@pytest.mark.parametrize("selector", ["#up", "label"])
def test_a_click_on_a_file_field_opens_nothing_that_stays(opened: Open, selector: str) -> None:
    """A person would see a file chooser, which is no part of the page and closes without a choice."""
    session, first = opened(TABS, offers=[Offer(name="a.txt", text="x")])
    outcome, observation = do(session, "CLICK", selector=selector)
    assert outcome == Outcome(ok=True)
    assert observation.html == first.html
    assert do(session, "UPLOAD", selector=selector, files=["a.txt"])[0] == Outcome(ok=True)
    assert message_in(do(session, "WAIT", seconds=0)[1]) == "a.txt: x"


def test_a_form_whose_answer_is_a_download_leaves_the_page(opened: Open) -> None:
    session, first = opened(TABS)
    outcome, observation = do(session, "CLICK", selector="#get")
    assert outcome == Outcome(ok=True, detail='downloaded "attached.html", 7 bytes')
    assert observation.html == first.html


def test_a_closed_browser_is_no_closed_tab(browser: Browser, small_site: SmallSite) -> None:
    second_browser = browser.browser_type.launch(executable_path=str(find_browser().path), args=launch_args())
    small_site.pages["/"] = TABS
    session = BrowserSession(second_browser.new_context(), small_site)
    session.start(small_site.url, 5000)
    second_browser.close()
    with pytest.raises(InfrastructureError, match="the browser closed or crashed"):
        do(session, "CLICK", selector="#tab")


def test_a_crashed_page_is_not_the_agents_failure(opened: Open, context: BrowserContext) -> None:
    session, _ = opened(TABS)
    page = context.pages[0]
    with page.expect_event("crash"), contextlib.suppress(PlaywrightError):
        page.goto("chrome://crash")
    with pytest.raises(InfrastructureError):
        do(session, "CLICK", selector="#tab")


HELD = """<!DOCTYPE html><style>body { margin: 0 } button { position: absolute; left: 0; top: 100px; width: 200px; height: 60px }</style>
<p id="said"></p><button EVENT="if (event.buttons && !window.told) { window.told = 1; alert('held') }">Drag me</button>
<script>
  for (const kind of ["pointermove", "pointerup"])
    addEventListener(kind, (event) => { said.textContent = kind + " " + event.buttons + " at " + event.clientX; });
</script>"""

UP = "<script>addEventListener('pointerup', () => alert('dropped'))</script>"


@pytest.mark.parametrize(
    ("event", "kind"), [("onpointerdown", "DRAG"), ("onpointermove", "DRAG"), ("onpointerdown", "CLICK")]
)
def test_no_button_stays_down_when_a_dialog_interrupts(opened: Open, event: str, kind: str) -> None:
    session, _ = opened(HELD.replace("EVENT", event))
    outcome, seen = do(session, kind, x=20, y=120, **({"to_x": 20, "to_y": 600} if kind == "DRAG" else {}))
    assert (outcome.ok, seen.dialog) == (True, Dialog("alert", "held"))
    _, seen = do(session, "DIALOG", accept=True)
    if kind == "DRAG":
        assert message_in(seen).startswith("pointerup 0 at 2")
    _, seen = do(session, "HOVER", x=400, y=400)
    assert message_in(seen) == "pointermove 0 at 400"


def test_a_dialog_of_a_drop_releases_no_button_twice(opened: Open) -> None:
    session, _ = opened(HELD.replace("EVENT", "title").replace("said.textContent =", "said.textContent +=") + UP)
    _, seen = do(session, "DRAG", x=20, y=120, to_x=20, to_y=600)
    assert seen.dialog == Dialog("alert", "dropped")
    _, seen = do(session, "DIALOG", accept=True)
    assert message_in(seen).count("pointerup") == 1
