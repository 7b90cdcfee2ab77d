"""Phrases and moments for the data of a world."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from stressweb.sites.kit.data.drawing import Drawing
from stressweb.sites.kit.wording.capitals import capitalized
from stressweb.sites.kit.wording.dates import MONTHS, WEEKDAYS, moment


class LazyWords(dict[str, Any]):
    """Words for a phrase by name; each is drawn on first use, because most phrases use only one or two."""

    def __init__(
        self, drawing: Drawing, key: Sequence[Any], lists: Mapping[str, Sequence[Any]], **makers: Callable[[], Any]
    ) -> None:
        """Take lists to pick words from, and functions that make the words that are in no list."""
        self._drawing, self._key, self._lists, self._makers = drawing, key, lists, makers

    def __missing__(self, name: str) -> Any:
        """Draw and keep a word; raises KeyError for an unknown name."""
        make = self._makers.get(name)
        self[name] = make() if make else self._drawing.pick(self._lists[name], *self._key, name)
        return self[name]


def phrase(template: str, words: Mapping[str, Any]) -> str:
    """Return a template filled with words, with white space collapsed and a capital first letter."""
    return capitalized(" ".join(template.format_map(words).split()))


def times(drawing: Drawing, *key: Any, first: int, hours: int) -> dict[str, Callable[[], str]]:
    """Return functions that draw a weekday, a month, and a time of day within `hours` hours from hour `first` on."""
    quarters = ("00", "15", "30", "45")
    return {
        "day": lambda: drawing.pick(WEEKDAYS, *key, "day"),
        "month": lambda: drawing.pick(MONTHS, *key, "month"),
        "time": lambda: f"{first + int(drawing.unit(*key, 'hour') * hours)}:{drawing.pick(quarters, *key, 'minute')}",
    }


def past(drawing: Drawing, days: float) -> str:
    """Return a moment `days` whole days before today; the fraction of `days` sets the time, from 7:30 to 19:30."""
    day = datetime.combine(drawing.start.date(), time(7, 30)) - timedelta(days=int(days))
    return moment(day + timedelta(minutes=int(days % 1 * 720)))
