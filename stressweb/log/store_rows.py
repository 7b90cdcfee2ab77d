"""Converts parts of a recording to columns of the run database and back."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, TypedDict

from pydantic import ConfigDict, Field, TypeAdapter

from stressweb.core.bounded_json import json_in
from stressweb.log.recording import EpisodeRecord, Shown
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Dialog, Usage
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange

type _Text = Annotated[str, Field(strict=True)]
# The 16 bytes of `hash_of` in hexadecimal.
type _Hash = Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{32}$")]
type _Row = dict[_Text, _Text | int | float | bool | None]


class _Change(TypedDict):
    """A table's change, as `TableChange.record` gives it."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    # `TableChange.read` accepts anything, so untrusted values are validated first.
    key: list[_Text]
    added: list[_Row]
    removed: list[_Row]
    altered: list[tuple[_Row, _Row]]


class _Surroundings(TypedDict, total=False):
    """What the browser showed around a page."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    dialog: Dialog
    tabs: tuple[_Text, ...]
    tab: int
    sources: dict[_Text, _Hash]
    """Hash of the stored value of each source, by its name."""


_USAGE, _AROUND = TypeAdapter(Usage), TypeAdapter(_Surroundings)
_FINAL: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[_Text, _Change])


def grade_in(text: str | None) -> Grade | None:
    """Return the grade that a column holds; raises ValueError if it holds something else."""
    return None if text is None else Grade.read(json_in(text))


def usage_in(text: str | None) -> Usage:
    """Return the usage that a column holds; raises ValueError if it holds something else."""
    return Usage() if text is None else _USAGE.validate_python(json_in(text))


def action_in(text: str | None) -> Action | None:
    """Return the action that a column holds; raises ValueError if it holds something else."""
    return None if text is None else Action.model_validate_json(text)


def outcome_in(text: str | None) -> Outcome | None:
    """Return the outcome that a column holds; raises ValueError if it holds something else."""
    return None if text is None else Outcome.model_validate_json(text)


def final_in(text: str) -> dict[str, TableChange]:
    """Return the change of a site's database that a column holds; raises ValueError if it holds something else."""
    changes = json_in(text)
    # Only validated: the stored values themselves are used, byte for byte.
    _FINAL.validate_python(changes)
    return {table: TableChange.read(change) for table, change in changes.items()}


def final_column(database_changes: Mapping[str, TableChange]) -> str:
    """Return the change of a site's database as it is stored."""
    return json.dumps({table: change.record() for table, change in database_changes.items()})


def usage_column(usage: Usage) -> str | None:
    """Return a usage as it is stored: only non-default values, and nothing for a scripted agent."""
    counts = {name: value for name, value in asdict(usage).items() if value}
    return json.dumps(counts) if counts else None


def browser_in(text: str | None) -> tuple[Dialog | None, tuple[str, ...], int]:
    """Return the dialog, the tabs' titles and the number of the current tab that a column holds."""
    surroundings = _surroundings_in(text)
    return surroundings.get("dialog"), surroundings.get("tabs", ()), surroundings.get("tab", 0)


def sources_in(text: str | None) -> dict[str, bytes]:
    """Return the hash of each source's value, by name, that a column holds; raises ValueError for something else."""
    return {name: bytes.fromhex(digest) for name, digest in _surroundings_in(text).get("sources", {}).items()}


def _surroundings_in(text: str | None) -> _Surroundings:
    # The depth is limited before pydantic walks through it.
    return _AROUND.validate_python(json_in(text)) if text else _Surroundings()


def browser_column(page: Shown, sources: Mapping[str, bytes]) -> str | None:
    """Return the browser's state around a page as it is stored; `sources` are the hashes of source values."""
    dialog = None if page.dialog is None else asdict(page.dialog)
    hashes = {name: digest.hex() for name, digest in sources.items()}
    parts = {"dialog": dialog, "tabs": page.tabs, "tab": page.tab, "sources": hashes}
    parts_present = {name: value for name, value in parts.items() if value}
    return json.dumps(parts_present) if parts_present else None


def episode_row(record: EpisodeRecord) -> tuple[Any, ...]:
    """Return an episode's row; its seal is written last, when all of its rows exist."""
    seal = None
    return (
        record.cell.key,
        record.status,
        record.claim,
        record.message,
        # Number of actions, so that measures can be computed without reading steps.
        len(record.actions),
        None if record.grade is None else json.dumps(record.grade.record()),
        final_column(record.final),
        record.seconds,
        usage_column(record.usage),
        record.traceback,
        seal,
    )
