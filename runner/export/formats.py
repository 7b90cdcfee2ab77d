"""Writes rows to files: CSV and JSON Lines with the standard library, Parquet with pyarrow."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from stressweb.core.errors import UserError
from stressweb.core.spreadsheet import guarded
from stressweb.runner.export.columns import Column, Kind, Row, Scalar


class Writer(ABC):
    """Writes the rows of a table to a new file; as a context manager it closes the file."""

    ending: ClassVar[str]
    """File name extension, without the dot."""

    @abstractmethod
    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        """Take the file and the columns."""

    @abstractmethod
    def write(self, row: Row) -> None:
        """Write a row, which must have a value for every column."""

    @abstractmethod
    def close(self) -> None:
        """Write the remaining rows and close the file."""

    def __enter__(self) -> Self:
        """Return the writer itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


class _Lines(Writer):
    """A text file in UTF-8, written row by row."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        """Take the file and the columns."""
        # Lone surrogates, which UTF-8 cannot encode, become escapes. Line ends are not translated, since CSV has the
        # same ones on every system.
        self._file = path.open("x", encoding="utf-8", errors="backslashreplace", newline="")
        self._names = [column.name for column in columns]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Csv(_Lines):
    """Comma-separated values as in RFC 4180: texts in quotes, `true` and `false`, and an empty field for None."""

    ending = "csv"

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        """Take the file and the columns, and write their names."""
        super().__init__(path, columns)
        # Column names need no quotes.
        self._file.write(",".join(self._names) + "\r\n")

    def write(self, row: Row) -> None:
        """Write a row."""
        self._file.write(",".join(_cell(row[name]) for name in self._names) + "\r\n")


class Jsonl(_Lines):
    """One JSON object per line, with names in the order of the columns."""

    ending = "jsonl"

    def write(self, row: Row) -> None:
        """Write a row."""
        # NaN and infinity are not JSON, so fail here rather than in the program that reads the file.
        line = json.dumps({name: row[name] for name in self._names}, ensure_ascii=False, allow_nan=False)
        self._file.write(f"{line}\n")


class Parquet(Writer):
    """Parquet, compressed with zstd; a column's metadata has its meaning and unit."""

    ending = "parquet"
    batch_rows = 5_000
    """Number of rows that are kept in memory and written together."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        """Take the file and the columns; raises UserError without pyarrow."""
        pyarrow, parquet = _pyarrow()
        kinds: dict[Kind, Any] = {
            "text": pyarrow.string(),
            "integer": pyarrow.int64(),
            "number": pyarrow.float64(),
            "boolean": pyarrow.bool_(),
        }
        column_metadata = [{"meaning": column.meaning, "unit": column.unit} for column in columns]
        fields = zip(columns, column_metadata, strict=True)
        self._schema = pyarrow.schema(
            [pyarrow.field(column.name, kinds[column.kind], metadata=metadata) for column, metadata in fields]
        )
        self._table = pyarrow.Table
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._texts = [column.name for column in columns if column.kind == "text"]
        self._rows: list[Row] = []

    def close(self) -> None:
        """Write the remaining rows and close the file."""
        self._flush()
        self._writer.close()

    def write(self, row: Row) -> None:
        """Add a row to the current batch, and write the batch if it is full."""
        # Arrow only accepts valid UTF-8, and a page may contain lone surrogates.
        self._rows.append({**row, **{name: _encodable(row[name]) for name in self._texts}})
        if len(self._rows) >= self.batch_rows:
            self._flush()

    def _flush(self) -> None:
        self._writer.write_table(self._table.from_pylist(self._rows, schema=self._schema))
        self._rows = []


def check_parquet() -> None:
    """Raise UserError if pyarrow is not installed."""
    _pyarrow()


def check_inspect() -> None:
    """Raise UserError if inspect-ai is not installed."""
    try:
        import inspect_ai.log  # noqa: F401, PLC0415 - an extra
    except ImportError:
        raise UserError(
            "an export to inspect needs inspect-ai; install it with: pip install 'stressweb[inspect]', "
            "or export to csv or jsonl"
        ) from None


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow.parquet  # noqa: PLC0415 - an extra
    except ImportError:
        raise UserError(
            "an export to parquet needs pyarrow; install it with: pip install 'stressweb[parquet]', "
            "or export to csv or jsonl"
        ) from None
    return pyarrow, pyarrow.parquet


def _cell(scalar: Scalar) -> str:
    if scalar is None:
        return ""
    if isinstance(scalar, str):
        # Guarded first, since the apostrophe goes inside the quotes.
        quoted = guarded(scalar).replace('"', '""')
        return f'"{quoted}"'
    # `repr` has the shortest digits from which the same float can be read.
    return str(scalar).lower() if isinstance(scalar, bool) else repr(scalar)


def _encodable(scalar: Scalar) -> Scalar:
    return scalar.encode("utf-8", "backslashreplace").decode() if isinstance(scalar, str) else scalar
