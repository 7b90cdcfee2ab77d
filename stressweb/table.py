"""The table at the end of a run: what a person reads, and the same rows for programs."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from stressweb.human import HUMAN_STEPS
from stressweb.measures import Graded, Row, measure
from stressweb.statistics import Interval, unseen

_ASCII = str.maketrans({"−": "-", "–": "-", "·": "|", "Δ": "d"})
_NOTE = (
    "claimed/actual: said done/succeeded · Δ clean: points, paired by task, tasks resampled · "
    "errors: ours, counted nowhere else"
)


class Column(NamedTuple):
    """A column: its heading where there is room, and where there is not."""

    wide: str
    narrow: str
    left: bool = False


COLUMNS = (
    Column("agent", "agent", left=True),
    Column("condition", "condition", left=True),
    Column("success", "success"),
    Column("checkpoints", "check-\npoints"),
    Column("steps", "steps"),
    Column("claimed/actual", "claimed/\nactual"),
    Column("Δ clean [95 %]", "Δ clean\n[95 %]"),
    Column("exposed", "ex-\nposed"),
    Column("errors", "er-\nrors"),
)


class Summary:
    """The table of a run; it renders for the width, the colours and the characters that the terminal has."""

    def __init__(self, episodes: Sequence[Graded], title: str) -> None:
        """Measure the episodes; `title` stands at the right of the headline: the run's path."""
        self.headline = headline(episodes)
        self.title = title
        self.rows = measure(episodes)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the headline, the table and what its columns mean."""
        plain = options.ascii_only
        wide = _natural(console, options, _grid(self.rows, wide=True, plain=plain)) <= options.max_width
        lines = [_text(_title(self.headline, self.title, options.max_width), plain), Text()]
        notes = [_text(note, plain, "dim") for note in remarks(self.rows)]
        yield Group(*lines, _grid(self.rows, wide, plain), Text(), *notes)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Take all the width there is up to what the widest layout needs."""
        return Measurement(min(80, options.max_width), options.max_width)


def summary(episodes: Iterable[Graded], title: str) -> Summary:
    """Return the table of a run as a rich renderable; `title` is the run's path.

    The rest of the headline (conditions, sites, tasks, worlds, stress seeds) is read from the episodes.
    """
    return Summary(list(episodes), title)


def rows(episodes: Iterable[Graded]) -> list[dict[str, Any]]:
    """Return the same figures for programs, one dictionary of JSON values per agent and condition."""
    return to_json(measure(episodes))


def to_json(measured: Iterable[Row]) -> list[dict[str, Any]]:
    """Return rows as JSON values: rates and differences 0 to 1, intervals as [low, high], unknown as null."""
    return [row.model_dump(mode="json") for row in measured]


def headline(episodes: Sequence[Graded]) -> str:
    """Say in one line what was run: conditions, sites, number of tasks, worlds, stress seeds."""
    conditions = [label for label in dict.fromkeys(e.condition for e in episodes) if label != "clean"]
    tasks = len({(e.site, e.task) for e in episodes})
    parts = [
        ", ".join(conditions) or "clean",
        ", ".join(sorted({e.site for e in episodes})) or "no site",
        f"{tasks} task{'' if tasks == 1 else 's'}",
        f"world {_ranges({e.world_seed for e in episodes})}",
        f"stress {_ranges({e.stress_seed for e in episodes})}",
    ]
    return " · ".join(parts)


def points(difference: float, interval: Interval | None) -> tuple[str, str]:
    """Return a difference and its interval in percentage points, as they are printed."""
    span = f"[{_signed(interval.low)}, {_signed(interval.high)}]" if interval else ""
    return _signed(difference), span


def _signed(share: float) -> str:
    whole = _rounded(100 * share)
    return f"−{-whole}" if whole < 0 else str(whole)


def _rounded(value: float) -> int:
    # Away from zero at .5, in both directions: a loss and an equal gain must print the same figure.
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{_rounded(100 * share)} %"


def _ranges(seeds: Iterable[int]) -> str:
    ordered = sorted(seeds)
    if len(ordered) > 2 and ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"{ordered[0]}..{ordered[-1]}"
    return ", ".join(map(str, ordered)) or "–"


def _title(left: str, right: str, width: int) -> str:
    space = width - len(left) - len(right) - 2
    if space < 2:
        return f" {left}\n {right}" if right else f" {left}"
    return f" {left}{' ' * space}{right}"


def _natural(console: Console, options: ConsoleOptions, table: Table) -> int:
    """Return the width at which nothing of a table folds."""
    return Measurement.get(console, options.update(max_width=10_000), table).maximum


def _grid(measured: Sequence[Row], wide: bool, plain: bool) -> Table:
    """Lay the rows out; only agent and condition may fold, so that no figure is ever cut."""
    table = Table(box=None, padding=(0, 1 if wide else 0, 0, 1), pad_edge=wide, header_style="bold")
    cells = [figures(row, wide=wide) for row in measured]
    for at, column in enumerate(COLUMNS):
        heading = column.wide if wide else column.narrow
        least = max(len(line) for text in [heading, *(row[at] for row in cells)] for line in text.split("\n"))
        table.add_column(
            _text(heading, plain),
            justify="left" if column.left else "right",
            overflow="fold",
            no_wrap=not column.left,
            min_width=None if column.left else least,
        )
    for row, texts in zip(measured, cells, strict=True):
        table.add_row(*(_text(text, plain, style) for text, style in zip(texts, colours(row), strict=True)))
    return table


def figures(row: Row, *, wide: bool) -> list[str]:
    """Return a row as it is printed, a text for each of `COLUMNS`."""
    total = len(str(row.episodes)) * 2 + 1
    success = f"{f'{row.successes}/{row.episodes}':>{total}}"
    return [
        row.agent,
        row.condition if wide else row.condition.replace("+", "\n+"),
        f"{success}  {_percent(row.success):>5}" if wide else f"{success} {_percent(row.success)}",
        _percent(row.checkpoints),
        "–" if row.steps is None else f"{row.steps:.1f}",
        f"{row.claimed}/{row.successes}",
        _difference(row, " " if wide else "\n"),
        f"{row.exposed}/{row.exposable}" if row.exposable else "–",
        str(row.errors),
    ]


def _difference(row: Row, between: str) -> str:
    return "–" if row.difference is None else between.join(points(row.difference, row.difference_interval))


def colours(row: Row) -> list[str]:
    """Colour what a reader must not miss: a loss that the interval confirms, claims beyond successes, errors."""
    lost = row.difference_interval is not None and row.difference_interval.high < 0
    hollow = row.claimed > row.successes
    unmet = row.exposed < row.exposable
    return [
        "", "", "", "", "", "yellow" if hollow else "", "red" if lost else "", "yellow" if unmet else "",
        "red" if row.errors else "",
    ]  # fmt: skip


def remarks(measured: Sequence[Row]) -> list[str]:
    """Return what must be said under the table: what its columns mean, and what to be careful with."""
    notes = [_NOTE]
    flat = [row.paired_tasks for row in measured if row.difference_interval and _widthless(row.difference_interval)]
    if flat:
        notes.append(
            "An interval of no width: all tasks agreed in this run. Of other tasks of the kind up to "
            f"{_percent(unseen(min(flat)))} might not (n = {min(flat)})."
        )
    people = {row.condition: HUMAN_STEPS[row.condition] for row in measured if row.condition in HUMAN_STEPS}
    if people:
        took = ", ".join(f"{condition} {steps:.1f}" for condition, steps in people.items())
        notes.append(f"Mean steps of the paper's people, on its own tasks: {took}.")
    unproven = [condition for condition in dict.fromkeys(row.condition for row in measured) if "(" in condition]
    if unproven:
        notes.append(f"Unproven, with parameters beyond the published tables: {', '.join(unproven)}.")
    if any(row.episodes > row.tasks for row in measured):
        notes.append("Tasks were repeated: rates are over episodes, differences over tasks.")
    ways = [f"{row.agent} {row.condition} {row.bypasses}" for row in measured if row.bypasses]
    if ways:
        notes.append(f"Went to a URL directly: {', '.join(ways)}.")
    paid = [
        f"{row.agent} {row.condition} {row.tokens_in:,} + {row.tokens_out:,}"
        for row in measured
        if row.tokens_in or row.tokens_out
    ]
    if paid:
        notes.append(f"Tokens read + written: {'; '.join(paid)}.")
    return notes


def _widthless(interval: Interval) -> bool:
    return interval.high - interval.low < 1e-9


def _text(text: str, plain: bool, style: str = "") -> Text:
    return Text(text.translate(_ASCII) if plain else text, style=style)
