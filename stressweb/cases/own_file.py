"""Files of a user's own test cases: YAML, and CSV from a spreadsheet or PinATA; every error has its line."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from stressweb.cases import blocks, plain_table
from stressweb.cases.draft import Draft
from stressweb.cases.own_case import OwnCase
from stressweb.cases.sheet import table_rows
from stressweb.core import yaml_models
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.core.task_id import TaskId

ENDINGS = (".csv", ".yaml", ".yml")
_MOST_BYTES = 5_000_000
"""Largest file in bytes: enough for 10,000 cases of five steps."""
_LIST_SITES = "stressweb list sites"


class PlacedCase(NamedTuple):
    """A case, with the file and line where it begins."""

    case: OwnCase
    place: str


def read_own_cases(path: Path, sites: Collection[str]) -> list[PlacedCase]:
    """Return the test cases of a file; `sites` are the names of all sites.

    Raises UserError with file and line for the first mistake.
    """
    text = _text(path)
    if path.suffix.lower() == ".csv":
        # A file named like a site has cases of that site.
        site = path.stem.lower() if path.stem.lower() in sites else ""
        cases = [PlacedCase(draft.case(), draft.place) for draft in _drafts(path, text, site, sites)]
    else:
        cases = [*_of_yaml(path)]
    if not cases:
        raise UserError(f"{path}:1: holds no test case")
    _check(cases, sites)
    return cases


def _text(path: Path) -> str:
    """Return the content of a file; raises UserError if it is too large or not UTF-8."""
    try:
        size = path.stat().st_size
        if size > _MOST_BYTES:
            most = f"at most {_MOST_BYTES // 1_000_000} MB are read"
            raise UserError(f"{path}: has {size / 1_000_000:.1f} MB, and {most}; split it into several files")
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        # A spreadsheet writes a mark of three bytes before UTF-8.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x}"
        raise UserError(f'{path}:{line}: is not UTF-8 ({byte}); save the file as "CSV UTF-8"') from None


def _drafts(path: Path, text: str, site: str, sites: Collection[str]) -> Iterator[Draft]:
    """Yield the cases of a table with whole ids."""
    rows = table_rows(path, text)
    # Rows above the names of the columns are for people; above a block they state the site.
    header = next(place for place, row in enumerate(rows) if row.begins)
    if rows[header].is_title:
        drafts, hint = blocks.read_blocks(path, rows), blocks.SITE_HINT
    else:
        drafts, hint = plain_table.read_table(path, rows[header:]), plain_table.SITE_HINT
    for draft in drafts:
        named = draft.name.startswith("cases/")
        if not (named or draft.site or site):
            raise UserError(
                f"{draft.place}: {draft.called} names no site; {hint}, or call the file as a site is called: "
                f"{', '.join(f'{name}.csv' for name in sorted(sites)[:3])}"
            )
        if named and draft.site not in ("", TaskId.read(draft.name).site):
            raise UserError(f"{draft.place}: {draft.called} is not of site {draft.site!r}; clear one of both cells")
        if not named:
            draft.name_on(draft.site or site)
        yield draft


def _of_yaml(path: Path) -> Iterator[PlacedCase]:
    cases = yaml_models.read(path, list[OwnCase])
    for case, line in zip(cases, yaml_models.entry_lines(path), strict=True):
        yield PlacedCase(case, f"{path}:{line}")


def _check(cases: Iterable[PlacedCase], sites: Collection[str]) -> None:
    places: dict[str, str] = {}
    for case, place in cases:
        if case.site not in sites:
            raise UserError(f"{place}: {case.id}: {unknown('site', case.site, sites, command=_LIST_SITES)}")
        if case.id in places:
            other = f"the other is at {places[case.id]}"
            raise UserError(f"{place}: {case.id}: two test cases have this id, {other}; rename one of them")
        places[case.id] = place
