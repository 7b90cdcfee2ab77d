"""Checks the expected result of a step on a page."""

from collections.abc import Callable, Mapping

from stressweb.cases.sight import Sight
from stressweb.plugins.test_case import Check, CheckKind


def holds(check: Check, sight: Sight) -> bool:
    """Return whether a page meets an expectation."""
    return _HOLDS[check.kind](check, sight)


def _comes_first(check: Check, sight: Sight) -> bool:
    listed = sight.listed
    return check.says in listed and check.of in listed and listed.index(check.says) < listed.index(check.of)


_HOLDS: Mapping[CheckKind, Callable[[Check, Sight], bool]] = {
    "heading": lambda check, sight: sight.heading == check.says,
    "message": lambda check, sight: check.says in sight.messages,
    "line": lambda check, sight: check.says in sight.text,
    "field": lambda check, sight: sight.fields.get(check.of) == check.says,
    "ticked": lambda check, sight: sight.boxes.get(check.says) is True,
    "unticked": lambda check, sight: sight.boxes.get(check.says) is False,
    "listed": lambda check, sight: check.says in sight.listed,
    "gone": lambda check, sight: check.says not in sight.listed,
    "count": lambda check, sight: len(sight.listed) == int(check.says),
    "order": _comes_first,
    "button": lambda check, sight: ("button", check.says) in sight.controls,
    "label": lambda check, sight: check.says in sight.fields or check.says in sight.boxes,
}
