"""Phrases and moments that the data of a world is made of."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from stressweb.sites.kit.data.drawing import Drawing
from stressweb.sites.kit.wording.dates import MONTHS, WEEKDAYS, moment


class LazyWords(dict[str, Any]):
    """Words of a phrase by their names; each is drawn when the phrase asks for it, as most phrases use one or two."""

    def __init__(
        self, drawing: Drawing, key: Sequence[Any], lists: Mapping[str, Sequence[Any]], **makers: Callable[[], Any]
    ) -> None:
        """Take the lists of which one each is picked, and what makes a word that stands in no list."""
        self._drawing, self._key, self._lists, self._made = drawing, key, lists, makers

    def __missing__(self, name: str) -> Any:
        """Draw a word; raises KeyError if there is none of that name."""
        make = self._made.get(name)
        self[name] = make() if make else self._drawing.pick(self._lists[name], *self._key, name)
        return self[name]


def phrase(template: str, words: Mapping[str, Any]) -> str:
    """Return a template with words in the place of their names, blanks collapsed, with a capital at its beginning."""
    text = " ".join(template.format_map(words).split())
    return text[:1].upper() + text[1:]


def times(drawing: Drawing, *key: Any, first: int, hours: int) -> dict[str, Callable[[], str]]:
    """Return what makes a day of the week, a month, and a time of day in one of so many hours from the first one on."""
    quarters = ("00", "15", "30", "45")
    return {
        "day": lambda: drawing.pick(WEEKDAYS, *key, "day"),
        "month": lambda: drawing.pick(MONTHS, *key, "month"),
        "time": lambda: f"{first + int(drawing.unit(*key, 'hour') * hours)}:{drawing.pick(quarters, *key, 'minute')}",
    }


def past(drawing: Drawing, days: float) -> str:
    """Return a moment so many whole days before today; what is left of `days` says when, between 7:30 and 19:30."""
    day = datetime.combine(drawing.start.date(), time(7, 30)) - timedelta(days=int(days))
    return moment(day + timedelta(minutes=int(days % 1 * 720)))
