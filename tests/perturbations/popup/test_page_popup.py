"""popup.js: which dialogs open, which answers continue, what happens to the held action, and hostile pages."""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Frame, Page, expect
from scipy import stats

from scripts.waited import Observer, Recorder, perform
from stressweb.core.draws import Seeds
from stressweb.core.page_draws import Pair
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.perturbations.popup.dialogs import Dialog, catalogue
from stressweb.perturbations.popup.rule import PopupRule
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Brief
from stressweb.plugins.perturbation import Perturbation
from stressweb.plugins.perturbation import Stage as ModeStage
from stressweb.plugins.rule import Control, Narrowing, Rule
from stressweb.runner.agents import make
from tests.examples import examples
from tests.perturbations.drawn_keys import KEYS, PAIRS, units
from tests.perturbations.script_rules import SPOILT, script_rule
from tests.support.next_action import next_action
from tests.support.served import READ, WORDS, Report, Served, Stage, failure, popup, remap
from tests.support.stand_in_episode import StandInEpisode
from tests.support.tabs import Set, routed
from tests.support.toy_steps import STEPS, WANTED

SAVE = "toy / button Save it /do #1"
AGREE = "toy / checkbox Agree /do #1"
ALPHA = "toy / link Alpha page /alpha #1"
LOAD = "page /"
PLACE = "toy /"
HELD = "<!DOCTYPE html><html><head></head><body>{}</body></html>"
EMPTY = "name=&day=&size=one&note="
KINDS = [kind.kind for kind in catalogue().kinds]


def seeded(stress: int, rate: float = 1, **others: object) -> PopupRule:
    return popup(rate, Seeds(0, stress, "toy/x"), **others)


def dialog_of(rule: PopupRule, about: str, attempt: int) -> Dialog:
    """Return the dialog of an attempt at a control, by key, or of a load of the first page."""
    return rule.dialog(None if about == LOAD else Control.of(about), PLACE, attempt)


def meets(rule: PopupRule, about: str, attempt: int) -> bool:
    """Return whether an attempt, or a load, opens a dialog."""
    return rule.meets(None if about == LOAD else Control.of(about), PLACE, attempt)


def classes(stress: int) -> list[bool]:
    """Return whether loads of the first page, and of the pages behind it, open dialogs."""
    return [seeded(stress).on_load(f"toy /{path}") for path in ("", "done", "alpha")]


# No dialogs on the loads of the pages behind the first one.
ON_PRESS = [n for n in range(1200) if classes(n) == [False, False, False]]
ON_LOAD = [n for n in range(400) if classes(n) == [True, False, False]]
PRESSED, LOADED = seeded(ON_PRESS[0]), seeded(ON_LOAD[0])


def of_kind(kind: str, key: str = SAVE, side: tuple[str, ...] = ()) -> PopupRule:
    """Return a rule by which the first press on a control opens a dialog of a kind, with the button rules of `side`."""
    return next(
        rule
        for rule in map(seeded, ON_PRESS)
        for shown_dialog in [dialog_of(rule, key, 0)]
        if shown_dialog.kind == kind
        and (not side or {button_rule for _, button_rule in shown_dialog.buttons} == {*side})
    )


def fill_in(page: Page | Frame, shown_dialog: Dialog) -> None:
    """Fill in the fields of a dialog correctly."""
    inside = page.locator("dialog")
    if shown_dialog.word:
        inside.get_by_label(shown_dialog.field).fill(shown_dialog.word)
    if shown_dialog.choices:
        inside.get_by_label(shown_dialog.choices[0]).check()


def press(page: Page | Frame, label: str) -> None:
    page.locator("dialog").get_by_role("button", name=label, exact=True).click()


def answer(page: Page | Frame, shown_dialog: Dialog) -> None:
    """Answer a dialog correctly."""
    fill_in(page, shown_dialog)
    press(page, shown_dialog.right[0])


def is_open(page: Page) -> None:
    expect(page.locator("dialog[open]")).to_be_visible()


def is_closed(page: Page) -> None:
    expect(page.locator("dialog")).to_have_count(0)


def events(toy: Stage) -> list[tuple[str, str, object]]:
    return [(report.about, report.event, report.value) for report in toy.reports]


def wrong_answers(shown_dialog: Dialog) -> Iterator[Callable[[Page], None]]:
    """Yield every way to answer a dialog wrongly."""
    yield lambda page: page.keyboard.press("Escape")
    for label, rule in shown_dialog.buttons:
        if rule != "go":
            yield lambda page, label=label: press(page, label)  # type: ignore[misc]
    for label, rule in shown_dialog.buttons:
        if shown_dialog.field and rule in ("mail", "word"):

            def fill_nonsense(page: Page, label: str = label) -> None:
                page.locator("dialog").get_by_label(shown_dialog.field).fill("nonsense")
                press(page, label)

            yield fill_nonsense


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_the_right_answer_lets_the_action_through_once(stage: Set, kind: str) -> None:
    rule = of_kind(kind)
    toy = stage(rule)
    toy.page.fill("#name", "Ada")
    toy.page.click("#save")
    is_open(toy.page)
    assert toy.posts == []
    assert events(toy) == [(SAVE, "hit", 0)]
    answer(toy.page, dialog_of(rule, SAVE, 0))
    toy.arrived()
    assert toy.posts == ["name=Ada&day=&size=one&note="]
    assert events(toy) == [(SAVE, "hit", 0), (SAVE, "passed", 0)]


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_answer_drops_the_action_and_says_so(stage: Set, kind: str) -> None:
    rule = of_kind(kind)
    shown_dialog = dialog_of(rule, SAVE, 0)
    for wrong in wrong_answers(shown_dialog):
        toy = stage(rule)
        markup = toy.markup()
        toy.page.click("#save")
        is_open(toy.page)
        wrong(toy.page)
        is_closed(toy.page)
        cue = toy.page.get_by_role("status")
        expect(cue).to_have_text(shown_dialog.cue)
        # The message lets pointer events through, so that elements below stay reachable.
        box = cue.bounding_box()
        assert box is not None
        under = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        assert toy.page.evaluate("([x, y]) => document.elementFromPoint(x, y).role", under) is None
        toy.page.mouse.click(2, 2)
        expect(cue).to_have_count(0)
        assert toy.posts == []
        assert events(toy) == [(SAVE, "hit", 0)]
        assert toy.markup() == markup


@pytest.mark.sample(6, "presses")
class TestAnswers:
    """Which user actions answer a dialog."""

    def test_all_right_buttons_go_on(self, stage: Set) -> None:
        rule = next(rule for rule in map(seeded, ON_PRESS) if len(dialog_of(rule, SAVE, 0).right) == 2)
        for label in dialog_of(rule, SAVE, 0).right:
            toy = stage(rule)
            toy.page.click("#save")
            press(toy.page, label)
            toy.arrived()
            assert toy.posts == [EMPTY]

    def test_a_good_address_goes_on_too(self, stage: Set) -> None:
        rule = of_kind("newsletter", side=("mail", "go"))
        toy = stage(rule)
        toy.page.click("#save")
        toy.page.locator("dialog input").fill(" ada@example.org ")
        press(toy.page, next(label for label, button_rule in dialog_of(rule, SAVE, 0).buttons if button_rule == "mail"))
        toy.arrived()
        assert toy.posts == [EMPTY]

    def test_enter_in_the_field_sends_the_word(self, stage: Set) -> None:
        rule = of_kind("check")
        toy = stage(rule)
        toy.page.click("#save")
        toy.page.locator("dialog input").fill(f" {dialog_of(rule, SAVE, 0).word.upper()} ")
        toy.page.locator("dialog input").press("Enter")
        toy.arrived()
        assert toy.posts == [EMPTY]

    def test_a_key_that_is_held_down_answers_nothing(self, stage: Set) -> None:
        """Its repeats go to the focused button of the dialog."""
        toy = stage(of_kind("terms"))
        toy.page.focus("#save")
        for _ in range(3):
            toy.page.keyboard.down("Enter")
        toy.page.keyboard.up("Enter")
        is_open(toy.page)
        assert toy.posts == []
        assert events(toy) == [(SAVE, "hit", 0)]
        toy.page.keyboard.press("Enter")
        toy.page.wait_for_function("!document.querySelector('dialog')")

    def test_a_double_click_that_acts_opens_one_and_answers_nothing(self, stage: Set) -> None:
        """Even if a button of the dialog is under the pointer: the second click is not meant for it."""
        rule = next(candidate for candidate in map(seeded, ON_PRESS) if dialog_of(candidate, BARE, 0).place == "centre")
        toy = stage(rule, html=HELD.format(BROAD))
        toy.page.click("#save")
        button = toy.page.locator("dialog button").first.bounding_box()
        assert button is not None
        toy.page.reload()
        # The same dialog has the same size. The count continues over a reload, so it is reset.
        toy.served.texts.clear()
        toy.page.reload()
        toy.page.mouse.dblclick(button["x"] + 9, button["y"] + 9)
        is_open(toy.page)
        assert toy.page.locator("dialog button").first.bounding_box() == button
        assert toy.posts == []
        assert events(toy) == [(BARE, "hit", 0)]

    def test_a_double_click_on_a_remapped_control_opens_one(self, stage: Set) -> None:
        toy = stage(remap(), PRESSED)
        toy.page.dblclick("#save")
        is_open(toy.page)
        answer(toy.page, dialog_of(PRESSED, SAVE, 0))
        toy.arrived()
        assert toy.posts == [EMPTY]

    def test_what_remap_or_failure_swallowed_shows_none(self, stage: Set) -> None:
        for swallowing in (remap(), failure()):
            toy = stage(swallowing, PRESSED)
            toy.page.click("#save")
            toy.read()
            is_closed(toy.page)
            assert {report.mode for report in toy.reports} == {swallowing.mode}

    def test_the_browser_cannot_close_it(self, stage: Set) -> None:
        """Neither a second Escape nor a script of the page that closes all dialogs does."""
        toy = stage(LOADED)
        for _ in range(3):
            toy.page.evaluate("document.querySelector('dialog').requestClose()")
            expect(toy.page.locator("dialog [role=status]")).to_have_text(dialog_of(LOADED, LOAD, 0).stays)
            toy.page.evaluate("document.querySelector('dialog').close()")
            is_open(toy.page)
        assert toy.page.evaluate("document.querySelector('dialog').matches(':modal')")

    def test_the_rest_of_the_page_is_out_of_reach(self, stage: Set) -> None:
        toy = stage(of_kind("consent"))
        toy.page.click("#save")
        is_open(toy.page)
        assert toy.page.evaluate("document.elementFromPoint(4, 4).localName") == "dialog"
        toy.page.evaluate("document.querySelector('#save').click()")
        toy.page.evaluate("document.forms[0].requestSubmit()")
        toy.read()
        assert toy.posts == []
        assert len(toy.reports) == 1
        for button in toy.page.locator("dialog button").all():
            box = button.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 24


BARE = "toy / button Save it  #1"
BROAD = "<button id=save style='position:fixed;inset:0;width:100%'>Save it</button>"
PRESSES: list[tuple[str, Callable[[Page], object], str]] = [
    ("key", lambda page: page.press("#save", "Enter"), SAVE),
    ("space", lambda page: page.press("#save", "Space"), SAVE),
    ("implicit", lambda page: page.press("#name", "Enter"), SAVE),
    ("script", lambda page: page.evaluate("document.querySelector('#save').click()"), SAVE),
    ("submit", lambda page: page.evaluate("document.forms[0].requestSubmit()"), SAVE),
    ("bare", lambda page: page.press("[name=word]", "Enter"), "toy / button   #1"),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("act", "key"), [case[1:] for case in PRESSES], ids=[case[0] for case in PRESSES])
def test_every_path_meets_one_dialog_and_is_sent_once(stage: Set, act: Callable[[Page], object], key: str) -> None:
    toy = stage(PRESSED)
    act(toy.page)
    is_open(toy.page)
    answer(toy.page, dialog_of(PRESSED, key, 0))
    toy.arrived()
    assert len(toy.posts) == 1
    assert events(toy) == [(key, "hit", 0), (key, "passed", 0)]


@pytest.mark.sample(3, "again")
class TestAgain:
    """The held action is performed unchanged."""

    @pytest.mark.parametrize("target", ["[name=agree]", "label:has(input)"])
    def test_a_box_is_ticked_by_itself_and_by_its_label(self, stage: Set, target: str) -> None:
        toy = stage(PRESSED)
        toy.page.click(target, position=WORDS.get(target))
        is_open(toy.page)
        assert not toy.page.is_checked("[name=agree]")
        answer(toy.page, dialog_of(PRESSED, AGREE, 0))
        assert toy.page.is_checked("[name=agree]")
        assert events(toy) == [(AGREE, "hit", 0), (AGREE, "passed", 0)]

    @pytest.mark.parametrize("options", [{"modifiers": ["Control"]}, {"button": "middle"}, {"modifiers": ["Shift"]}])
    def test_modifiers_and_buttons_are_kept(self, stage: Set, options: dict[str, object]) -> None:
        toy = stage(PRESSED)
        toy.page.click("text=Alpha page", **options)  # type: ignore[arg-type]
        is_open(toy.page)
        with toy.page.context.expect_page() as opened:
            answer(toy.page, dialog_of(PRESSED, ALPHA, 0))
        opened.value.wait_for_url("**/alpha")
        assert toy.page.url == toy.served.base

    def test_the_submitter_is_kept(self, stage: Set) -> None:
        two = (
            "<form method=post action=/do><button name=a value=1>One</button><button name=a value=2>Two</button></form>"
        )
        toy = stage(PRESSED, html=HELD.format(two))
        toy.page.click("text=Two")
        answer(toy.page, dialog_of(PRESSED, "toy / button Two /do #1", 0))
        toy.arrived()
        assert toy.posts == ["a=2"]

    def test_handlers_see_the_action_once_and_nothing_of_the_dialog(self, stage: Set) -> None:
        """Even by listeners on the window, in the capturing phase, for all events."""
        key = "toy / button Save it  #1"
        rule = next(candidate for candidate in map(seeded, ON_PRESS) if dialog_of(candidate, key, 0).kind == "check")
        toy = stage(
            rule, html=HELD.format("<button id=save onclick='done += 1'>Save it</button><script>done = 0</script>")
        )
        toy.page.click("#save")
        is_open(toy.page)
        toy.page.evaluate(SEES_ALL)
        fill_in(toy.page, dialog_of(rule, key, 0))
        toy.page.locator("dialog p").first.click()
        toy.page.mouse.click(4, 4)
        # A key goes to the page where no element has the focus.
        toy.page.evaluate("document.activeElement.blur()")
        toy.page.keyboard.press("x")
        assert toy.page.evaluate("seen") == []
        press(toy.page, dialog_of(rule, key, 0).right[0])
        assert toy.page.evaluate("done") == 1
        clicks = toy.page.evaluate("seen.filter(([type]) => type === 'click')")
        assert clicks == [["click", "save", 1]]

    def test_a_press_in_a_shadow_root(self, stage: Set) -> None:
        inner = '<div><template shadowrootmode="open"><button onclick="done += 1">Go</button></template></div>'
        toy = stage(PRESSED, html=HELD.format(inner + "<script>done = 0</script>"))
        toy.page.click("text=Go")
        is_open(toy.page)
        assert toy.page.evaluate("done") == 0
        answer(toy.page, dialog_of(PRESSED, "toy / button Go  #1", 0))
        assert toy.page.evaluate("done") == 1


SEES_ALL = """() => {
  window.seen = [];
  const types = new Set(["toggle", "beforetoggle", "cancel", "close"]);
  // The raw moves of a pointer come only if somebody asks for them, so that nobody of ours does.
  for (const target of [window, document, document.body]) for (const name in target) {
    if (name.startsWith("on") && !/rawupdate|unload|pagehide|resize|fullscreen/.test(name)) types.add(name.slice(2));
  }
  for (const type of [...types, "focusin", "focusout", "compositionstart"]) {
    window.addEventListener(type, (event) => event.target !== window && event.target !== document && seen.push([event.type, event.target.id ?? "", event.detail]), true);
  }
}"""


@pytest.mark.sample(2, "entries")
class TestWhatMeetsNone:
    """An entry, a page of the other class, a rate of 0."""

    def test_an_entry(self, stage: Set) -> None:
        toy = stage(PRESSED)
        toy.page.fill("#name", "Ada")
        toy.page.select_option("#size", label="two")
        toy.page.click("textarea")
        is_closed(toy.page)
        assert toy.reports == []

    def test_a_list_that_a_script_draws(self, stage: Set) -> None:
        """It has the role of a field, so a click on it is an entry."""
        toy = stage(PRESSED, html=HELD.format("<div role=combobox tabindex=0 onclick='this.textContent=1'>x</div>"))
        toy.page.click("[role=combobox]")
        assert toy.page.inner_text("[role=combobox]") == "1"
        assert toy.reports == []

    def test_a_press_on_a_page_whose_loads_open_dialogs(self, stage: Set) -> None:
        toy = stage(seeded(ON_LOAD[0], 0.0001))
        toy.page.click("[name=agree]")
        assert toy.page.is_checked("[name=agree]")
        assert toy.reports == []

    def test_rate_zero(self, stage: Set) -> None:
        for stress in (ON_PRESS[0], ON_LOAD[0]):
            toy = stage(seeded(stress, 0))
            toy.page.click("[name=agree]")
            toy.read()
            assert toy.page.is_checked("[name=agree]")
            assert toy.reports == []

    def test_a_press_that_is_not_drawn_is_counted_and_passes(self, stage: Set) -> None:
        """The next press has another draw, also after a reload."""
        rule = next(
            rule
            for rule in (seeded(n, 0.35) for n in ON_PRESS)
            if [meets(rule, AGREE, attempt) for attempt in range(3)] == [False, False, True]
        )
        toy = stage(rule)
        toy.page.click("[name=agree]")
        assert toy.page.is_checked("[name=agree]")
        toy.page.reload()
        toy.page.click("[name=agree]")
        is_closed(toy.page)
        toy.page.click("[name=agree]")
        is_open(toy.page)
        assert events(toy) == [(AGREE, "clear", 0), (AGREE, "clear", 1), (AGREE, "hit", 2)]


@pytest.mark.sample(2, "loads")
class TestLoads:
    """A dialog that the load of a page opens."""

    def test_a_wrong_answer_leaves_it_open_and_says_so(self, stage: Set) -> None:
        toy = stage(LOADED)
        shown_dialog = dialog_of(LOADED, LOAD, 0)
        for wrong in wrong_answers(shown_dialog):
            is_open(toy.page)
            wrong(toy.page)
            expect(toy.page.locator("dialog [role=status]")).to_have_text(shown_dialog.stays)
        is_open(toy.page)
        assert events(toy) == [(LOAD, "hit", 0)]

    def test_the_right_answer_frees_the_page(self, stage: Set) -> None:
        toy = stage(LOADED)
        is_open(toy.page)
        answer(toy.page, dialog_of(LOADED, LOAD, 0))
        is_closed(toy.page)
        assert events(toy) == [(LOAD, "hit", 0), (LOAD, "passed", 0)]
        toy.page.click("#save")
        toy.arrived()
        assert toy.posts == [EMPTY]

    def test_loads_are_counted_over_reloads(self, stage: Set) -> None:
        """Each load of a template has a draw of its own, the same in every run of the cell."""
        rule = next(
            rule
            for rule in (seeded(n, 0.5) for n in ON_LOAD)
            if [meets(rule, LOAD, load) for load in range(4)] == [True, False, False, True]
        )
        toy = stage(rule)
        headings = []
        for _ in range(4):
            headings += toy.page.locator("dialog h2").all_inner_texts()
            toy.page.reload()
        assert events(toy) == [(LOAD, "hit", load) for load in range(5) if meets(rule, LOAD, load)]
        assert headings == [dialog_of(rule, LOAD, load).heading for load in (0, 3)]

    def test_only_the_load_of_the_document_counts(self, stage: Set) -> None:
        """Pictures and frames fire `load` as well, and a page may dispatch one itself."""
        # A picture loads before its page.
        seen = "early += document.querySelectorAll('dialog').length"
        picture = f"<img onload=\"{seen}\" src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC'>"
        fake_load = "for (const target of [window, document]) target.dispatchEvent(new Event('load', {bubbles: true}));"
        toy = stage(LOADED, html=HELD.format(f"<script>early = 0</script>{picture}<script>{fake_load}{seen}</script>"))
        assert toy.page.evaluate("early") == 0
        answer(toy.page, dialog_of(LOADED, LOAD, 0))
        toy.page.evaluate(fake_load)
        toy.page.evaluate("document.body.append(new Image(), document.createElement('iframe'))")
        toy.page.evaluate(OPENED_ANEW)
        is_closed(toy.page)
        assert events(toy) == [(LOAD, "hit", 0), (LOAD, "passed", 0)]


FRAME = "<iframe style='border: 0; width: 600px; height: {}px' {}></iframe>"
INNER = "<!DOCTYPE html><button onclick=top.n++>Save it</button>"
PART = "toy /~"


@pytest.mark.parametrize(("high", "opens"), [(40, False), (120, False), (240, True)])
def test_none_opens_in_a_frame_that_has_no_room_for_it(stage: Set, high: int, opens: bool) -> None:
    """It could not be read or answered there, and the held action could never be performed."""
    rule = next(candidate for candidate in map(seeded, ON_PRESS) if not candidate.on_load(PART))
    toy = stage(rule, html=HELD.format("<script>n = 0</script>" + FRAME.format(high, f'srcdoc="{INNER}"')))
    frame = toy.page.frames[1]
    frame.get_by_role("button", name="Save it").click()
    expect(frame.locator("dialog")).to_have_count(int(opens))
    [(about, event, _)] = events(toy)
    assert event == ("hit" if opens else "clear")
    if opens:
        answer(frame, dialog_of(rule, about, 0))
    assert toy.page.evaluate("n") == 1


def test_the_load_of_a_part_of_a_page_opens_none(stage: Set) -> None:
    """The ledger has no name for such a load, and whether the script runs before it depends on timing."""
    rule = next(candidate for candidate in map(seeded, ON_PRESS) if candidate.on_load(PART))
    slow = "<!DOCTYPE html><link rel=stylesheet href=/slow.css><p>inner</p>"
    toy = stage(rule, html=HELD.format(FRAME.format(400, f'srcdoc="{slow}"')))
    toy.page.frames[1].wait_for_load_state()
    toy.page.wait_for_timeout(200)
    assert toy.page.frames[1].locator("dialog").count() == 0
    assert events(toy) == []


# The picture delays the load until a listener is registered again.
OPENED_ANEW = """() => new Promise((done) => {
  document.open();
  addEventListener("load", done);
  document.write("<p>anew<img src='data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC'>");
  document.close();
})"""


@pytest.mark.sample(2, "narrowing")
class TestNarrowing:
    """In a search for the cause of a failure, only some presses and loads may be interrupted."""

    def test_only_these_presses(self, stage: Set) -> None:
        allowed = Narrowing(others=False, controls={AGREE: (True, [1])})
        toy = stage(seeded(ON_PRESS[0], allowed=allowed))
        toy.page.click("[name=agree]")
        assert toy.page.is_checked("[name=agree]")
        toy.page.click("[name=agree]")
        is_open(toy.page)
        toy.page.keyboard.press("Escape")
        toy.page.click("#save")
        toy.arrived()
        assert events(toy) == [(AGREE, "clear", 0), (AGREE, "hit", 1), (SAVE, "clear", 0)]

    def test_loads(self, stage: Set) -> None:
        toy = stage(seeded(ON_LOAD[0], allowed=Narrowing(others=True, controls={LOAD: (False, [0])})))
        is_closed(toy.page)
        toy.page.reload()
        is_open(toy.page)
        assert events(toy) == [(LOAD, "hit", 1)]


@pytest.mark.sample(2, "delivered")
class TestDelivered:
    """A hit is reported if a person sees the dialog, and only then."""

    @pytest.mark.parametrize(
        "css",
        [
            "dialog { display: none !important }",
            "dialog { visibility: hidden !important }",
            "dialog { opacity: 0 !important }",
            "dialog { left: -9000px !important; right: auto !important }",
            "dialog button { display: none !important }",
            "html { display: none }",
        ],
    )
    def test_what_a_page_hides_stands_in_no_ones_way(self, stage: Set, css: str) -> None:
        toy = stage(PRESSED, html=HELD.format(f"<style>{css}</style><input type=checkbox aria-label=Agree>"))
        toy.page.evaluate("document.querySelector('input').click()")
        assert toy.page.evaluate("document.querySelector('input').checked")
        assert events(toy) == [("toy / checkbox Agree  #1", "clear", 0)]
        is_closed(toy.page)

    def test_a_body_that_shows_something_else(self, stage: Set) -> None:
        """The children of a body with a shadow root are not drawn; then the dialog is placed beside the body."""
        script = "<script>document.body.attachShadow({mode: 'open'}).innerHTML = '<button>Go</button>'</script>"
        toy = stage(PRESSED, html=HELD.format(script))
        toy.page.click("text=Go")
        is_open(toy.page)
        assert events(toy) == [("toy / button Go  #1", "hit", 0)]

    def test_a_page_that_draws_itself_anew_keeps_it(self, stage: Set) -> None:
        toy = stage(LOADED)
        for _ in range(3):
            toy.page.evaluate("document.body.outerHTML = '<body><p>anew</p></body>'")
            is_open(toy.page)
        answer(toy.page, dialog_of(LOADED, LOAD, 0))
        is_closed(toy.page)
        assert [event for _, event, _ in events(toy)] == ["hit", "passed"]

    def test_a_page_that_takes_it_away_for_ever_is_not_blocked(self, stage: Set) -> None:
        toy = stage(PRESSED)
        toy.page.evaluate(
            "new MutationObserver(() => document.querySelector('dialog')?.remove()).observe(document.body, {childList: true})"
        )
        toy.page.click("[name=agree]")
        for _ in range(6):
            toy.page.evaluate("document.querySelector('[name=word]').form.requestSubmit()")
        expect(toy.page.locator("dialog")).to_have_count(0)
        assert [event for _, event, _ in events(toy)].count("hit") >= 2


@pytest.mark.sample(2, "hostile")
class TestHostile:
    """No page can prevent a dialog: neither by its policy, nor by replaced browser functions, nor by `document.open()`."""

    POLICY = "default-src 'none'; script-src 'nonce-ours'; style-src 'none'; form-action 'self'; require-trusted-types-for 'script'"

    def test_a_strict_policy(self, stage: Set) -> None:
        toy = stage(PRESSED, policy=self.POLICY)
        problems: list[str] = []
        toy.page.on("console", lambda message: problems.append(message.text))
        toy.page.click("#save")
        is_open(toy.page)
        box = toy.page.locator("dialog").bounding_box()
        assert box is not None
        assert box["width"] == dialog_of(PRESSED, SAVE, 0).width
        answer(toy.page, dialog_of(PRESSED, SAVE, 0))
        toy.arrived()
        assert problems == []

    @pytest.mark.parametrize("kind", ["consent", "survey", "check"])
    def test_a_page_that_has_spoilt_everything(self, stage: Set, kind: str) -> None:
        rule = of_kind(kind)
        expected_dialog = dialog_of(rule, SAVE, 0)
        toy = stage(rule)
        toy.measure("#save")
        toy.page.evaluate(KEEP_TEXT)
        toy.page.evaluate(SPOILT)
        assert toy.evaluated(f"({SPOILT_DIALOGS})()") is None
        toy.page.mouse.click(*toy.middles["#save"])
        page_text = toy.evaluated("bodyText()")
        assert expected_dialog.heading in page_text
        assert expected_dialog.text in page_text
        assert toy.evaluated("seen.join()") == ""
        toy.page.keyboard.press("Escape")
        assert events(toy) == [(SAVE, "hit", 0)]
        assert expected_dialog.cue in toy.evaluated("bodyText()")
        assert toy.evaluated("seen.join()") == ""

    def test_a_document_that_is_opened_anew(self, stage: Set) -> None:
        toy = stage(PRESSED)
        toy.page.evaluate("document.open(); document.write('<button>Go</button>'); document.close()")
        toy.page.evaluate("window.done = 0; document.querySelector('button').onclick = () => (done += 1)")
        toy.page.click("text=Go")
        is_open(toy.page)
        toy.page.evaluate("document.open(); document.write('<body><button>Go</button></body>'); document.close()")
        is_open(toy.page)
        answer(toy.page, dialog_of(PRESSED, "toy / button Go  #1", 0))
        is_closed(toy.page)
        assert [event for _, event, _ in events(toy)] == ["hit", "passed"]


KEEP_TEXT = """() => {
  const { body } = document;
  const { get } = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
  window.bodyText = get.bind(body);
}"""
SPOILT_DIALOGS = """() => {
  const { getOwnPropertyNames, getOwnPropertyDescriptor, defineProperty } = Object;
  const spoil = (owner) => {
    for (const name of getOwnPropertyNames(owner)) {
      const whole = getOwnPropertyDescriptor(owner, name);
      if (name === "constructor" || !whole.configurable) continue;
      if (whole.get) defineProperty(owner, name, { ...whole, get() { seen.push(name); return undefined; } });
      else if (typeof whole.value === "function") {
        defineProperty(owner, name, { ...whole, value() { seen.push(name); return 1; } });
      }
    }
  };
  const types = [HTMLDialogElement, CSSStyleDeclaration, DOMRectReadOnly, DOMRect, MediaQueryList];
  for (let i = 0; i < types.length; i += 1) spoil(types[i].prototype);
  for (const name of ["getComputedStyle", "matchMedia", "innerWidth", "innerHeight", "HTMLDialogElement"]) {
    defineProperty(window, name, { get() { seen.push(name); return undefined; } });
  }
}"""


@pytest.mark.sample(2, "looks")
class TestLooks:
    """A dialog looks like the page, and has no mark in the markup."""

    def test_its_markup_is_that_of_any_site(self, stage: Set) -> None:
        """No class, no id, no style: only its text identifies a dialog of ours."""
        seen = set()
        for kind in KINDS:
            toy = stage(of_kind(kind))
            toy.page.click("#save")
            seen |= set(toy.page.evaluate(ATTRIBUTES))
            toy.page.keyboard.press("Escape")
            seen |= set(
                toy.page.evaluate(
                    "[...document.querySelector('[role=status]').attributes].map((attribute) => 'p ' + attribute.name)"
                )
            )
        assert seen == {
            "dialog aria-label", "dialog open", "button type", "input type", "input name", "p role",
        }  # fmt: skip

    def test_it_is_known_as_ours(self, stage: Set, tmp_path: Path) -> None:
        """It changes no key of the site, and its buttons have no keys."""
        asks = """(runtime, settings) => runtime.onRead(() => {
          const keys = [...document.querySelectorAll("dialog button, [type=radio], #save")].map((element) => runtime.keyOf(element) ?? null);
          runtime.report(settings.mode, "", "keys", keys);
        })"""
        rule = of_kind("survey")
        toy = stage(rule, script_rule(tmp_path, asks))
        toy.page.click("#save")
        is_open(toy.page)
        toy.read()
        assert set(toy.reports[-1].value) == {None, SAVE}

    @pytest.mark.parametrize(
        ("ground", "text"), [("rgb(20, 30, 40)", "rgb(230, 230, 230)"), ("rgb(250, 250, 240)", "rgb(10, 20, 30)")]
    )
    def test_colours_font_and_corners_are_those_of_the_page(self, stage: Set, ground: str, text: str) -> None:
        css = f"body{{background:{ground};color:{text};font-family:serif}} .c{{background:{ground};border:2px solid rgb(1,2,3);border-radius:9px;width:300px;height:90px}}"
        css += "#save{background:rgb(120,0,60);color:rgb(255,255,255);border:3px solid rgb(9,9,9);border-radius:13px}"
        cards = "<main><div class=c>a</div><div class=c>b</div></main>"
        toy = stage(PRESSED, html=HELD.format(f"<style>{css}</style>{cards}<button id=save>Save it</button>"))
        toy.page.click("#save")
        is_open(toy.page)
        assert toy.page.evaluate(STYLES, ["dialog", ["background-color", "color", "font-family", "border-top-left-radius", "border-top-color"]]) == [
            ground, text, "serif", "9px", "rgb(1, 2, 3)",
        ]  # fmt: skip
        assert toy.page.evaluate(STYLES, ["dialog button", ["background-color", "color", "border-top-left-radius"]]) == [
            "rgb(120, 0, 60)", "rgb(255, 255, 255)", "13px",
        ]  # fmt: skip

    def test_what_the_page_makes_unreadable_is_made_readable(self, stage: Set) -> None:
        """The colour of text over a picture may be unreadable on a plain background."""
        css = "body { color: rgb(255, 255, 255); background-image: url(/none.png) } #save { background: white; color: white }"
        toy = stage(PRESSED, html=HELD.format(f"<style>{css}</style><button id=save>Save it, please</button>"))
        toy.page.click("#save")
        is_open(toy.page)
        assert toy.page.evaluate(STYLES, ["dialog", ["background-color", "color"]]) == [
            "rgb(255, 255, 255)",
            "rgb(26, 26, 26)",
        ]
        assert toy.page.evaluate(STYLES, ["dialog button", ["background-color", "color"]]) == [
            "rgb(255, 255, 255)",
            "rgb(26, 26, 26)",
        ]

    def test_a_button_stands_out_from_the_dialog(self, stage: Set) -> None:
        """On a dialog of the same colour a button has a border."""
        css = "#save { background: rgb(255, 255, 255); color: rgb(0, 0, 0); border: 1px solid rgb(255, 255, 255) }"
        toy = stage(PRESSED, html=HELD.format(f"<style>{css}</style><button id=save>Save it, please</button>"))
        toy.page.click("#save")
        is_open(toy.page)
        assert toy.page.evaluate(STYLES, ["dialog button", ["border-top-color"]]) == ["rgba(127, 127, 127, 0.6)"]

    def test_a_dark_page_without_colours_of_its_own(self, stage: Set) -> None:
        toy = stage(
            PRESSED, html=HELD.format("<style>:root { color-scheme: dark }</style><button id=save>Save it</button>")
        )
        toy.page.click("#save")
        is_open(toy.page)
        assert toy.page.evaluate(STYLES, ["dialog", ["background-color"]]) == ["rgb(18, 18, 18)"]

    @pytest.mark.parametrize("width", [390, 1280])
    def test_it_fits_the_window(self, stage: Set, width: int) -> None:
        for rule in map(seeded, ON_PRESS[:6]):
            toy = stage(rule)
            toy.page.set_viewport_size({"width": width, "height": 800})
            toy.page.click("#save")
            is_open(toy.page)
            box = toy.page.locator("dialog").bounding_box()
            assert box is not None
            wide = min(dialog_of(rule, SAVE, 0).width, 0.92 * width)
            assert abs(box["width"] - wide) < 1
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 800
            if dialog_of(rule, SAVE, 0).place == "top":
                assert box["y"] == 48

    def test_document_tree_and_picture_agree(self, stage: Set) -> None:
        rule = of_kind("survey")
        toy = stage(rule)
        before = toy.page.screenshot()
        toy.page.click("#save")
        expected_dialog = dialog_of(rule, SAVE, 0)
        tree = toy.page.locator("body").aria_snapshot()
        assert f'dialog "{expected_dialog.heading}"' in tree
        for text in (*expected_dialog.choices, *(label for label, _ in expected_dialog.buttons)):
            assert text in tree
        assert expected_dialog.text in toy.page.inner_text("dialog")
        assert toy.page.screenshot() != before


ATTRIBUTES = "[...document.querySelectorAll('dialog, dialog *')].flatMap((element) => [...element.attributes].map(({ name }) => `${element.localName} ${name}`))"
STYLES = "([selector, names]) => names.map((name) => getComputedStyle(document.querySelector(selector)).getPropertyValue(name))"


class Traffic:
    """The requests of a tab."""

    def __init__(self, page: Page) -> None:
        self._started = self._ended = 0
        page.on("request", lambda _: self._count("_started"))
        for event in ("requestfinished", "requestfailed"):
            page.on(event, lambda _: self._count("_ended"))

    def _count(self, name: str) -> None:
        setattr(self, name, getattr(self, name) + 1)

    def busy(self) -> int:
        return self._started - self._ended

    def started(self) -> int:
        return self._started


@pytest.mark.sample(2, "resilient")
@pytest.mark.parametrize("pointer", ["selector", "coordinates", "tree"])
@pytest.mark.parametrize("stress", range(4))
def test_resilient_reads_what_it_says(stage: Set, pointer: str, stress: int) -> None:
    """Every press or every load opens a dialog; the agent sees only the page, and always answers correctly."""
    toy = stage(seeded(stress))
    agent = make(f"resilient(pointer={pointer})")
    agent.start(Brief(goal="", start_url=toy.served.base, steps=STEPS))
    # The tab processes its reports itself.
    recorder = Recorder(StandInEpisode(READ, toy.served.attempts))
    observer, traffic = Observer(agent.wants, recorder=recorder), Traffic(toy.page)
    history: list[tuple[Action, Outcome]] = []
    while len(history) < 80 and not (history and history[-1][0].final):
        action = next_action(agent, observer.settled(toy.page, traffic))
        history.append((action, perform(toy.page, action)))
    assert history[-1][0].kind == "DONE"
    assert toy.posts == [WANTED]
    # As many right answers as dialogs.
    outcomes = [event for _, event, _ in events(toy)]
    assert outcomes.count("hit") == outcomes.count("passed") >= 2


class Interrupts(Perturbation):
    """A mode whose pages draw by `PopupRule`."""

    mode: ClassVar[str] = "popup"
    stage = ModeStage.EXECUTION

    def rule(self, seeds: Seeds) -> PopupRule:
        return popup(seeds=seeds)


def test_a_press_that_met_no_dialog_overcomes_none() -> None:
    """After a wrong answer, a press without a dialog is counted, but overcomes nothing."""
    episode = EpisodePerturber([Interrupts()], Seeds(0, ON_PRESS[0], "toy/x"), active=True)
    episode.script("toy", ["toy.test"], "/")
    path = f"{episode.report_path}/0"
    for number, (event, attempt) in enumerate([("hit", 0), ("clear", 1), ("passed", 0)], 1):
        body = [number, "popup", SAVE, event, attempt, ["button", "Save it"]]
        episode.take_report(path, json.dumps(body))
        phases = [entry.phase for entry in episode.entries]
        assert phases == ["delivered", "overcome"][: 1 + (event == "passed")]
    assert episode.attempts() == {"popup": {SAVE: 2}}


RATES = (0, 0.1, 0.2, 0.35, 0.42, 0.5)


class TestDraws:
    """The draws of the program."""

    @examples(60)
    @given(PAIRS, st.lists(KEYS, min_size=1, max_size=4), st.integers(0, 50))
    def test_what_opens_at_a_severity_opens_at_the_next(self, pair: Pair, keys: list[str], attempt: int) -> None:
        rules = [PopupRule(mode="popup", rule=pair, rate=rate) for rate in RATES]
        controls = [Control(key, "button", "") for key in keys]
        for milder, harder in pairwise(rules):
            assert milder.on_load(PLACE) == harder.on_load(PLACE)
            for pressed in controls:
                assert milder.meets(pressed, PLACE, attempt) <= harder.meets(pressed, PLACE, attempt)
            assert milder.dialog(controls[0], PLACE, attempt) == harder.dialog(controls[0], PLACE, attempt)
            assert meets(milder, LOAD, attempt) <= meets(harder, LOAD, attempt)
        assert not any(rules[0].meets(pressed, PLACE, attempt) for pressed in controls)

    def test_the_share_of_presses_and_loads_is_the_declared_one(self) -> None:
        for rate in RATES[1:]:
            presses = [meets(seeded(n, rate), SAVE, attempt) for n in ON_PRESS[:200] for attempt in range(5)]
            loads = [meets(seeded(n, rate), LOAD, load) for n in ON_LOAD for load in range(20)]
            for openings in (presses, loads):
                assert stats.binomtest(sum(openings), len(openings), rate).pvalue > 0.001

    def test_a_page_has_dialogs_at_its_loads_or_at_its_presses(self) -> None:
        for page in (f"toy /{n}" for n in range(20)):
            rule, pressed = popup(), Control(f"{page} button x  #1", "button", "x")
            assert rule.meets(None, page, 0) == rule.on_load(page)
            assert rule.meets(pressed, page, 0) == (not rule.on_load(page))
            assert not rule.meets(pressed._replace(role="textbox"), page, 0)

    def test_about_half_of_the_templates_are_of_each_class(self) -> None:
        on_load = [popup().on_load(f"toy /{n}") for n in range(400)]
        assert stats.binomtest(sum(on_load), len(on_load), 0.5).pvalue > 0.001


CLICKS = """(labels) => {
  const events = [];
  for (const units of labels) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = String.fromCharCode(...units);
    document.body.append(button);
  }
  const texts = [];
  for (const button of [...document.body.querySelectorAll("button")]) {
    for (let i = 0; i < 3; i += 1) {
      button.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
      const dialog = document.querySelector("dialog");
      texts.push(dialog && [dialog.querySelector("h2").textContent, dialog.querySelector("p").textContent]);
      dialog?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
    }
  }
  return texts;
}"""


@pytest.fixture(scope="module")
def clicked(
    browser: Browser,
) -> Iterator[Callable[[Rule, list[list[int]]], tuple[list[Report], list[list[str] | None]]]]:
    """Press each button of a page three times and dismiss the dialogs; return the reports and the dialogs' texts."""
    served = Served(html=HELD.replace("{}", ""))
    with routed(browser, served) as (tab, texts):

        def click(rule: Rule, labels: list[list[int]]) -> tuple[list[Report], list[list[str] | None]]:
            served.rules = [rule]
            texts.clear()
            tab.goto("http://toy.test/")
            dialog_texts = tab.evaluate(CLICKS, labels)
            return [Report(*json.loads(text)) for text in texts], dialog_texts

        yield click


@examples(40)
@given(
    labels=st.lists(KEYS, min_size=1, max_size=8),
    stress=st.sampled_from(ON_PRESS),
    rate=st.sampled_from([0.1, 0.35, 0.5, 1]),
    others=st.none() | st.booleans(),
)
def test_the_page_opens_what_the_program_foresees(
    clicked: Callable[..., tuple[list[Report], list[list[str] | None]]],
    labels: list[str],
    stress: int,
    rate: float,
    others: bool | None,
) -> None:
    """The presses that open a dialog, and its texts."""
    allowed = None if others is None else Narrowing(others=others, controls={})
    rule = seeded(stress, rate, allowed=allowed)
    reports, dialog_texts = clicked(rule, [units(label) for label in labels])
    assert len(reports) == len(dialog_texts) == 3 * len(labels)
    for report, texts in zip(reports, dialog_texts, strict=True):
        hits = meets(rule, report.about, report.value)
        assert report.event == ("hit" if hits else "clear")
        predicted_exposure = dialog_of(rule, report.about, report.value)
        assert texts == ([predicted_exposure.heading, predicted_exposure.text] if hits else None)
