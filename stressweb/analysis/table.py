"""The table at the end of a run: what a person reads, and the same rows for programs."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stressweb.analysis.columns import Column, columns
from stressweb.analysis.graded import Graded
from stressweb.analysis.horizons import horizon_lines
from stressweb.analysis.measures import by_agent, measure
from stressweb.analysis.pairing import family_of, task_of
from stressweb.analysis.remarks import legend, remarks
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.wording import families_said, ranges
from stressweb.core.words import counted

# Python raises UnicodeEncodeError for a sign that the encoding of the terminal does not have.
_ASCII = str.maketrans({"−": "-", "–": "-", "·": "|"})


class Layout(NamedTuple):
    """How a table is laid out."""

    columns: list[Column]
    gap: int
    """Blanks between columns."""
    narrow: bool = False
    """Whether long headings take two lines."""
    folded: bool = False
    """Whether every mode of a condition has a line of its own."""

    def heading(self, column: Column) -> str:
        """Return the heading of a column, in lines."""
        return column.narrow if self.narrow else column.wide


class Summary:
    """The table of a run; it renders for the width, the colours and the characters that the terminal has."""

    def __init__(self, episodes: Sequence[Graded], *, explain: bool = False, unfinished: str = "") -> None:
        """Measure the episodes; `explain` adds what the columns mean, `unfinished` what has not run yet."""
        self.headline = headline(episodes)
        self.rows = measure(episodes)
        self.horizons = horizon_lines(episodes)
        self.explain = explain
        self.unfinished = unfinished

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the headline, the table, and what must be known to read it."""
        plain = options.ascii_only
        layout = self._fitting(console, options)
        # A layout leaves columns out from the end only, so that what follows its last one is all that is missing.
        left_out = columns(self.rows)[len(layout.columns) :]
        # First, because every figure of the table is of a part of the plan.
        missing = [self.unfinished[:1].upper() + self.unfinished[1:] + "."] if self.unfinished else []
        notes = [*missing, *_spelled(self.rows, left_out), *remarks(self.rows)]
        if self.explain:
            notes = [*notes, *legend(columns(self.rows), self.rows)]
        yield Group(
            note(self.headline, plain, ""),
            Text(),
            _grid(self.rows, layout, plain=plain),
            *([Text()] if self.horizons else []),
            *(note(line, plain, "") for line in self.horizons),
            *([Text()] if notes else []),
            *(note(line, plain) for line in notes),
        )

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Take all the width there is up to what the widest layout needs."""
        return Measurement(min(80, options.max_width), options.max_width)

    def _fitting(self, console: Console, options: ConsoleOptions) -> Layout:
        """Return the roomiest layout that fits."""
        every = columns(self.rows)
        always = len(columns(self.rows, extra=False))
        # In order of what a reader misses least: first the blanks between columns, then long headings, then whole
        # columns.
        layouts = [
            Layout(every[:count], gap=gap, narrow=narrow)
            for count in range(len(every), always - 1, -1)
            for gap, narrow in ((2, False), (1, False), (1, True))
        ]
        for layout in layouts:
            grid = _grid(self.rows, layout, plain=options.ascii_only)
            # Measured as if there were room without end: rich takes no table for wider than the terminal.
            if Measurement.get(console, options.update(max_width=10_000), grid).maximum <= options.max_width:
                return layout
        return layouts[-1]._replace(folded=True)


def summary(episodes: Iterable[Graded], *, explain: bool = False, unfinished: str = "") -> Summary:
    """Return the table of a run as a rich renderable; `explain` and `unfinished` as for `Summary`."""
    return Summary(list(episodes), explain=explain, unfinished=unfinished)


def rows(episodes: Iterable[Graded]) -> list[dict[str, Any]]:
    """Return the same figures for programs, one dictionary of JSON values per agent and condition."""
    return to_json(measure(episodes))


def to_json(measured: Iterable[ResultRow]) -> list[dict[str, Any]]:
    """Return rows as JSON values: rates and differences 0 to 1, intervals as [low, high], unknown as null."""
    return [row.model_dump(mode="json") for row in measured]


def headline(episodes: Sequence[Graded]) -> str:
    """Return in one line what was run: conditions, sites, number of tasks, worlds, stress seeds, epochs."""
    # Nearly every run has clean, as what the others are compared with: it is named only where it stands alone.
    conditions = [label for label in dict.fromkeys(e.condition for e in episodes) if label != "clean"]
    stress = {e.stress_seed for e in episodes if e.stress_seed is not None}
    epochs = len({e.epoch for e in episodes})
    parts = [
        ", ".join(conditions) or "clean",
        _sites_said(sorted({e.site for e in episodes})),
        families_said(len(set(map(task_of, episodes))), len(set(map(family_of, episodes)))),
        f"world {ranges({e.world_seed for e in episodes})}",
        f"stress {ranges(stress)}" if stress else "",
        counted(epochs, "epoch") if epochs > 1 else "",
    ]
    return " · ".join(filter(None, parts))


def _sites_said(sites: Sequence[str]) -> str:
    # More names than these would take a line of their own.
    return counted(len(sites), "site") if len(sites) > 3 else ", ".join(sites) or "no site"


def _spelled(measured: Sequence[ResultRow], left_out: Sequence[Column]) -> list[str]:
    """Return in words what the columns that find no room have to say."""
    said = {
        f"{row.agent} {row.condition}": [
            f"{column.wide} {column.cell(row)}".replace("\n", ", ")
            for column in left_out
            if column.shown is None or column.shown(row)
        ]
        for row in measured
    }
    return [f"{name}: {', '.join(parts)}." for name, parts in said.items() if parts]


def _grid(measured: Sequence[ResultRow], layout: Layout, *, plain: bool) -> Table:
    """Lay the rows out under their agents; only names may fold, so that no figure is ever cut."""
    table = Table(box=None, padding=(0, layout.gap, 0, 0), pad_edge=False, show_header=False)
    table.add_column(overflow="fold")
    for column in layout.columns:
        texts = [
            *layout.heading(column).split("\n"),
            *(part for row in measured for part in column.cell(row).split("\n")),
        ]
        table.add_column(justify="right", no_wrap=True, min_width=max(map(len, texts)))
    for at, (agent, own) in enumerate(by_agent(measured).items()):
        if at:
            table.add_row()
        heads = _levelled([layout.heading(column) for column in layout.columns])
        table.add_row(written(f" {agent}", plain, "bold"), *(written(head, plain, "bold") for head in heads))
        for row in own:
            cells = (written(column.cell(row), plain, column.colour(row)) for column in layout.columns)
            name = row.condition.replace("+", "\n +") if layout.folded else row.condition
            table.add_row(written(f" {name}", plain), *cells)
    return table


def _levelled(heads: Sequence[str]) -> list[str]:
    """Return headings that all end on the same line."""
    most = max((head.count("\n") for head in heads), default=0)
    return ["\n" * (most - head.count("\n")) + head for head in heads]


def note(text: str, plain: bool, style: str = "dim") -> Padding:
    """Return a line of text beside a table; `plain` where the terminal has ASCII only."""
    return Padding(written(text, plain, style), (0, 0, 0, 1), expand=False)


def written(text: str, plain: bool, style: str = "") -> Text:
    """Return a text in a style, without signs that an ASCII terminal lacks if it is `plain`."""
    return Text(text.translate(_ASCII) if plain else text, style=style)
