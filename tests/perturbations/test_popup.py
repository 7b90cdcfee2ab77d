"""Popup: what opens, what it says, which answers go on, and what becomes of the action that it held back."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page as BrowserPage
from playwright.sync_api import expect
from scipy import stats

from perturbations.popup import Popup, PopupSettings
from perturbations.wordings import CUES, KINDS, PopupText, dialog
from stressweb.core.draws import Seeds, digest
from stressweb.html import canonical
from stressweb.html.accessible_name import clean
from stressweb.html.marks import Marks
from stressweb.html.page import Page
from tests.perturbations.conftest import Set
from tests.toy import PAGE, Toy

KEY = b"k" * 16
ALWAYS = Popup(rate=1)
ON_ACTION, ON_LOAD = (
    [n for n in range(60) if ALWAYS.would_greet(Page(PAGE, "toy", "/", Marks(KEY)), Seeds(0, n, "toy/x")) is load]
    for load in (False, True)
)
KIND_NAMES = ("consent", "newsletter", "accept", "decline", "survey", "type")


def drawn(stress: int, name: str = "Save it", html: str = PAGE) -> PopupText:
    """Return the dialog that the first press on a control opens."""
    page = Page(html, "toy", "/", Marks(KEY))
    control = next(one for one in page.controls if one.name == name)
    found = ALWAYS.answer(page, control, 0, Seeds(0, stress, "toy/x"))
    assert found is not None
    return found


def seed_of(kind: str) -> int:
    """Return a stress seed under which the first press on the save button opens a dialog of a kind."""
    return next(n for n in ON_ACTION if drawn(n).kind == kind)


def answer(page: BrowserPage, said: PopupText) -> None:
    """Do what a dialog asks for."""
    inside = page.locator("dialog")
    if said.word:
        inside.get_by_label(said.field).fill(said.word)
    if said.choices:
        inside.get_by_label(said.choices[0]).check()
    inside.get_by_role("button", name=going_on(said), exact=True).click()


def going_on(said: PopupText) -> str:
    return next(label for label, rule in said.buttons if rule in ("go", "word", "choice"))


def open_dialog(page: BrowserPage) -> None:
    expect(page.locator("dialog[open]")).to_be_visible()


def closed(page: BrowserPage) -> None:
    expect(page.locator("dialog")).to_have_count(0)


def wrong_answers(said: PopupText) -> Iterator[Callable[[BrowserPage], None]]:
    """Yield every way of not doing what a dialog asks for."""
    yield lambda page: page.keyboard.press("Escape")
    for label, rule in said.buttons:
        if rule != "go":
            yield lambda page, label=label: page.locator("dialog").get_by_role("button", name=label, exact=True).click()
    if said.field:
        label = next(label for label, rule in said.buttons if rule in ("mail", "word"))

        def fill_in(page: BrowserPage) -> None:
            page.locator("dialog").get_by_label(said.field).fill("nonsense")
            page.locator("dialog").get_by_role("button", name=label, exact=True).click()

        yield fill_in


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KIND_NAMES)
def test_the_right_answer_lets_the_action_through_once(stage: Set, kind: str) -> None:
    toy = stage("popup(rate=1)", stress=seed_of(kind))
    toy.page.fill("#name", "Ada")
    toy.page.click("#save")
    open_dialog(toy.page)
    assert toy.posts() == []
    answer(toy.page, drawn(seed_of(kind)))
    toy.arrived()
    assert toy.posts() == ["name=Ada&day=&size=one&note="]
    for phase in ("delivered", "overcome"):
        assert [(line.element, line.attempt) for line in toy.lines(phase)] == [("button 'Save it'", 0)]


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", KIND_NAMES)
def test_a_wrong_answer_drops_the_action_and_says_so(stage: Set, kind: str) -> None:
    said = drawn(seed_of(kind))
    for wrong in wrong_answers(said):
        toy = stage("popup(rate=1)", stress=seed_of(kind))
        toy.page.click("#save")
        open_dialog(toy.page)
        wrong(toy.page)
        closed(toy.page)
        expect(toy.page.get_by_role("status")).to_have_text(said.cue)
        toy.page.mouse.click(2, 2)
        expect(toy.page.get_by_role("status")).to_have_count(0)
        assert toy.posts() == []
        assert toy.lines("overcome") == []


@pytest.mark.sample(9, "presses")
def test_a_good_address_goes_on_too(stage: Set) -> None:
    said = drawn(seed_of("newsletter"))
    toy = stage("popup(rate=1)", stress=seed_of("newsletter"))
    toy.page.click("#save")
    toy.page.locator("dialog input").fill("ada@example.org")
    toy.page.get_by_role("button", name=next(label for label, rule in said.buttons if rule == "mail")).click()
    toy.arrived()
    assert len(toy.posts()) == 1


@pytest.mark.sample(9, "presses")
def test_enter_in_the_field_sends_the_word(stage: Set) -> None:
    toy = stage("popup(rate=1)", stress=seed_of("type"))
    toy.page.click("#save")
    toy.page.locator("dialog input").fill(drawn(seed_of("type")).word.upper())
    toy.page.locator("dialog input").press("Enter")
    toy.arrived()
    assert len(toy.posts()) == 1


PRESSES: list[tuple[str, Callable[[BrowserPage], None], str]] = [
    ("key", lambda page: page.press("#save", "Enter"), "Save it"),
    ("space", lambda page: page.press("#save", "Space"), "Save it"),
    ("implicit", lambda page: page.press("#name", "Enter"), "Save it"),
    ("script", lambda page: page.evaluate("document.querySelector('#save').click()"), "Save it"),
    ("submit", lambda page: page.evaluate("document.forms[0].requestSubmit()"), "Save it"),
    ("bare", lambda page: page.press("[name=word]", "Enter"), ""),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("press", "name"), [one[1:] for one in PRESSES], ids=[one[0] for one in PRESSES])
def test_every_path_meets_one_dialog_and_is_sent_once(
    stage: Set, press: Callable[[BrowserPage], None], name: str
) -> None:
    toy = stage("popup(rate=1)", stress=ON_ACTION[0])
    press(toy.page)
    open_dialog(toy.page)
    answer(toy.page, drawn(ON_ACTION[0], name))
    toy.arrived()
    assert len(toy.posts()) == 1
    assert len(toy.lines("delivered")) == 1


@pytest.mark.sample(9, "presses")
@pytest.mark.parametrize("target", ["[name=agree]", "label:has(input)"])
def test_a_box_is_ticked_by_itself_and_by_its_label(stage: Set, target: str) -> None:
    toy = stage("popup(rate=1)", stress=ON_ACTION[0])
    toy.page.click(target)
    open_dialog(toy.page)
    assert not toy.page.is_checked("[name=agree]")
    answer(toy.page, drawn(ON_ACTION[0], "Agree"))
    assert toy.page.is_checked("[name=agree]")
    assert len(toy.lines("delivered")) == 1


@pytest.mark.sample(9, "presses")
@pytest.mark.parametrize("how", [{"modifiers": ["Control"]}, {"button": "middle"}, {"modifiers": ["Shift"]}])
def test_modifiers_and_buttons_are_kept(stage: Set, how: dict[str, object]) -> None:
    """A press that asks for a new tab gets it."""
    toy = stage("popup(rate=1)", stress=ON_ACTION[0])
    toy.page.click("text=Alpha page", **how)
    open_dialog(toy.page)
    with toy.page.context.expect_page(timeout=5000) as opened:
        answer(toy.page, drawn(ON_ACTION[0], "Alpha page"))
    opened.value.wait_for_url("**/alpha")
    assert toy.page.url == "http://toy.test/"


@pytest.mark.sample(9, "presses")
def test_page_handlers_see_the_action_once_and_nothing_of_the_dialog(stage: Set) -> None:
    script = "window.seen = []; for (const type of ['click', 'submit', 'keydown', 'input', 'change'])"
    script += " document.addEventListener(type, (event) => { event.preventDefault(); seen.push([type, event.target.id, event.detail, event.submitter?.id]) })"
    site = Toy(PAGE.replace("</body>", f"<script>{script}</script></body>"))
    toy = stage("popup(rate=1)", site, stress=seed_of("type"))
    toy.page.click("#save")
    answer(toy.page, drawn(seed_of("type")))
    assert toy.page.evaluate("seen") == [["click", "save", 1, None]]
    toy.page.evaluate("seen.length = 0")
    toy.page.evaluate("document.forms[0].requestSubmit(document.querySelector('#save'))")
    open_dialog(toy.page)


@pytest.mark.sample(9, "presses")
def test_the_submitter_is_kept(stage: Set) -> None:
    """A form of several buttons is sent by the one that was pressed."""
    html = PAGE.replace('id="save">Save it', 'id="save" name="which" value="first">Save it').replace(
        "</button></form>", '</button><button name="which" value="second" id="other">Other</button></form>'
    )
    toy = stage("popup(rate=1)", Toy(html), stress=ON_ACTION[0])
    toy.page.click("#other")
    open_dialog(toy.page)
    answer(toy.page, drawn(ON_ACTION[0], "Other", html))
    toy.arrived()
    assert toy.posts()[0].endswith("which=second")


@pytest.mark.sample(9, "presses")
def test_an_entry_meets_none(stage: Set) -> None:
    toy = stage("popup(rate=1)", stress=ON_ACTION[0])
    toy.page.fill("#name", "Ada")
    toy.page.select_option("#size", label="two")
    toy.page.click("textarea")
    closed(toy.page)
    assert toy.lines("delivered") == []


@pytest.mark.sample(9, "presses")
def test_on_load_a_wrong_answer_leaves_it_open(stage: Set) -> None:
    toy = stage("popup(rate=1)", stress=ON_LOAD[0])
    for _ in range(3):
        toy.page.keyboard.press("Escape")
        open_dialog(toy.page)
        expect(toy.page.locator("dialog [role=status]")).to_be_visible()
    assert clean(toy.page.locator("dialog [role=status]").inner_text()) in CUES
    phases = [(entry.phase, entry.detail) for entry in toy.episode.ledger()]
    assert phases == [("planned", "/"), ("delivered", "/")]


@pytest.mark.sample(9, "presses")
def test_on_load_the_right_answer_frees_the_page(stage: Set) -> None:
    seeds = Seeds(0, ON_LOAD[0], "toy/x")
    instruction = ALWAYS.instruct(Page(PAGE, "toy", "/", Marks(KEY)), seeds)
    assert instruction is not None
    assert isinstance(instruction.settings, PopupSettings)
    said = instruction.settings.load
    assert said is not None
    toy = stage("popup(rate=1)", stress=ON_LOAD[0])
    answer(toy.page, said)
    closed(toy.page)
    toy.page.click("#save")
    toy.arrived()
    assert len(toy.posts()) == 1
    assert [entry.phase for entry in toy.episode.ledger()][:3] == ["planned", "delivered", "overcome"]


@pytest.mark.sample(9, "presses")
def test_loads_are_counted_over_reloads(stage: Set) -> None:
    """Each load of a template has a draw of its own, which is the same in every run of the cell."""
    toy = stage("popup@5", stress=ON_LOAD[0])
    for _ in range(7):
        toy.page.reload()
    seeds, shown = Seeds(0, ON_LOAD[0], "toy/x"), []
    for loads in range(8):
        page = Page(PAGE, "toy", "/", Marks(KEY))
        page.loads = loads
        shown.append(Popup.at(5).would_greet(page, seeds))
    assert [entry.count for entry in toy.episode.ledger() if entry.phase == "planned"] == [*map(int, shown)]
    told = [entry.attempt for entry in toy.episode.ledger() if entry.phase == "delivered"]
    assert told == [loads for loads, hit in enumerate(shown) if hit]


@pytest.mark.sample(9, "presses")
def test_attempts_survive_a_reload(stage: Set) -> None:
    toy = stage("popup(rate=1)", stress=ON_ACTION[0])
    for _ in range(2):
        toy.page.click("#save")
        open_dialog(toy.page)
        toy.page.reload()
    assert [line.attempt for line in toy.lines("delivered")] == [0, 1]


@pytest.mark.sample(9, "presses")
def test_what_remap_or_failure_swallowed_shows_none(stage: Set) -> None:
    for other in ("remap@5", "failure(rate=1)"):
        toy = stage(f"{other}+popup(rate=1)", stress=ON_ACTION[0])
        toy.page.click("#save")
        toy.read()
        closed(toy.page)
        assert {line.mode for line in toy.lines("delivered")} == {other[:7].partition("@")[0]}


@pytest.mark.sample(9, "presses")
def test_a_double_click_that_acts_opens_one_and_answers_nothing(stage: Set) -> None:
    toy = stage("remap@5+popup(rate=1)", stress=ON_ACTION[0])
    toy.page.dblclick("#save")
    open_dialog(toy.page)
    answer(toy.page, drawn(ON_ACTION[0]))
    toy.arrived()
    assert len(toy.posts()) == 1


@pytest.mark.sample(9, "presses")
def test_the_rest_of_the_page_is_out_of_reach(stage: Set) -> None:
    toy = stage("popup(rate=1)", stress=ON_ACTION[0])
    toy.page.click("#save")
    hit = toy.page.evaluate("document.elementFromPoint(4, 4).localName")
    assert hit == "dialog"
    for button in toy.page.locator("dialog button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 24


@pytest.mark.sample(9, "presses")
def test_the_form_of_the_page_stays_the_same_under_a_dialog(stage: Set) -> None:
    """PopupText and cue are no part of what the site said."""
    before = canonical.digest(PAGE.replace("{path}", "/"), KEY)
    for kind in KIND_NAMES:
        toy = stage("popup(rate=1)", stress=seed_of(kind))
        toy.page.click("#save")
        assert canonical.digest(toy.read(), KEY) == before
        toy.page.keyboard.press("Escape")
        assert canonical.digest(toy.read(), KEY) == before


@pytest.mark.sample(9, "presses")
def test_it_works_under_a_strict_policy(stage: Set) -> None:
    policy = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'"
    toy = stage("popup(rate=1)", Toy(policy=policy), stress=seed_of("accept"))
    toy.page.click("#save")
    open_dialog(toy.page)
    assert toy.page.evaluate("getComputedStyle(document.querySelector('dialog')).borderRadius") == "12px"
    answer(toy.page, drawn(seed_of("accept")))
    toy.arrived()


@pytest.mark.sample(9, "presses")
def test_nothing_runs_at_rate_zero(stage: Set) -> None:
    toy = stage("popup@0", stress=ON_ACTION[0])
    sent: list[str] = []
    toy.page.on("request", lambda request: sent.append(request.url))
    toy.page.click("[name=agree]")
    assert sent == []
    assert [entry.count for entry in toy.episode.ledger()] == [0]


def test_the_share_of_presses_and_loads_is_the_declared_one() -> None:
    page = Page(PAGE, "toy", "/", Marks(KEY))
    pressed = [control for control in page.controls if control.pressed]
    for severity in range(1, 6):
        mode = Popup.at(severity)
        presses = [
            mode.would_hit(page, control, attempt, Seeds(0, n, "toy/x"))
            for n in ON_ACTION
            for control in pressed
            for attempt in range(10)
        ]
        assert stats.binomtest(sum(presses), len(presses), mode.rate).pvalue > 0.001


def test_about_half_of_the_templates_are_of_each_class() -> None:
    loads = sum(
        ALWAYS.would_greet(Page(PAGE, "toy", f"/{path}", Marks(KEY)), Seeds(0, 0, "toy/x"))
        for path in "abcdefghijklmnopqrstuvwxyz"
    )
    assert 5 < loads < 21


def test_every_wording_names_the_way_on() -> None:
    """Over many draws: every kind comes, and what is quoted is what lets one go on."""
    seen = [dialog(digest("popup", n)) for n in range(600)]
    assert {one.kind for one in seen} == set(KIND_NAMES)
    assert len(KINDS) == len(KIND_NAMES)
    for one in seen:
        quoted = one.text.split('"')[1::2]
        going = [label for label, rule in one.buttons if rule in ("go", "choice", "word")]
        assert sorted(quoted) == sorted([*going, *([one.word] if one.word else [])])
        assert one.heading
        assert one.cue in CUES


def test_text_and_order_are_drawn_per_press() -> None:
    page = Page(PAGE, "toy", "/", Marks(KEY))
    told = set()
    for control in page.controls:
        for attempt in range(4):
            if found := ALWAYS.answer(page, control, attempt, Seeds(0, ON_ACTION[0], "toy/x")):
                told.add((found.kind, found.text, found.buttons))
    assert len(told) > 10


@pytest.mark.sample(9, "presses")
def test_document_tree_and_picture_agree(stage: Set) -> None:
    toy = stage("popup(rate=1)", stress=seed_of("survey"))
    before = toy.page.screenshot()
    toy.page.click("#save")
    said = drawn(seed_of("survey"))
    tree = toy.page.locator("body").aria_snapshot()
    assert f'dialog "{said.heading}"' in tree
    for text in (*said.choices, *(label for label, _ in said.buttons)):
        assert text in tree
    assert toy.page.screenshot() != before
