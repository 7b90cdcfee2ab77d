"""Parameters that a task draws from a world."""

from typing import Any

import pytest

from stressweb.plugins.task_parameter import Given
from tests.stressweb.plugins.shelf import Shelf


@pytest.mark.parametrize(
    ("definition", "drawn"),
    [
        ({"pick": "Thing", "order": ["price"], "nth": 1}, "t0"),
        ({"pick": "Thing", "order": ["price"], "nth": -1}, "t2"),
        ({"pick": "Thing", "order": ["-price"], "nth": 1}, "t2"),
        ({"pick": "Thing", "where": {"price": {"at_least": 4}}}, "t2"),
        ({"pick": "Thing", "where": {"price": {"at_most": 0}}}, "t0"),
        ({"pick": "Thing", "where": {"id": {"one_of": ["t4", "t9"]}}}, "t4"),
        ({"pick": "Thing", "where": {"id": {"at_least": "{last}"}}}, "t4"),
        ({"pick": "Thing", "where": {"id": {"at_most": "t0z"}}}, "t0"),
        ({"pick": "Thing", "where": {"price": {"at_least": "{dear}"}}}, "t2"),
    ],
)
def test_the_drawn_row(definition: dict[str, Any], drawn: str) -> None:
    assert Given.model_validate(definition).draw(Shelf(), {"last": "t3z", "dear": 4}, "key").id == drawn
