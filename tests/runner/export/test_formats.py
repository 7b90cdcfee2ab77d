"""Independent readers read the same values back from every format."""

import csv
import json
import math
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import UserError
from stressweb.core.spreadsheet import guarded, unguarded
from stressweb.runner.export.columns import Column, Kind, Row, Scalar
from stressweb.runner.export.formats import Csv, Jsonl, Parquet, Writer, check_parquet

COLUMNS = tuple(Column(kind, kind, "Anything.") for kind in ("text", "integer", "number", "boolean"))
VALUES = st.fixed_dictionaries(
    {
        "text": st.none() | st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(["=1+1", "'", "''=", "", "\r\n", '"']),
        "integer": st.none() | st.integers(-(2**63), 2**63 - 1),
        "number": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "boolean": st.none() | st.booleans(),
    }
)  # fmt: skip
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def write_rows(kind: type[Writer], rows: list[Row], folder: Path) -> Path:
    path = folder / f"rows.{kind.ending}"
    path.unlink(missing_ok=True)
    with kind(path, COLUMNS) as writer:
        for row in rows:
            writer.write(row)
    return path


def parsed(kind: Kind, cell: str) -> Scalar:
    if kind == "text":
        return unguarded(cell)
    if not cell:
        return None
    if kind == "boolean":
        return {"true": True, "false": False}[cell]
    return int(cell) if kind == "integer" else float(cell)


@given(st.lists(VALUES))
def test_csv_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    path = write_rows(Csv, rows, tmp_path_factory.getbasetemp())
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, strict=True))
    assert lines[0] == [column.name for column in COLUMNS]
    read_rows = [
        {column.name: parsed(column.kind, cell) for column, cell in zip(COLUMNS, line, strict=True)}
        for line in lines[1:]
    ]
    # The reader of Python 3.12 does not distinguish no value from an empty text; the next test does.
    assert read_rows == [{**row, "text": row["text"] or ""} for row in rows]


@given(st.lists(VALUES))
def test_json_lines_come_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    text = write_rows(Jsonl, rows, tmp_path_factory.getbasetemp()).read_bytes().decode()
    assert [json.loads(line) for line in text.split("\n")[:-1]] == rows


def test_no_value_is_not_an_empty_text(tmp_path: Path) -> None:
    rows: list[Row] = [dict.fromkeys(("text", "integer", "number", "boolean")), {"text": "", "integer": 0, "number": -0.0, "boolean": False}]  # fmt: skip
    assert write_rows(Csv, rows, tmp_path).read_bytes().split(b"\r\n")[1:] == [b",,,", b'"",0,-0.0,false', b""]


@pytest.mark.parametrize("start", FORMULAS)
def test_no_text_can_be_a_formula(tmp_path: Path, start: str) -> None:
    text = f"{start}cmd|' /C calc'!A0"
    row: Row = {"text": text, "integer": -1, "number": -1.5, "boolean": True}
    raw = write_rows(Csv, [row], tmp_path).read_bytes().decode().partition("\r\n")[2]
    assert raw.startswith(f"\"'{start}")
    # A negative number stays a number.
    assert raw.endswith(",-1,-1.5,true\r\n")


@given(st.text())
def test_a_guarded_text_begins_with_nothing_that_calculates(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(FORMULAS)
    assert guarded(text) in (text, f"'{text}")
    assert guarded(text) == text or text.startswith((*FORMULAS, "'"))


def test_half_a_character_is_written_as_an_escape(tmp_path: Path) -> None:
    row: Row = {"text": "a\ud800", "integer": 1, "number": 1.0, "boolean": True}
    assert json.loads(write_rows(Jsonl, [row], tmp_path).read_text("utf-8")) == row
    assert write_rows(Csv, [row], tmp_path).read_text("utf-8").endswith('"a\\ud800",1,1.0,true\n')


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("mine")
    with pytest.raises(FileExistsError):
        Csv(tmp_path / "rows.csv", COLUMNS)


def test_parquet_without_pyarrow_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=re.escape("pip install 'stressweb[parquet]'")):
        check_parquet()


class SmallBatches(Parquet):
    batch_rows = 3


def test_parquet_comes_back(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an extra: pip install 'stressweb[parquet]'")
    rows: list[Row] = [
        {"text": None if n == 2 else f"='{n}", "integer": -(2**63) + n, "number": math.pi * n, "boolean": n % 2 == 0} for n in range(8)
    ]  # fmt: skip
    read_table = parquet.read_table(write_rows(SmallBatches, rows, tmp_path))
    assert read_table.to_pylist() == rows
    assert read_table.schema.field("number").metadata == {b"meaning": b"Anything.", b"unit": b""}
