"""A wrong value that is corrected by the site's own form passes, if the site has such a form."""

import lxml.html
import pytest

from stressweb.runner.registry import Library
from stressweb.runner.verify.corrections import mistyped, wrong_value
from stressweb.runner.verify.detours import Detours
from stressweb.runner.verify.walks import TaskWalks
from stressweb.walking.walker import LostError

LIBRARY = Library()
KIND = "saved wrongly and corrected"


@pytest.mark.parametrize(
    ("field", "value", "wrong"),
    [
        ('<input type="text">', "Paint", "Painx"),
        ('<input type="text">', "Tax", "Tay"),
        ('<input type="text">', "plan.pdf", "plax.pdf"),
        ("<textarea></textarea>", "Paint", "Painx"),
        ('<input type="date">', "2025-12-31", "2026-01-01"),
        ('<input type="time">', "09:50", "10:05"),
        ('<input placeholder="hh:mm">', "23:50", "00:05"),
        ('<input type="number" max="9">', "4", "5"),
        ('<input type="number" max="9">', "9", "8"),
        ('<input type="number">', "-4", None),
        ('<input type="password">', "secret", None),
        ('<select><option value="">Choose<option value="a">A<option value="b">B</select>', "A", "B"),
        ('<select><option value="">Choose<option value="a">A</select>', "A", None),
    ],
)
def test_a_wrong_value_is_valid_for_its_field(field: str, value: str, wrong: str | None) -> None:
    assert wrong_value(lxml.html.fragment_fromstring(field), value) == wrong


def test_a_mistyped_name_makes_another_address() -> None:
    assert mistyped("Paint the shed") == "Paint the shex"


@pytest.mark.parametrize(
    ("task", "is_corrected"),
    [
        # A number in the cart can be changed.
        ("shop/two-of-a-named-product", True),
        # An order that was placed cannot.
        ("shop/cancel-an-order", False),
    ],
)
def test_a_value_is_corrected_where_the_site_has_a_form_for_it(task: str, is_corrected: bool) -> None:
    walks = TaskWalks(LIBRARY.goal(task, 0), LIBRARY.world("shop", 0), LIBRARY.checklist("shop"))
    detours = Detours(walks)
    for detour in [candidate for candidate in detours.all() if candidate.kind == KIND][:1]:
        walker = walks.walker()
        if is_corrected:
            detour.walk(walker)
            assert walks.grade(walker.run(walks.goal)).success
        else:
            with pytest.raises(LostError, match="no form corrects"):
                detour.walk(walker)
        assert detours.wrong(detour) == ""
        return
    pytest.fail(f"{task} has no value that can be saved wrongly")
