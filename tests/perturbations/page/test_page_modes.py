"""remap.js and failure.js: one decision for each user action, by whatever path it comes."""

import json
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from stressweb.core.draws import Seeds
from stressweb.plugins.rule import Narrowing, Rule
from tests.examples import examples
from tests.perturbations.drawn_keys import KEYS, units
from tests.perturbations.toy_gestures import BY_PRESS, by_entry
from tests.support.served import WORDS, Report, Served, failure, remap
from tests.support.tabs import Set, routed

SAVE = "toy / button Save it /do #1"
BY_ENTRY = by_entry()


@pytest.mark.sample(4, "remap")
class TestRemap:
    """The effects of a click, two clicks, a double click and keys."""

    def test_two_single_clicks_are_two_selections(self, stage: Set) -> None:
        toy = stage(remap())
        for _ in range(2):
            toy.page.click("#save")
            toy.read()
        assert toy.posts == []
        assert [report[:5] for report in toy.reports] == [
            (1, "remap", SAVE, "hit", 0),
            (2, "remap", SAVE, "hit", 0),
        ]

    def test_a_double_click_acts_exactly_once(self, stage: Set) -> None:
        toy = stage(remap())
        toy.page.fill("#name", "Ada")
        toy.page.dblclick("#save")
        toy.arrived()
        assert toy.posts == ["name=Ada&day=&size=one&note="]
        assert toy.outcomes == [("button Save it", "hit", 0), ("button Save it", "passed", 0)]

    def test_a_triple_click_acts_once(self, stage: Set) -> None:
        toy = stage(remap())
        toy.page.click("label:has(input)", click_count=3, position=WORDS["label:has(input)"])
        assert toy.page.is_checked("[name=agree]")

    @pytest.mark.parametrize("target", ["[name=agree]", "label:has(input)"])
    def test_a_box_and_its_label_are_one_control(self, stage: Set, target: str) -> None:
        toy = stage(remap())
        toy.page.click(target, position=WORDS.get(target))
        assert not toy.page.is_checked("[name=agree]")
        toy.page.dblclick(target, position=WORDS.get(target))
        assert toy.page.is_checked("[name=agree]")
        assert toy.delivered() == ["checkbox Agree"] * 2

    def test_coordinates_control_click_and_middle_click(self, stage: Set) -> None:
        toy = stage(remap())
        box = toy.page.locator("text=Alpha page").bounding_box()
        assert box is not None
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        toy.page.mouse.click(*middle)
        toy.page.click("text=Alpha page", modifiers=["Control"])
        toy.page.click("text=Alpha page", button="middle")
        toy.page.click("text=Alpha page", button="right")
        assert len(toy.page.context.pages) == 1
        assert toy.page.url == toy.served.base
        assert toy.delivered() == ["link Alpha page"] * 3
        toy.page.mouse.dblclick(*middle)
        toy.page.wait_for_url("**/alpha")

    @pytest.mark.parametrize("key", ["Enter", "Space"])
    def test_the_second_key_press_acts(self, stage: Set, key: str) -> None:
        toy = stage(remap())
        toy.page.focus("#save")
        for pressed_key in (key, "Shift", key):
            toy.page.keyboard.press(pressed_key)
        toy.read()
        assert toy.posts == []
        toy.page.keyboard.press(key)
        toy.arrived()
        assert len(toy.posts) == 1

    @pytest.mark.parametrize("between", [lambda page: page.mouse.down(), lambda page: page.mouse.wheel(0, 1)])
    def test_a_use_of_the_mouse_between_two_keys_starts_anew(self, stage: Set, between: Callable[[Page], None]) -> None:
        toy = stage(remap())
        toy.page.focus("#save")
        toy.page.keyboard.press("Enter")
        toy.page.mouse.move(1200, 700)
        between(toy.page)
        toy.page.focus("#save")
        toy.page.keyboard.press("Enter")
        toy.read()
        assert toy.posts == []
        assert toy.delivered() == ["button Save it"] * 2

    def test_a_key_that_is_held_down_is_one_press(self, stage: Set) -> None:
        toy = stage(remap())
        toy.page.focus("#save")
        for _ in range(3):
            toy.page.keyboard.down("Enter")
        toy.page.keyboard.up("Enter")
        toy.read()
        assert toy.posts == []
        assert toy.delivered() == ["button Save it"]

    @pytest.mark.parametrize("field", ["#name", "[name=word]"])
    def test_enter_in_a_field(self, stage: Set, field: str) -> None:
        toy = stage(remap())
        toy.page.fill(field, "x")
        toy.page.press(field, "Enter")
        toy.read()
        assert toy.posts == []
        toy.page.press(field, "Enter")
        toy.arrived()
        assert len(toy.posts) == 1

    @pytest.mark.parametrize("script", ["document.querySelector('#save').click()", "document.forms[0].requestSubmit()"])
    def test_no_way_around_by_script(self, stage: Set, script: str) -> None:
        toy = stage(remap())
        toy.page.evaluate(script)
        toy.read()
        assert toy.posts == []
        assert toy.delivered() == ["button Save it"]

    def test_the_first_try_shows_and_leaves_the_markup(self, stage: Set) -> None:
        toy = stage(remap())
        before, markup = toy.page.screenshot(), toy.markup()
        toy.page.click("#save")
        assert toy.page.screenshot() != before
        assert toy.page.evaluate("getComputedStyle(document.querySelector('#save')).outlineStyle") == "solid"
        assert toy.markup() == markup
        toy.page.click("text=Alpha page")
        looks = "[...document.querySelectorAll('body *')].filter((element) => getComputedStyle(element).boxShadow !== 'none')"
        assert toy.page.evaluate(f"{looks}.map((element) => element.textContent)") == ["Alpha page"]

    def test_an_ordinary_control_acts_twice_on_a_double_click(self, stage: Set) -> None:
        toy = stage(remap(0))
        toy.page.dblclick("[name=agree]")
        assert not toy.page.is_checked("[name=agree]")
        assert toy.reports == []

    def test_what_is_filled_in_is_not_remapped(self, stage: Set) -> None:
        """A list drawn by a script has the role of a field."""
        toy = stage(remap(), html="<body><div role=combobox tabindex=0 onclick='this.textContent=1'>x</div></body>")
        toy.page.click("div")
        assert toy.page.inner_text("div") == "1"
        assert toy.reports == []


class TestFailure:
    """A click or an entry does not take effect."""

    @pytest.mark.sample(2)
    @BY_ENTRY
    def test_an_entry_fails_whole_and_once(self, stage: Set, entry: Callable[[Page], None], field: str) -> None:
        toy = stage(failure())
        before, markup = toy.page.input_value(f"[name={field}]"), toy.markup()
        entry(toy.page)
        assert toy.page.input_value(f"[name={field}]") == before
        assert [(event, value) for _, event, value in toy.outcomes] == [("hit", 0)]
        assert toy.markup() == markup

    @pytest.mark.sample(1)
    @BY_ENTRY
    def test_an_entry_takes_effect_at_rate_zero(self, stage: Set, entry: Callable[[Page], None], field: str) -> None:
        toy = stage(failure(0))
        before = toy.page.input_value(f"[name={field}]")
        entry(toy.page)
        assert toy.page.input_value(f"[name={field}]") != before
        assert [(event, value) for _, event, value in toy.outcomes] == [("passed", 0)]

    @pytest.mark.sample(1)
    @BY_ENTRY
    def test_a_later_entry_is_put_back_to_what_was_accepted(
        self, stage: Set, entry: Callable[[Page], None], field: str
    ) -> None:
        """The restored value is that of the last successful entry, not the initial one."""
        toy = stage(failure(), html=VALUED)
        toy.page.evaluate(f"document.querySelector('[name={field}]').value = '{VALUES[field]}'")
        toy.page.focus(f"[name={field}]")
        entry(toy.page)
        assert toy.page.input_value(f"[name={field}]") == VALUES[field]

    def test_the_recorders_read_ends_an_entry(self, stage: Set) -> None:
        toy = stage(failure())
        toy.page.focus("#name")
        toy.page.keyboard.type("Ada")
        toy.page.keyboard.type("Ada")
        assert len(toy.delivered()) == 1
        toy.read()
        toy.page.keyboard.type("Ada")
        assert toy.outcomes == [("textbox Name", "hit", 0), ("textbox Name", "hit", 1)]

    @pytest.mark.parametrize(
        ("ends", "field"),
        [("Tab", "textarea"), ("click", "textarea"), ("blur", "textarea"), ("Enter", "[aria-label=Word]")],
    )
    def test_what_else_ends_an_entry(self, stage: Set, ends: str, field: str) -> None:
        toy = stage(failure(allowed=Narrowing(others=False, controls={})))
        # Otherwise Enter would load another page, with another count.
        toy.page.evaluate("addEventListener('submit', (event) => event.preventDefault())")
        toy.page.locator(field).press_sequentially("Ada")
        if ends == "click":
            toy.page.click(field)
        elif ends == "blur":
            toy.page.evaluate(f"document.querySelector('{field}').blur()")
        else:
            toy.page.keyboard.press(ends)
        toy.page.locator(field).press_sequentially("Ada")
        entries = [(event, value) for about, event, value in toy.outcomes if about.startswith("textbox")]
        assert entries == [("passed", 0), ("passed", 1)]

    @pytest.mark.parametrize(("rate", "event"), [(0, "passed"), (1, "hit")])
    @pytest.mark.parametrize(
        "field", ["<textarea aria-label=Word>", "<div role=textbox aria-label=Word contenteditable>"]
    )
    def test_a_text_of_several_lines_is_one_entry(self, stage: Set, field: str, rate: float, event: str) -> None:
        """Otherwise a text with more lines would be less likely to be entered at once."""
        toy = stage(failure(rate), html=f"<body>{field}")
        toy.page.focus("[aria-label]")
        toy.page.keyboard.type("One\nTwo\n\nThree")
        assert [outcome[1:] for outcome in toy.outcomes] == [(event, 0)]
        entered = toy.page.evaluate(
            "(({value, innerText}) => value ?? innerText)(document.querySelector('[aria-label]'))"
        )
        assert entered.split() == ([] if rate else ["One", "Two", "Three"])

    @pytest.mark.sample(1)
    @BY_ENTRY
    def test_leaving_a_field_is_no_decision(self, stage: Set, entry: Callable[[Page], None], field: str) -> None:
        toy = stage(failure(0))
        entry(toy.page)
        toy.read()
        toy.page.click("h1")
        toy.page.focus("[name=word]")
        toy.read()
        assert len(toy.reports) == 1, field

    @pytest.mark.sample(1)
    @BY_PRESS
    def test_a_press_fails_by_every_path(self, stage: Set, press: Callable[[Page], None]) -> None:
        toy = stage(failure())
        markup = toy.markup()
        press(toy.page)
        toy.read()
        assert toy.posts == []
        assert [report[:5] for report in toy.reports] == [(1, "failure", SAVE, "hit", 0)]
        assert toy.markup() == markup

    def test_a_press_that_passes_is_decided_once(self, stage: Set) -> None:
        """The submission after a click on a button is the same action."""
        toy = stage(failure(0))
        toy.page.click("#save")
        toy.arrived()
        assert toy.outcomes == [("button Save it", "passed", 0)]

    def test_a_label_click_is_one_decision(self, stage: Set) -> None:
        toy, label = stage(failure()), "label:has(input)"
        toy.page.click(label, position=WORDS[label])
        assert not toy.page.is_checked("[name=agree]")
        assert toy.outcomes == [("checkbox Agree", "hit", 0)]
        calm = stage(failure(0))
        for _ in range(2):
            calm.page.click(label, position=WORDS[label])
        # The click that a label forwards belongs to the one before; a script's click is an action of its own.
        calm.page.evaluate("document.querySelector('[name=agree]').click()")
        assert calm.outcomes == [("checkbox Agree", "passed", attempt) for attempt in range(3)]
        assert calm.page.is_checked("[name=agree]")

    def test_attempts_survive_a_reload(self, stage: Set) -> None:
        toy = stage(failure())
        for _ in range(2):
            toy.page.click("#save")
            toy.page.reload()
        assert toy.outcomes == [("button Save it", "hit", 0), ("button Save it", "hit", 1)]

    def test_a_retry_overcomes(self, stage: Set) -> None:
        # The first seed that fails the first two attempts at the button, but not the third.
        rules = [failure(0.35, Seeds(0, stress, "toy/x")) for stress in range(200)]
        rule = next(
            candidate
            for candidate in rules
            if [candidate.hits(SAVE, attempt) for attempt in range(3)] == [True, True, False]
        )
        toy = stage(rule)
        for _ in range(3):
            assert toy.posts == []
            toy.page.click("#save")
        toy.arrived()
        assert len(toy.posts) == 1
        assert [(event, value) for _, event, value in toy.outcomes] == [("hit", 0), ("hit", 1), ("passed", 2)]

    def test_what_a_script_chose_while_the_page_loaded_is_put_back(self, stage: Set) -> None:
        toy = stage(failure(), html=f"{VALUED}<script>document.querySelector('select').value = 'two'</script>")
        toy.page.select_option("select", label="one")
        assert toy.page.input_value("select") == "two"
        assert toy.delivered() == ["combobox "]

    def test_a_field_that_a_script_drew_is_put_back(self, stage: Set) -> None:
        """A list fires no `beforeinput`, and has never had the focus."""
        toy = stage(failure(), html="<body><p></p></body>")
        list_ = "<select><option>one<option selected>two<option>three</select>"
        toy.page.evaluate(f"document.querySelector('p').innerHTML = '{list_}'")
        toy.page.select_option("select", label="three")
        assert toy.page.input_value("select") == "two"
        assert toy.delivered() == ["combobox   #1"]

    def test_a_field_in_an_open_shadow_root_is_one_like_any_other(self, stage: Set) -> None:
        toy = stage(failure(), html=SHADOW)
        toy.page.fill("input", "Ada")
        toy.page.click("button")
        assert toy.page.input_value("input") == "old"
        assert toy.delivered() == ["textbox Inside  #1", "button Go  #1"]

    def test_what_a_framework_puts_on_a_field_is_left_alone(self, stage: Set) -> None:
        """React tracks the value by a property of its own on each field."""
        toy = stage(failure())
        toy.page.evaluate(TRACKED)
        toy.page.fill("#day", "2026-01-02")
        toy.read()
        assert toy.delivered() == ["entry Day"]
        assert toy.page.input_value("#day") == ""
        assert toy.page.evaluate("seen") == []


VALUES = {"name": "Bob", "day": "2025-01-01", "size": "one", "note": "Old"}
VALUED = """<!DOCTYPE html><html><head><title>T</title></head><body><form action="/do">
<input id="name" name="name" value="x"><input id="day" type="date" name="day" value="2024-12-31">
<select id="size" name="size"><option>one</option><option>two</option></select>
<textarea name="note">x</textarea></form></body></html>"""
SHADOW = """<!DOCTYPE html><html><head></head><body><div><template shadowrootmode="open">
<input value="old" aria-label="Inside"><button>Go</button></template></div></body></html>"""
TRACKED = """() => {
  window.seen = [];
  const { get } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  Object.defineProperty(document.querySelector('#day'), 'value', {
    get() { seen.push('read'); return get.call(this); },
    set(value) { seen.push(value); },
  });
}"""


class TestNarrowing:
    """In a search for the cause of a failure, only some attempts may be disturbed."""

    def test_only_these_attempts_fail(self, stage: Set) -> None:
        toy = stage(failure(allowed=Narrowing(others=False, controls={ALPHA: (True, [1])})))
        hold(toy.page)
        for _ in range(3):
            toy.page.click("text=Alpha page")
        toy.page.click("text=Beta page")
        assert [event for _, event, _ in toy.outcomes] == ["passed", "hit", "passed", "passed"]

    def test_all_but_these_attempts_fail(self, stage: Set) -> None:
        toy = stage(failure(allowed=Narrowing(others=True, controls={ALPHA: (False, [1])})))
        hold(toy.page)
        for _ in range(3):
            toy.page.click("text=Alpha page")
        toy.page.click("text=Beta page")
        assert [event for _, event, _ in toy.outcomes] == ["hit", "passed", "hit", "hit"]

    def test_a_control_is_remapped_or_not(self, stage: Set) -> None:
        toy = stage(remap(allowed=Narrowing(others=False, controls={ALPHA: (False, [])})))
        hold(toy.page)
        toy.page.click("text=Alpha page")
        toy.page.click("text=Beta page")
        assert toy.delivered() == ["link Alpha page"]


ALPHA = "toy / link Alpha page /alpha #1"
PRESSES = """(labels) => {
  for (const units of labels) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = String.fromCharCode(...units);
    document.body.append(button);
  }
  const options = { bubbles: true, cancelable: true, detail: 1 };
  for (const button of document.querySelectorAll("button")) {
    for (let i = 0; i < 3; i += 1) button.dispatchEvent(new MouseEvent("click", options));
  }
}"""


def hold(page: Page) -> None:
    """Keep the page's links from leading away, as its own scripts may do."""
    page.evaluate("document.addEventListener('click', (event) => event.preventDefault())")


ATTEMPTS = st.tuples(st.booleans(), st.lists(st.integers(0, 3), max_size=2))


@pytest.fixture(scope="module")
def pressed(browser: Browser) -> Iterator[Callable[[Sequence[Rule], list[list[int]]], list[Report]]]:
    """Press each button of a page three times; takes rules and the code units of the buttons' texts, returns reports."""
    served = Served(html="<!DOCTYPE html><html><head></head><body></body></html>")
    with routed(browser, served) as (tab, texts):

        def press(rules: Sequence[Rule], labels: list[list[int]]) -> list[Report]:
            served.rules = rules
            texts.clear()
            tab.goto("http://toy.test/")
            tab.evaluate(PRESSES, labels)
            return [Report(*json.loads(text)) for text in texts]

        yield press


@examples(80)
@given(
    labels=st.lists(KEYS, min_size=1, max_size=12),
    stress=st.integers(0, 2**31),
    rate=st.sampled_from([0.1, 0.35, 0.5, 0.8]),
    narrowing=st.none() | st.tuples(st.booleans(), st.lists(ATTEMPTS, max_size=12)),
)
def test_the_page_decides_what_the_program_foresees(
    pressed: Callable[..., list[Report]],
    labels: list[str],
    stress: int,
    rate: float,
    narrowing: tuple[bool, list[tuple[bool, list[int]]]] | None,
) -> None:
    seeds, allowed = Seeds(0, stress, "toy/x"), None
    if narrowing:
        keys = [report.about for report in pressed([failure(0)], [units(label) for label in labels])[::3]]
        allowed = Narrowing(others=narrowing[0], controls=dict(zip(keys, narrowing[1], strict=False)))
    mapped, failing = remap(rate, seeds, allowed=allowed), failure(rate, seeds, allowed=allowed)
    reports = pressed([mapped, failing], [units(label) for label in labels])
    assert [report.number for report in reports] == [*range(1, len(reports) + 1)]
    assert len({report.about for report in reports}) == len(labels)
    for key in {report.about for report in reports}:
        events = [(report.mode, report.event, report.value) for report in reports if report.about == key]
        if mapped.hits(key):
            assert events == [("remap", "hit", 0)] * 3
        else:
            assert events == [
                ("failure", "hit" if failing.hits(key, attempt) else "passed", attempt) for attempt in range(3)
            ]
