"""Curves and comparisons for the terminal, in the style of a run's table."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.curves.sections import Section, sections
from stressweb.analysis.table import note
from stressweb.analysis.table_layout import written

_LONG = 14
"""Longest name that is not folded, in characters."""


class Pages(NamedTuple):
    """The curves of a run as a rich renderable."""

    headline: str
    curves: Curves
    explain: bool = False
    """Whether to add the legend of the columns."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield a table for each section with data, and the list of curves without data."""
        plain = options.ascii_only
        tables = list(sections(self.curves))
        if self.headline:
            yield note(self.headline, plain, "")
        for section in tables:
            yield Text()
            yield from _rendered(section, plain=plain)
        # Without duplicates, because sections of the same kind have the same legend.
        legend = dict.fromkeys(line for section in tables for line in section.legend) if self.explain else {}
        for lines in (self.curves.missing, legend):
            if lines:
                yield Text()
                yield from (note(line, plain) for line in lines)


def _rendered(section: Section, *, plain: bool) -> Iterator[RenderableType]:
    yield note(section.title, plain, "bold")
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_header=False)
    table.add_column(overflow="fold")
    for column in range(1, len(section.head)):
        table.add_column(justify="right", vertical="bottom", no_wrap=True, min_width=_width(section, column))
    for style, (name, *cells) in zip(("bold", *("",) * len(section.rows)), (section.head, *section.rows), strict=True):
        # A long joined condition gets a line for each of its modes.
        folded = name.replace("+", "\n +") if len(name) > _LONG else name
        table.add_row(written(f" {folded}", plain, style), *(written(cell, plain, style) for cell in cells))
    yield table
    for line in section.below:
        yield note(line, plain, "")


def _width(section: Section, column: int) -> int:
    """Return the width of the widest line in a column."""
    cells: Sequence[str] = [section.head[column], *(row[column] for row in section.rows)]
    return max(len(line) for cell in cells for line in cell.split("\n"))
