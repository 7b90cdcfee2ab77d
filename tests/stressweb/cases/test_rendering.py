"""Trajectories as test cases: grouped into steps, in words, with changes as expected results."""

import pytest
from lxml.html import document_fromstring

from stressweb.cases.checking import holds
from stressweb.cases.rendering import checks, grouped, passing_case
from stressweb.cases.sight import read
from stressweb.cases.wording import action, expected
from stressweb.plugins.steps import Step
from stressweb.plugins.test_case import Check
from tests.stressweb.cases.toy_pages import FILLED, FILLS, PRESS, PRESSED

OPEN = Step(verb="open", target="Lamps")


def test_fields_that_are_filled_in_one_after_the_other_are_one_step() -> None:
    assert grouped((OPEN, *FILLS, *PRESS, *PRESS, FILLS[0])) == [(OPEN,), FILLS, PRESS, PRESS, (FILLS[0],)]
    assert grouped(()) == []


def test_a_case_has_actions_and_expected_results() -> None:
    case = passing_case("toy/filter-lamps", 0, [FILLS, PRESS], [FILLED, PRESSED])
    assert (case.id, case.title, case.truth.verdict) == ("cases/toy/filter-lamps", "Filter lamps", "pass")
    fill, press = case.steps
    assert fill.action == 'Enter "alta 40" into "Words", choose "Cheapest" for "Sort by" and tick "In stock"'
    assert press.action == 'Press "Apply"'
    for step, states in ((fill, FILLED), (press, PRESSED)):
        assert step.check is not None
        assert step.expected == expected(step.check)
        assert holds(step.check, states[-1])
        assert not holds(step.check, states[0])


def test_changes_are_checked_messages_first() -> None:
    assert [expected(check) for check in checks(PRESS, PRESSED)] == [
        'The message "1 filter is set." is shown',
        'The page has the heading "Cheap lamps"',
        "The number of listed entries is 2",
        '"Alta lamp" is listed before "Bergen lamp"',
        'The page says "2 lamps"',
    ]
    assert [expected(check) for check in checks(FILLS, FILLED)] == [
        'The box "In stock" is ticked',
        'The field "Sort by" shows "Cheapest"',
        'The field "Words" shows "alta 40"',
    ]


def test_where_nothing_changes_nothing_is_expected() -> None:
    still = (PRESSED[1], PRESSED[1])
    assert [*checks(PRESS, still)] == []
    assert passing_case("toy/nothing", 0, [PRESS], [still]).steps[0].expected == ""


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Step(verb="press", target="Delete", on="Oslo lamp"), 'Press "Delete" of "Oslo lamp"'),
        (Step(verb="untick", target="News"), 'Untick "News"'),
        (Step(verb="upload", target="Files", value="a.txt, b.txt"), 'Upload "a.txt" and "b.txt" by "Files"'),
        (Step(verb="open", target='The "best" lamps'), "Open 'The \"best\" lamps'"),
    ],
)
def test_actions_are_in_words(step: Step, words: str) -> None:
    assert action([step]) == words


@pytest.mark.parametrize(
    ("check", "before", "after"),
    [
        (Check(kind="gone", says="Oslo lamp"), False, True),
        (Check(kind="listed", says="Oslo lamp"), True, False),
        (Check(kind="count", says="2"), False, True),
        (Check(kind="order", says="Alta lamp", of="Bergen lamp"), False, True),
        (Check(kind="order", says="Alta lamp", of="Oslo lamp"), False, False),
        (Check(kind="line", says="3 lamps"), True, False),
        (Check(kind="unticked", says="On sale"), True, True),
        (Check(kind="unticked", says="No such box"), False, False),
        (Check(kind="field", says="alta 40", of="Words"), True, True),
        (Check(kind="field", says="", of="Words"), False, False),
        (Check(kind="button", says="Apply"), True, True),
        (Check(kind="button", says="Home"), False, False),
        (Check(kind="label", says="Words"), True, True),
    ],
)
def test_checks_hold_or_not(check: Check, before: bool, after: bool) -> None:
    assert (holds(check, PRESSED[0]), holds(check, PRESSED[1])) == (before, after)


def test_of_a_switch_only_its_name_is_expected() -> None:
    """A browser does not load the page again, so that neither a message nor another list is shown."""
    html = "<main><h1>{}</h1><div role=status>{}</div><form data-tally=0><button>{}</button></form></main>"
    pages = [("Posts", "", "Like"), ("Liked", "Done.", "Unlike"), ("Liked", "", "Unlike")]
    before, after, later = (read("/", document_fromstring(html.format(*page))) for page in pages)
    press = (Step(verb="press", target="Like"),)
    assert [expected(check) for check in checks(press, (before, after))] == ['There is a button "Unlike"']
    assert [*checks((Step(verb="press", target="Unlike"),), (after, later))] == []
