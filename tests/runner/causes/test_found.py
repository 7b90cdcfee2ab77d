"""An episode by its name."""

import pytest

from runner.causes.found import named
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell

CELLS = [
    Cell(agent=agent, task=task, condition=condition, world=0, stress=None if condition == "clean" else 1)
    for task in ("shop/buy", "calendar/move")
    for agent in ("naive", "resilient(-gesture)")
    for condition in ("clean", "failure@3")
]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("shop/buy|naive|failure@3|0|1|0", "shop/buy|naive|failure@3|0|1|0"),
        ("buy|naive|clean", "shop/buy|naive|clean|0|-|0"),
        ("calendar/move|resilient(-gesture)|failure@3", "calendar/move|resilient(-gesture)|failure@3|0|1|0"),
        ("move | naive | | | 1", "calendar/move|naive|failure@3|0|1|0"),
    ],
)
def test_the_end_of_a_key_may_be_left_out(name: str, key: str) -> None:
    assert named(name, CELLS).key == key


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("buy", "episode 'buy' is not unique, 4 have that name: shop/buy|naive|clean|0|-|0; shop/buy|naive|failure@3"),
        ("|||||", "8 have that name"),
        ("by|naive|clean", "unknown episode 'by|naive|clean'; did you mean shop/buy|naive|clean|0|-|0?"),
        ("buy|naive|clean|0|-|0|0", "unknown episode"),
        ("", "is not unique, 8 have that name"),
    ],
)
def test_a_name_of_none_or_several_is_said(name: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        named(name, CELLS)
    assert said in str(error.value)
