"""Lays out a table of results for a width. Figures stay with their names, and nothing is silently omitted."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from stressweb.analysis.columns import Column, columns
from stressweb.analysis.measures import by_agent
from stressweb.analysis.result_row import ResultRow

# Python raises UnicodeEncodeError for characters that the terminal's encoding does not have.
_ASCII = str.maketrans({"−": "-", "–": "-", "·": "|"})
_BOUNDS = "errors: "
"""Prefix of the bounds of a difference, below it."""


class Names(Enum):
    """The position of a condition's name."""

    BESIDE = "in a column before the figures"
    FOLDED = "likewise, each mode on its own line"
    ABOVE = "on its own line, with the figures below it"
    LIST = "likewise, and each figure on its own line"


class Layout(NamedTuple):
    """The layout of a table."""

    columns: Sequence[Column]
    gap: int
    """Blanks between columns."""
    narrow: bool = False
    """Whether long headings take two lines."""
    names: Names = Names.BESIDE

    def heading(self, column: Column) -> str:
        """Return the heading of a column, in lines."""
        return column.narrow if self.narrow else column.wide


def fitting(rows: Sequence[ResultRow], width: int) -> Layout:
    """Return the widest layout whose lines fit; the narrowest always fits, because its lines wrap."""
    return next(layout for layout in _layouts(rows) if layout.names is Names.LIST or _width(rows, layout) <= width)


def _layouts(rows: Sequence[ResultRow]) -> Iterator[Layout]:
    """Yield the layouts in the order of preference: they give up blanks, long headings, columns, names at the side."""
    every = columns(rows)
    always = len(columns(rows, extra=False))
    for names in (Names.BESIDE, Names.FOLDED, Names.ABOVE):
        for count in range(len(every), always - 1, -1):
            for gap, narrow in ((2, False), (1, False), (1, True)):
                yield Layout(every[:count], gap, narrow, names)
    yield Layout(every, 1, names=Names.LIST)


def _width(rows: Sequence[ResultRow], layout: Layout) -> int:
    """Return the width of the longest line in cells."""
    figures = sum(width + layout.gap for width in _widths(rows, layout)) - layout.gap
    names = [f" {part}" for row in rows for part in (*_name(row, layout).split("\n"), row.agent)]
    longest = max(map(cell_len, names), default=0)
    if layout.names is Names.ABOVE:
        return max(longest, _INDENT + figures)
    return longest + layout.gap + figures


_INDENT = 3
"""Blanks before figures below a name."""


def _widths(rows: Sequence[ResultRow], layout: Layout) -> list[int]:
    """Return the width of each column of figures."""
    return [
        max(map(len, [*layout.heading(column).split("\n"), *(part for row in rows for part in _parts(column, row))]))
        for column in layout.columns
    ]


def _parts(column: Column, row: ResultRow) -> list[str]:
    return column.cell(row).split("\n")


def _name(row: ResultRow, layout: Layout) -> str:
    return row.condition.replace("+", "\n +") if layout.names is Names.FOLDED else row.condition


def grid(rows: Sequence[ResultRow], layout: Layout, *, plain: bool) -> RenderableType:
    """Return the rows with a line for each agent; `plain` for terminals with ASCII only."""
    if layout.names is Names.LIST:
        return Group(*_list(rows, layout, plain))
    if layout.names is Names.ABOVE:
        return Group(*_below_names(rows, layout, plain))
    table = _table(rows, layout, first=True)
    for number, (agent, own) in enumerate(by_agent(rows).items()):
        if number:
            table.add_row()
        table.add_row(written(f" {agent}", plain, "bold"), *_heads(layout, plain))
        for row in own:
            table.add_row(written(f" {_name(row, layout)}", plain), *_cells(row, layout, plain))
    return table


def _table(rows: Sequence[ResultRow], layout: Layout, *, first: bool) -> Table:
    table = Table(box=None, padding=(0, layout.gap, 0, 0), pad_edge=False, show_header=False)
    table.add_column(overflow="fold", min_width=0 if first else _INDENT - layout.gap)
    for width in _widths(rows, layout):
        table.add_column(justify="right", no_wrap=True, min_width=width)
    return table


def _below_names(rows: Sequence[ResultRow], layout: Layout, plain: bool) -> Iterator[RenderableType]:
    """Yield the agents, with the headings below each, and every condition with its figures below it."""
    for number, (agent, own) in enumerate(by_agent(rows).items()):
        if number:
            yield Text()
        yield written(f" {agent}", plain, "bold")
        heads = _table(rows, layout, first=False)
        heads.add_row("", *_heads(layout, plain))
        yield heads
        for row in own:
            yield written(f" {row.condition}", plain)
            figures = _table(rows, layout, first=False)
            figures.add_row("", *_cells(row, layout, plain))
            yield figures


def _list(rows: Sequence[ResultRow], layout: Layout, plain: bool) -> Iterator[RenderableType]:
    """Yield the agents, their conditions, and every figure after its name."""
    width = max((len(column.wide) for column in layout.columns), default=0)
    for number, (agent, own) in enumerate(by_agent(rows).items()):
        if number:
            yield Text()
        yield written(f" {agent}", plain, "bold")
        for row in own:
            yield written(f" {_name(row, layout._replace(names=Names.FOLDED))}", plain)
            for column in layout.columns:
                if column.needed is None or column.needed(row):
                    for part in _parts(column, row):
                        bounds = part.startswith(_BOUNDS)
                        name = "with errors" if bounds else column.wide
                        line = f"  {name:<{width}} {part.removeprefix(_BOUNDS).strip()}"
                        yield written(line, plain, column.colour(row))


def _heads(layout: Layout, plain: bool) -> list[Text]:
    heads = _levelled([layout.heading(column) for column in layout.columns])
    return [written(head, plain, "bold") for head in heads]


def _cells(row: ResultRow, layout: Layout, plain: bool) -> list[Text]:
    return [written(column.cell(row), plain, column.colour(row)) for column in layout.columns]


def _levelled(heads: Sequence[str]) -> list[str]:
    """Return headings that all end on the same line."""
    most = max((head.count("\n") for head in heads), default=0)
    return ["\n" * (most - head.count("\n")) + head for head in heads]


def renamed(rows: Sequence[ResultRow], names: Mapping[str, str]) -> list[ResultRow]:
    """Return the rows with their agents renamed by `names`."""
    return [row.model_copy(update={"agent": names[row.agent]}) for row in rows]


def written(text: str, plain: bool, style: str = "") -> Text:
    """Return a text in a style; `plain` replaces characters that an ASCII terminal does not have."""
    return Text(text.translate(_ASCII) if plain else text, style=style, overflow="fold")
