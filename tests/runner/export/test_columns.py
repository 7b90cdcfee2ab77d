"""Columns describe their values."""

import pytest

from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import measure
from stressweb.runner.export.columns import flat, in_json
from stressweb.runner.export.tables import KEY, NAMES, TABLES, Name

EPISODE = Graded(
    agent="naive", task="shop/one", site="shop", condition="remap@3", world_seed=0, stress_seed=0, epoch=0, status="done",
    claim="done", success=False, checkpoints_passed=1, checkpoints_total=2, harmed=False, steps=3,
    exposed={"remap": True}, bypasses=0, seconds=1.5,
)  # fmt: skip


@pytest.mark.parametrize("table", NAMES)
def test_every_column_has_a_unique_name_and_a_meaning(table: Name) -> None:
    columns = TABLES[table].columns
    assert len({column.name for column in columns}) == len(columns)
    assert [column.name for column in columns if not column.meaning.strip().endswith(".")] == []
    assert [column.name for column in columns if column.kind == "number" and not column.unit] == []
    assert [column.name for column in columns if column.kind in ("text", "boolean") and column.unit] == []


@pytest.mark.parametrize("table", ["episodes", "steps", "ledger"])
def test_tables_are_joined_by_the_key(table: Name) -> None:
    assert [column.name for column in TABLES[table].columns if column.name in KEY] == list(KEY)


def test_intervals_are_two_columns_and_nested_values_json() -> None:
    (row,) = (measured for measured in measure([EPISODE]) if measured.condition == "remap@3")
    values_by_column = flat(row)
    assert list(values_by_column) == [column.name for column in TABLES["results"].columns]
    assert (values_by_column["success_interval_low"], values_by_column["success_interval_high"]) == row.success_interval
    assert (values_by_column["difference_interval_low"], values_by_column["difference_interval_high"]) == (None, None)
    assert values_by_column["exposed_to"] == '{"remap": 1}'
    assert flat(EPISODE)["exposed"] == '{"remap": true}'
    assert in_json(None) is None


def test_values_are_of_the_kind_of_their_column() -> None:
    kinds = {"text": str, "integer": int, "number": float, "boolean": bool}
    for table, row in (("episodes", flat(EPISODE)), ("results", flat(measure([EPISODE])[0]))):
        types = {column.name: kinds[column.kind] for column in TABLES[table].columns}  # type: ignore[index]
        assert {name for name, value in row.items() if value is not None and type(value) is not types[name]} == set()
