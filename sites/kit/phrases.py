"""Phrases and moments that the data of a world is made of."""

from collections.abc import Mapping
from datetime import datetime, time, timedelta
from typing import Any

from sites.kit.data import Drawing, moment
from sites.kit.dates import MONTHS, WEEKDAYS


def phrase(template: str, words: Mapping[str, Any]) -> str:
    """Return a template with words in the place of their names, blanks collapsed, with a capital at its beginning."""
    text = " ".join(template.format_map(words).split())
    return text[:1].upper() + text[1:]


def times(drawing: Drawing, *key: Any, first: int, hours: int) -> dict[str, str]:
    """Return a day of the week, a month, and a time of day in one of so many hours from the first one on."""
    hour = first + int(drawing.unit(*key, "hour") * hours)
    return {
        "day": drawing.pick(WEEKDAYS, *key, "day"),
        "month": drawing.pick(MONTHS, *key, "month"),
        "time": f"{hour}:{drawing.pick(('00', '15', '30', '45'), *key, 'minute')}",
    }


def past(drawing: Drawing, days: float) -> str:
    """Return a moment so many whole days before today; what is left of `days` says when, between 7:30 and 19:30."""
    day = datetime.combine(drawing.start.date(), time(7, 30)) - timedelta(days=int(days))
    return moment(day + timedelta(minutes=int(days % 1 * 720)))
