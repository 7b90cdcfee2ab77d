"""The catalogue of dialogs: page and program draw the same words, and no label is right by itself."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from scripts.bundle import entries
from stressweb.core.page_draws import Pair, draw, key_words
from stressweb.perturbations.page.bundles import bundle, script_expression
from stressweb.perturbations.popup.dialogs import CATALOGUE, RIGHT, Dialog, catalogue, dialog
from tests.perturbations.bundled import exported
from tests.perturbations.drawn_keys import KEYS, PAIRS, units

pytestmark = pytest.mark.sample(8, "file")

WORDS = f"({exported('dialog_words')})({CATALOGUE.read_text('utf-8')})"
MADE = f"""(cases) => {{
  const draws = ({exported("draws")})();
  const say = {WORDS};
  return cases.map(([units, rule, attempt]) => {{
    const key = draws.keyWords(String.fromCharCode(...units));
    return say((lane) => draws.draw(rule, key, attempt, lane));
  }});
}}"""
MANY = 4000


def drawn(rule: Pair, key: str, attempt: int) -> Dialog:
    return dialog(lambda lane: draw(rule, key_words(key), attempt, lane))


@pytest.fixture(scope="module")
def dialogs() -> list[Dialog]:
    """Many dialogs, as an agent may meet them."""
    return [drawn(Pair(n, 7), f"shop / button {n % 50} #1", n % 7) for n in range(MANY)]


@given(st.lists(st.tuples(KEYS, PAIRS, st.integers(0, 10**9)), min_size=1, max_size=40))
def test_the_page_says_what_the_program_foresees(tab: Page, cases: list[tuple[str, Pair, int]]) -> None:
    by_page = tab.evaluate(MADE, [[units(key), rule, attempt] for key, rule, attempt in cases])
    by_program = [json.loads(drawn(rule, key, attempt).model_dump_json()) for key, rule, attempt in cases]
    assert by_page == by_program


def test_the_page_draws_at_the_ends_as_the_program_does(tab: Page) -> None:
    """A draw of 0, or the one nearest to 1, takes the first or the last of the options."""
    for draw_value in (0.0, 1 - 2**-32):
        words = tab.evaluate(f"(value) => ({WORDS})(() => value)", draw_value)
        assert words == json.loads(dialog(lambda lane, value=draw_value: value).model_dump_json())  # type: ignore[misc]


@pytest.mark.parametrize("name", entries())
def test_the_page_gets_nothing_that_ends_its_script(name: str) -> None:
    text = script_expression(bundle(name))
    assert text.isascii()
    assert not re.search(r"</?script|<!--|-->", text, re.IGNORECASE)


def test_every_part_has_a_lane_of_its_own() -> None:
    """A new wording of one part changes the draw of no other part."""
    lanes = catalogue().lanes
    assert len(set(lanes)) == len(lanes)
    lanes_used: list[int] = []

    def drawn(lane: int) -> float:
        lanes_used.append(lane)
        return 0.99

    drawn_dialog = dialog(drawn)
    # A dialog shows only one of the two cues, so they share a lane.
    assert catalogue().cues[-1] == drawn_dialog.cue
    assert catalogue().stays[-1] == drawn_dialog.stays
    assert len(set(lanes_used)) == len(lanes_used) - 1
    assert 0 not in lanes_used


class TestVariety:
    """Nothing in the words of a dialog reveals the right button."""

    def test_every_kind_has_at_least_twelve_wordings(self) -> None:
        for kind in catalogue().kinds:
            assert len(set(kind.openings)) >= 12
            assert all(len(set(catalogue().forms[side.forms])) >= 8 for side in kind.sides)

    def test_every_kind_comes_as_often(self, dialogs: list[Dialog]) -> None:
        counts = Counter(shown_dialog.kind for shown_dialog in dialogs)
        assert set(counts) == {kind.kind for kind in catalogue().kinds}
        assert all(0.7 < count * len(counts) / MANY < 1.3 for count in counts.values())

    def test_no_label_is_only_right_or_only_wrong(self, dialogs: list[Dialog]) -> None:
        right = Counter(label for shown_dialog in dialogs for label, rule in shown_dialog.buttons if rule in RIGHT)
        wrong = Counter(label for shown_dialog in dialogs for label, rule in shown_dialog.buttons if rule not in RIGHT)
        pool = {label for sets in catalogue().labels.values() for labels in sets for label in labels}
        assert right.keys() == wrong.keys() == pool
        assert all(0.3 < right[label] / (right[label] + wrong[label]) < 0.7 for label in pool)

    def test_no_label_is_right_because_of_what_the_dialog_is_about(self, dialogs: list[Dialog]) -> None:
        """It is not always right to accept terms, or to decline offers."""
        sides: dict[tuple[str, str], list[bool]] = {}
        for shown_dialog in dialogs:
            for label, rule in shown_dialog.buttons:
                sides.setdefault((shown_dialog.kind, label), []).append(rule in RIGHT)
        assert len(sides) == sum(len({*chain(*catalogue().labels[kind.labels])}) for kind in catalogue().kinds)
        assert all(0.2 < sum(rights) / len(rights) < 0.8 for rights in sides.values())

    def test_what_stands_in_quotation_marks_is_right_no_more_often_than_any_label(self, dialogs: list[Dialog]) -> None:
        """The share of quoted labels is nearly the same among the mentioned right and wrong ones."""
        quoted: dict[bool, list[bool]] = {True: [], False: []}
        for shown_dialog in dialogs:
            marks = bool(re.search('["“]', shown_dialog.text))
            for label, rule in shown_dialog.buttons:
                if _mentions(shown_dialog, label):
                    quoted[rule in RIGHT].append(marks)
        shares = {side: sum(flags) / len(flags) for side, flags in quoted.items()}
        assert 0.4 < shares[True] < 0.6
        assert abs(shares[True] - shares[False]) < 0.05
        # Both are mentioned often enough that neither a quoted nor a mentioned label is almost always right.
        assert 0.2 < len(quoted[False]) / len(quoted[True]) < 1

    def test_neither_name_nor_place_tells_the_right_button(self, dialogs: list[Dialog]) -> None:
        two = [shown_dialog for shown_dialog in dialogs if len(shown_dialog.buttons) == 2]
        first = sum(shown_dialog.buttons[0][1] in RIGHT for shown_dialog in two) / len(two)
        assert 0.45 < first < 0.55
        named = [
            shown_dialog
            for shown_dialog in two
            if sum(bool(_mentions(shown_dialog, label)) for label, _ in shown_dialog.buttons) == 2
        ]
        begins = sum(
            min(shown_dialog.right, key=shown_dialog.text.find)
            == min(_labels(shown_dialog), key=shown_dialog.text.find)
            for shown_dialog in named
        )
        assert 0.35 < begins / len(named) < 0.65
        only_wrong = [
            shown_dialog
            for shown_dialog in two
            if not any(_mentions(shown_dialog, label) for label in shown_dialog.right)
        ]
        assert 0.1 < len(only_wrong) / len(two) < 0.3

    def test_boxes_differ(self, dialogs: list[Dialog]) -> None:
        assert len({(shown_dialog.width, shown_dialog.place) for shown_dialog in dialogs}) == len(
            catalogue().widths
        ) * len(catalogue().places)


def _labels(shown_dialog: Dialog) -> list[str]:
    return [label for label, _ in shown_dialog.buttons]


def _mentions(shown_dialog: Dialog, label: str) -> list[str]:
    return re.findall(rf"(?<!\w){re.escape(label)}(?!\w)", shown_dialog.text)


def _every_text() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each sentence of each kind that is no template, with the labels of its dialogs."""
    for kind in catalogue().kinds:
        sentences = (
            *kind.headings,
            *kind.openings,
            *(part for question in kind.questions for part in question),
            *catalogue().cues,
            *catalogue().stays,
        )
        yield from ((text, labels) for text, labels in product(sentences, catalogue().labels[kind.labels]))


def test_a_label_in_a_text_is_always_the_button() -> None:
    """Otherwise a text without quotation marks would be ambiguous."""
    for text, labels in _every_text():
        for label in labels:
            assert not re.search(rf"(?<!\w){re.escape(label)}(?!\w)", text), (text, label)
    kinds = {side.forms: catalogue().labels[kind.labels] for kind in catalogue().kinds for side in kind.sides}
    for name, sets in kinds.items():
        for form, labels in product(catalogue().forms[name], sets):
            bare = re.sub(r"\{\w+\}", "", form)
            assert not [label for label in labels if re.search(rf"(?<!\w){re.escape(label)}(?!\w)", bare)], form


def test_every_dialog_says_how_to_go_on(dialogs: list[Dialog]) -> None:
    """Its text names all buttons that continue, or all that do not."""
    for shown_dialog in dialogs:
        going = set(shown_dialog.right)
        named = {label for label in _labels(shown_dialog) if _mentions(shown_dialog, label)}
        assert going <= named or named == set(_labels(shown_dialog)) - going, shown_dialog.text
        assert "{" not in shown_dialog.text
        assert shown_dialog.word in shown_dialog.text
        assert shown_dialog.heading
        assert 0 < len(going) < len(shown_dialog.buttons)
        assert {rule for _, rule in shown_dialog.buttons} & {"mail", "word"} <= (
            {"mail", "word"} if shown_dialog.field else set()
        )
        assert bool(shown_dialog.choices) == any(rule == "choice" for _, rule in shown_dialog.buttons)
