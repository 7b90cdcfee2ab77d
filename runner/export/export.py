"""A run as a folder of tables: written row by row, and put in place when all of it is there."""

from collections.abc import Mapping
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Literal, get_args

from runner.export.folder import MARK, README, check, replacing
from runner.export.formats import Csv, Jsonl, Parquet, Writer, check_parquet
from runner.export.tables import KEY, NAMES, TABLES, Name, Table, rows
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.store import FILE, Store

type Format = Literal["csv", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format.__value__)
_WRITERS: dict[str, type[Writer]] = {one.ending: one for one in (Csv, Jsonl, Parquet)}
_FILES = frozenset((README, *(f"{name}.{ending}" for name in NAMES for ending in FORMATS)))
"""Every file that an export may hold."""


def export(run: Path, to: str, folder: Path, *, name: str = "") -> tuple[bool, dict[Name, int]]:
    """Write the tables of the run in a folder; return whether they replaced an earlier export, and the rows of each.

    `name` is what the run is called, by default as its folder. Raises UserError, and leaves every file as it is, for an
    unknown format, a run that cannot be read or was changed, or a folder that is no export.
    """
    check_format(to)
    if to == "parquet":
        check_parquet()
    replaced = check(folder, _FILES)
    counts: dict[Name, int] = dict.fromkeys(NAMES, 0)
    with Store.read(run / FILE) as store, replacing(folder, _FILES, private=_inside(folder, run)) as place:
        with ExitStack() as stack:
            kind = _WRITERS[to]
            writers = {
                table: stack.enter_context(kind(place / f"{table}.{to}", TABLES[table].columns)) for table in NAMES
            }
            for table, row in rows(store):
                writers[table].write(row)
                counts[table] += 1
        (place / README).write_text(_readme(name or run.resolve().name, to, counts), encoding="utf-8")
    return replaced, counts


def check_format(to: str) -> None:
    """Raise UserError for a format that there is not."""
    if to not in FORMATS:
        raise UserError(unknown("format", to, FORMATS))


def _inside(folder: Path, run: Path) -> bool:
    return folder.parent.resolve() == run.resolve()


def _readme(name: str, to: str, counts: Mapping[Name, int]) -> str:
    parts = [
        MARK,
        f"# Run {name}\n",
        f"Written by stressweb {version('stressweb')}. Tables are joined by {', '.join(f'`{one}`' for one in KEY)}.",
        f"{ABOUT[to]}\n",
        "Pages and pictures are not in these tables: `stressweb bundle` makes an archive of the whole recording.\n",
    ]
    for table in NAMES:
        parts += [f"## {table}.{to}\n", f"{TABLES[table].meaning} {counted(counts[table], 'row')}.\n"]
        parts += [described(TABLES[table]), ""]
    return "\n".join(parts)


def described(table: Table) -> str:
    """Return the columns of a table with type, unit and meaning, as a Markdown table."""
    lines = ["| column | type | unit | meaning |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{one.name}` | {one.kind} | {one.unit} | {one.meaning.replace('|', '\\|')} |" for one in table.columns
    ]
    return "\n".join(lines)


ABOUT = {
    "csv": "CSV as in RFC 4180, in UTF-8, with commas: texts stand in quotes, no value is nothing between the commas, "
    "and an empty text is two quotes. A text that a spreadsheet could take for a formula, or that begins with an "
    "apostrophe, has an apostrophe in front: take one away where a text begins with one.",
    "jsonl": "One JSON object a line, in UTF-8; no value is `null`.",
    "parquet": "Parquet, compressed with zstd; no value is null. Meaning and unit are in the metadata of each column.",
}
"""How each format is written."""
