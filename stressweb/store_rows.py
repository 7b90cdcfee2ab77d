"""How parts of a recording are written into columns of the run database, and read back."""

import json
from dataclasses import asdict
from typing import Any

from stressweb.agent import Dialog, Usage
from stressweb.checks import Grade
from stressweb.recording import EpisodeRecord, Shown


def grade_in(text: str | None) -> Grade | None:
    """Return the grade that a column holds."""
    return None if text is None else Grade(**json.loads(text))


def usage_in(text: str | None) -> Usage:
    """Return the usage that a column holds."""
    return Usage() if text is None else Usage(**{name: _frozen(value) for name, value in json.loads(text).items()})


def usage_column(usage: Usage) -> str | None:
    """Return a usage as it is stored: only what differs from nothing, and nothing at all for a scripted agent."""
    told = {name: value for name, value in asdict(usage).items() if value}
    return json.dumps(told) if told else None


def browser_in(text: str | None) -> tuple[Dialog | None, tuple[str, ...], int]:
    """Return the dialog, the tabs' titles and the number of the current tab that a column holds."""
    told = json.loads(text) if text else {}
    dialog = Dialog(**told["dialog"]) if "dialog" in told else None
    return dialog, tuple(told.get("tabs", ())), told.get("tab", 0)


def browser_column(page: Shown) -> str | None:
    """Return what the browser showed around a page, as it is stored."""
    dialog = None if page.dialog is None else asdict(page.dialog)
    told = {name: value for name, value in (("dialog", dialog), ("tabs", page.tabs), ("tab", page.tab)) if value}
    return json.dumps(told) if told else None


def episode_row(record: EpisodeRecord) -> tuple[Any, ...]:
    """Return an episode's row; its seal comes last, when all of its rows are there."""
    return (
        record.cell.key,
        record.status,
        record.claim,
        record.message,
        len(record.actions),
        None if record.grade is None else json.dumps(asdict(record.grade)),
        json.dumps(record.final),
        record.cell.mark_key,
        record.seconds,
        usage_column(record.usage),
        record.traceback,
        None,
    )


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
