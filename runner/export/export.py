"""Exports a run to a folder, which is put in place once it is complete."""

from collections.abc import Mapping
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path

from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.words import counted
from stressweb.log.store import FILE, Store
from stressweb.runner.export import junit_suite
from stressweb.runner.export.folder import MARK, README, check, replacing
from stressweb.runner.export.formats import Csv, Jsonl, Parquet, Writer, check_inspect, check_parquet
from stressweb.runner.export.tables import KEY, NAMES, TABLES, Table, rows

_WRITERS: dict[str, type[Writer]] = {writer.ending: writer for writer in (Csv, Jsonl, Parquet)}
INSPECT, JUNIT = "inspect", "junit"
FORMATS = (*_WRITERS, INSPECT, JUNIT)
# In all formats, since an export may replace one in another format.
_FILES = frozenset((README, junit_suite.FILE, *(f"{name}.{ending}" for name in NAMES for ending in _WRITERS)))
"""Every file that an export may contain, except logs of Inspect AI."""
_NEEDS = {"parquet": check_parquet, INSPECT: check_inspect}


def export(run: Path, to: str, folder: Path, *, name: str) -> tuple[bool, dict[str, int]]:
    """Export a run in a format; return whether it replaced an export, and the numbers of rows, logs or tests.

    `name` is the name of the run. Raises UserError, and changes no file, for an unknown format, an unreadable or
    altered run, or a folder that is not an export.
    """
    check_format(to)
    # Report a missing package before reading the run, which may take long.
    if to in _NEEDS:
        _NEEDS[to]()
    # Also report a folder that must not be replaced first.
    replaced = check(folder, _FILES)
    with Store.read(run / FILE) as store, replacing(folder, _FILES, private=_is_in_run(folder, run)) as place:
        counts = (
            _logs(store, place, name)
            if to == INSPECT
            else _suites(store, place, name)
            if to == JUNIT
            else _tables(store, place, name, to)
        )
    return replaced, counts


def _logs(store: Store, place: Path, name: str) -> dict[str, int]:
    from stressweb.runner.export import inspect_log  # noqa: PLC0415 - needs inspect-ai, an extra

    count = inspect_log.write(store, place, name)
    (place / README).write_text(f"{MARK}\n# Run {name}\n\n{inspect_log.ABOUT}\n", encoding="utf-8")
    return {"logs": count}


def _suites(store: Store, place: Path, name: str) -> dict[str, int]:
    count = junit_suite.write(store, place)
    (place / README).write_text(f"{MARK}\n# Run {name}\n\n{junit_suite.ABOUT}\n", encoding="utf-8")
    return {"tests": count}


def _tables(store: Store, place: Path, name: str, to: str) -> dict[str, int]:
    # A table without rows also gets a file and a count.
    counts: dict[str, int] = dict.fromkeys(NAMES, 0)
    with ExitStack() as stack:
        kind = _WRITERS[to]
        writers = {table: stack.enter_context(kind(place / f"{table}.{to}", TABLES[table].columns)) for table in NAMES}
        for table, row in rows(store):
            writers[table].write(row)
            counts[table] += 1
    # Last, because it contains the numbers of rows.
    (place / README).write_text(_readme(name, to, counts), encoding="utf-8")
    return counts


def check_format(to: str) -> None:
    """Raise UserError for an unknown format."""
    if to not in FORMATS:
        raise UserError(unknown("format", to, FORMATS))


def _is_in_run(folder: Path, run: Path) -> bool:
    return folder.parent.resolve() == run.resolve()


def _readme(name: str, to: str, counts: Mapping[str, int]) -> str:
    parts = [
        MARK,
        f"# Run {name}\n",
        f"Written by stressweb {version('stressweb')}. Tables are joined by {', '.join(map('`{}`'.format, KEY))}.",
        f"{ABOUT[to]}\n",
        "These tables do not include pages and pictures; `stressweb bundle` archives the whole recording.\n",
    ]
    for table in NAMES:
        parts += [f"## {table}.{to}\n", f"{TABLES[table].meaning} {counted(counts[table], 'row')}.\n"]
        parts += [described(TABLES[table]), ""]
    return "\n".join(parts)


def described(table: Table) -> str:
    """Return the columns of a table with type, unit and meaning, as a Markdown table."""
    lines = ["| column | type | unit | meaning |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{column.name}` | {column.kind} | {column.unit} | {column.meaning.replace('|', '\\|')} |"
        for column in table.columns
    ]
    return "\n".join(lines)


ABOUT = {
    "csv": "CSV as in RFC 4180, in UTF-8, separated by commas. Texts are in quotes; a missing value is an empty field, "
    "an empty text is two quotes. A text that a spreadsheet could mistake for a formula, or that begins with an "
    "apostrophe, is preceded by an apostrophe; remove one from each text that begins with one.",
    "jsonl": "One JSON object per line, in UTF-8; a missing value is `null`.",
    "parquet": "Parquet, compressed with zstd; a missing value is null. The metadata of a column has its meaning and "
    "unit.",
}
"""Description of each format."""
