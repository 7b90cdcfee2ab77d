"""Finding the target of an action, and the reasons to refuse a target."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.async_api import ElementHandle, TimeoutError
from playwright.sync_api import Page

from scripts.blocking import blocking
from scripts.waited import Observer, find, perform, state_of
from stressweb.core.errors import InfrastructureError
from stressweb.perception.dom_view import DomView
from stressweb.perception.tree_view import TreeView
from stressweb.plugins.actions import Action, Outcome
from stressweb.runner.browser.actions.target import Ended, Refused, in_time, refusal_for
from tests.support.machine_pace import frames_take

pytestmark = pytest.mark.sample(3, "file")

PAGE = """<!DOCTYPE html><button id="one">Save it</button><button id="two">Save it</button><label for="off" id="label">Off</label>
<input id="off" disabled>"""
FINE = {"connected": True, "disabled": False, "visible": True, "cover": ""}


@pytest.mark.parametrize(
    ("selector", "element_id"),
    [
        ("button", "one"),
        ("#two", "two"),
        ("text=Save it", "one"),
        ('role=button[name="Save it"s] >> nth=1', "two"),
        ('button:has-text("Save") >> nth=1', "two"),
        ("//button[2]", "two"),
    ],
)
def test_the_first_match_of_a_selector_is_found(show: Callable[[str], Page], selector: str, element_id: str) -> None:
    assert find(show(PAGE), selector).get_attribute("id") == element_id


@pytest.mark.parametrize(
    ("selector", "reason"),
    [
        ("#none", "not found"),
        ("role=link", "not found"),
        ("a[", "invalid"),
        ("nothing=like", "invalid"),
        ("role=", "invalid"),
    ],
)
def test_reasons_for_no_target(show: Callable[[str], Page], selector: str, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        find(show(PAGE), selector)
    assert refused.value.outcome.reason == reason
    assert selector in refused.value.outcome.detail


@pytest.mark.parametrize("selector", ["#one", "text=Save it"])
def test_required_states_are_checked_while_finding(show: Callable[[str], Page], selector: str) -> None:
    page = show(PAGE)
    unseen, no_box, no_field = (Outcome(ok=False, reason="invalid", detail=why) for why in ("unseen", "no box", "no"))
    fine = {"visible": unseen, "!disabled": no_box, "!checkable": Outcome(ok=True)}
    assert find(page, selector, None, fine).get_attribute("id") == "one"
    with pytest.raises(Ended) as ended:
        find(page, selector, None, {"visible": unseen, "checkable": no_box, "editable": no_field})
    assert ended.value.outcome == no_box
    with pytest.raises(Ended) as ended:
        find(page, selector, None, {"!visible": Outcome(ok=True)})
    assert ended.value.outcome == Outcome(ok=True)
    with pytest.raises(Refused) as refused:
        find(page, "role=link", None, {"visible": unseen})
    assert refused.value.outcome.reason == "not found"


def test_a_label_is_as_disabled_as_its_field(show: Callable[[str], Page]) -> None:
    page = show(PAGE)
    assert state_of(find(page, "#label"))["disabled"]
    assert not state_of(find(page, "#one"))["disabled"]


@given(st.fixed_dictionaries({key: st.booleans() for key in FINE}))
def test_the_gravest_reason_is_reported(wrong: dict[str, bool]) -> None:
    state: dict[str, Any] = {
        "connected": not wrong["connected"],
        "disabled": wrong["disabled"],
        "visible": not wrong["visible"],
        "cover": "dialog" if wrong["cover"] else "",
    }
    refused = refusal_for(state, "#a")
    reasons = {"connected": "detached", "disabled": "disabled", "visible": "not found", "cover": "covered by"}
    first = next((reasons[key] for key in FINE if wrong[key]), None)
    assert (None if refused is None else refused.outcome.reason) == first


FAR = """<!DOCTYPE html><body style="margin: 0; height: 9000px"><div style="position: fixed; inset: 0; z-index: 1">Wait</div>
<div style="margin: 3000px 0 0 2000px; width: 300px; height: 200px; overflow: auto"><p style="height: 700px">Far</p>
<button id=far>Far</button><p style="height: 700px"></p></div><iframe id=frame style="height: 90px"
srcdoc="<p style='height: 300px'>x</p><button id=inner>Inner</button><p style='height: 300px'>x</p>"></iframe>"""
SCROLLED = """[scrollX, scrollY, ...[document.querySelector("div + div"), frame.contentDocument.documentElement]
    .flatMap((one) => [one.scrollLeft, one.scrollTop])]"""


@blocking
async def clicked(handle: ElementHandle, patience_ms: float) -> Outcome:
    """Try to click a target within a time limit; return the outcome of the refusal."""
    with pytest.raises(Refused) as refused:
        await in_time(handle, "#far", lambda ms: handle.click(timeout=ms), patience_ms)
    return refused.value.outcome


@pytest.mark.parametrize(("selector", "reason"), [("#far", "covered by"), ("#inner", "timed out")])
def test_a_page_is_scrolled_alike_after_however_many_tries(
    show: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch, selector: str, reason: str
) -> None:
    """Playwright scrolls to its target in a different way at each try."""
    frames_take(monkeypatch, 0.03)
    page = show(FAR)
    places = []
    for patience_ms, top in ((500, 0), (700, 4000), (900, 9000), (1500, 1000)):
        page.evaluate("(top) => scrollTo(0, top)", top)
        assert clicked(find(page, selector), patience_ms).reason == reason
        places.append(page.evaluate(SCROLLED))
    assert places == places[:1] * 4
    assert places[0][1] > 2000


@pytest.mark.parametrize("wrong", ["disabled", "style='visibility: hidden'"])
def test_a_page_that_was_not_scrolled_stays_where_it_is(show: Callable[[str], Page], wrong: str) -> None:
    page = show(FAR.replace("<button", f"<button {wrong}"))
    page.evaluate("scrollTo(0, 1000)")
    clicked(find(page, "#far"), 500)
    assert page.evaluate("[scrollX, scrollY]") == [0, 1000]


@blocking
async def attempts(handle: ElementHandle, *logs: str) -> int:
    """Perform an action that times out with each of these logs and then succeeds; return the number of attempts."""
    remaining = list(logs)

    async def act(ms: float) -> None:
        if remaining:
            raise TimeoutError(f"Timeout {ms}ms exceeded.\nCall log:\n{remaining.pop(0)}")

    await in_time(handle, "#one", act)
    return len(logs) - len(remaining) + 1


READY_LOG = "element is visible, enabled and stable"


@pytest.mark.parametrize(("log", "again"), [
    ("waiting for element", True), (f"{READY_LOG}\nscrolling into view if needed\ndone scrolling", True),
    (READY_LOG, False), (f"{READY_LOG}\nscrolling into view if needed\ndone scrolling\nperforming click action", False),
])  # fmt: skip
def test_only_actions_that_did_not_start_are_retried(show: Callable[[str], Page], log: str, again: bool) -> None:
    handle = find(show(PAGE), "#one")
    if again:
        assert attempts(handle, log, log) == 3
    else:
        with pytest.raises(InfrastructureError):
            attempts(handle, log)


DEEP = """<!DOCTYPE html><button id=out>Out</button><x-card><template shadowrootmode=open><button id=in>In</button><slot></slot></template>
<a href=#x id=light>light</a></x-card><div style="transform: translate(20px, 5px)"><iframe style="border: 5px solid; padding: 3px"
srcdoc="<p>x</p><button id=framed onclick='this.textContent = `pressed`'>Framed</button><button>Out</button><input id=field aria-label=Field><select id=list><option>a<option>b</select>
<iframe srcdoc='<button id=deep>Deep</button>'></iframe>"></iframe></div><iframe sandbox srcdoc="<button id=far>Far</button>"></iframe>"""


@pytest.fixture
def deep(show: Callable[[str], Page]) -> Page:
    page = show(DEEP)
    for frame in page.frames:
        frame.wait_for_load_state()
    return page


@pytest.mark.parametrize(
    ("selector", "element_id"),
    [
        ("button", "out"),
        ("#in", "in"),
        ("x-card button", "in"),
        ("x-card > template > button", "in"),
        ("x-card > a", "light"),
        ("#framed", "framed"),
        ("iframe + template frame-body > button", "framed"),
        ("html > body > div > template > frame-html > frame-body > input:nth-of-type(1)", "field"),
        ('[id="deep"]', "deep"),
        ("input:not(:focus)", "field"),
        ("text=Deep", "deep"),
        ('role=button[name="Framed"s]', "framed"),
        ("role=button >> nth=2", "framed"),
    ],
)
def test_selectors_reach_every_part_of_the_recorded_page(deep: Page, selector: str, element_id: str) -> None:
    handle = find(deep, selector)
    assert handle.get_attribute("id") == element_id
    assert refusal_for(state_of(handle), selector) is None
    # A trial click checks that the place is right and not covered.
    handle.click(timeout=2000, trial=True)


@pytest.mark.parametrize("selector", ["#far", "text=Far", "x-card > a > button", "role=button[name=Far]"])
def test_unrecorded_parts_are_not_found(deep: Page, selector: str) -> None:
    with pytest.raises(Refused) as refused:
        find(deep, selector)
    assert refused.value.outcome.reason == "not found"


def test_selectors_of_copy_and_tree_reach_the_page(deep: Page) -> None:
    """The shipped views of observations make the selectors."""
    observed = Observer(frozenset({"boxes", "tree"})).read(deep)
    for view in (DomView(observed), TreeView(replace(observed, boxes=()))):
        for role, name, element_id in (
            ("button", "In", "in"),
            ("button", "Framed", "framed"),
            ("textbox", "Field", "field"),
            ("button", "Deep", "deep"),
            ("link", "light", "light"),
        ):
            [element] = view.find([role], name)
            assert find(deep, view.selector(element)).get_attribute("id") == element_id, view
            if isinstance(view, TreeView):
                continue
            # The coordinates must lead to the same element.
            x, y = view.centre(element)
            hit = """([x, y]) => { let root = document; for (;;) {
              const one = root.elementFromPoint(x, y);
              if (one?.shadowRoot && one.shadowRoot !== root) root = one.shadowRoot;
              else if (one?.contentDocument) {
                const box = one.getBoundingClientRect(), style = getComputedStyle(one);
                x -= box.x + one.clientLeft + parseFloat(style.paddingLeft); y -= box.y + one.clientTop + parseFloat(style.paddingTop);
                root = one.contentDocument;
              } else return one?.id;
            } }"""
            assert deep.evaluate(hit, [x, y]) == element_id
    assert observed.html.count('framedocument="') == 2
    assert "Far" not in observed.tree
    assert perform(deep, Action(kind="FILL", selector="#field", text="typed")).ok
    assert perform(deep, Action(kind="SELECT", selector="#list", option="b")).ok
    assert perform(deep, Action(kind="CLICK", selector="#framed")).ok
    after = DomView(Observer().read(deep))
    assert [after.value(field) for field in after.root.iter("input")] == ["typed"]
    assert [after.chosen(field) for field in after.root.iter("select")] == ["b"]
    assert after.find(["button"], "pressed")
