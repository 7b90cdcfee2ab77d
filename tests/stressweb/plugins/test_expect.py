"""Patterns in a task for the expected changes of the database."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stressweb.plugins.expect import Expect


@pytest.mark.parametrize(
    "pattern",
    [
        {"cart": {"altered": [{"quantity": 1}]}},
        {"cart": {"altered": [{"where": {"id": "x"}}]}},
        {"cart": {"altered": [{"where": {"id": "x"}, "quantity": 1, "from": "line"}]}},
        {"cart": {"added": [{"where": {"id": "x"}, "quantity": 1}]}},
        {"cart": {"added": [{"each": {"a": "b", "c": "d"}, "quantity": 1}]}},
        {"cart": {"changed": []}},
    ],
)
def test_malformed_patterns_are_refused(pattern: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Expect).validate_python(pattern)
