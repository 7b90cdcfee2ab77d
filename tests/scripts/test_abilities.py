"""The documents' matrix of abilities, from the results of a run."""

import pytest

from scripts.docs.abilities import agent_without, matrix, needed, read
from stressweb.perturbations import MODES

NAMES = ["verify", "search"]


def row(agent: str, condition: str, successes: int) -> dict[str, object]:
    return {"agent": agent, "condition": condition, "successes": successes, "episodes": 4, "errors": 0}


ROWS = [
    row(agent, condition, 1 if agent == agent_without("verify") and condition == "remap@3" else 4)
    for agent in ("resilient", *map(agent_without, NAMES))
    for condition in ("clean", *(f"{mode}@3" for mode in MODES))
]


def test_what_a_missing_ability_costs_is_set_in_bold() -> None:
    head, _, full, verify, search = matrix(read(ROWS), NAMES).splitlines()
    column = [cell.strip() for cell in head.split("|")].index("remap")
    assert [line.split("|")[column].strip() for line in (full, verify, search)] == ["4/4", "**1/4**", "4/4"]
    assert (full + search).count("4/4") == 2 * (len(MODES) + 1)
    assert "**" not in full + search


def test_the_modes_that_need_an_ability_are_named() -> None:
    assert needed(read(ROWS), NAMES) == (
        "* `verify` is needed in `remap`.\n* `search` is needed in none of these modes."
    )


def test_episodes_in_error_count_in_the_total() -> None:
    cells = read([{**row("resilient", "clean", 3), "episodes": 3, "errors": 1}])
    assert cells["resilient", "clean"] == (3, 4)


def test_a_run_that_lacks_a_cell_is_no_matrix() -> None:
    with pytest.raises(KeyError):
        matrix(read(ROWS[:3]), NAMES)
