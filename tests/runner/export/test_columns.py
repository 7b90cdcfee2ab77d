"""Columns say what their values are."""

import pytest

from runner.export.columns import flat, in_json
from runner.export.tables import KEY, NAMES, TABLES, Name
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure

EPISODE = Graded(
    agent="naive", task="shop/one", site="shop", condition="remap@3", world_seed=0, stress_seed=0, epoch=0, status="done",
    claim="done", success=False, checkpoints_passed=1, checkpoints_total=2, harmed=False, steps=3,
    exposed={"remap": True}, bypasses=0, seconds=1.5,
)  # fmt: skip


@pytest.mark.parametrize("table", NAMES)
def test_every_column_has_a_name_of_its_own_and_a_meaning(table: Name) -> None:
    columns = TABLES[table].columns
    assert len({one.name for one in columns}) == len(columns)
    assert [one.name for one in columns if not one.meaning.strip().endswith(".")] == []
    assert [one.name for one in columns if one.kind == "number" and not one.unit] == []
    assert [one.name for one in columns if one.kind in ("text", "boolean") and one.unit] == []


@pytest.mark.parametrize("table", ["episodes", "steps", "ledger"])
def test_tables_are_joined_by_the_key(table: Name) -> None:
    assert [one.name for one in TABLES[table].columns if one.name in KEY] == list(KEY)


def test_intervals_are_two_columns_and_what_has_parts_is_json() -> None:
    (row,) = (one for one in measure([EPISODE]) if one.condition == "remap@3")
    found = flat(row)
    assert list(found) == [one.name for one in TABLES["results"].columns]
    assert (found["success_interval_low"], found["success_interval_high"]) == row.success_interval
    assert (found["difference_interval_low"], found["difference_interval_high"]) == (None, None)
    assert found["exposed_to"] == '{"remap": 1}'
    assert flat(EPISODE)["exposed"] == '{"remap": true}'
    assert in_json(None) is None


def test_values_are_of_the_kind_of_their_column() -> None:
    kinds = {"text": str, "integer": int, "number": float, "boolean": bool}
    for table, row in (("episodes", flat(EPISODE)), ("results", flat(measure([EPISODE])[0]))):
        told = {one.name: kinds[one.kind] for one in TABLES[table].columns}  # type: ignore[index]
        assert {name for name, value in row.items() if value is not None and type(value) is not told[name]} == set()
