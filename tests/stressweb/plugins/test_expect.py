"""What a task may say that it expects of the database."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from stressweb.plugins.expect import Expect


@pytest.mark.parametrize(
    "data",
    [
        {"cart": {"altered": [{"quantity": 1}]}},
        {"cart": {"altered": [{"where": {"id": "x"}}]}},
        {"cart": {"altered": [{"where": {"id": "x"}, "quantity": 1, "from": "line"}]}},
        {"cart": {"added": [{"where": {"id": "x"}, "quantity": 1}]}},
        {"cart": {"added": [{"each": {"a": "b", "c": "d"}, "quantity": 1}]}},
        {"cart": {"changed": []}},
    ],
)
def test_malformed_patterns_are_refused(data: Any) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Expect).validate_python(data)
