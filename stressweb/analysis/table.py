"""The table at the end of a run, for readers and programs."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.text import Text

from stressweb.analysis.columns import Column, by_kind, columns
from stressweb.analysis.graded import Graded
from stressweb.analysis.horizons import horizon_lines
from stressweb.analysis.measures import measure
from stressweb.analysis.pairing import clean_repeated, family_of, task_of
from stressweb.analysis.remarks import legend, remarks
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.table_layout import fitting, grid, renamed, written
from stressweb.analysis.wording import families_text, ranges
from stressweb.core.agent_names import short_names, spelled_out, split_title
from stressweb.core.agent_spec import COMMAND
from stressweb.core.words import counted


class Summary:
    """The table of a run; it adapts to width, colours and characters of the terminal."""

    def __init__(self, episodes: Sequence[Graded], *, explain: bool = False, unfinished: str = "") -> None:
        """Measure the episodes; `explain` adds the legend, `unfinished` a remark about missing episodes."""
        self.headline = headline(episodes)
        self.rows = measure(episodes)
        self.names = short_names(row.agent for row in self.rows)
        self.clean_repeated = clean_repeated(episodes)
        self.horizons = horizon_lines(episodes)
        self.explain = explain
        self.unfinished = unfinished

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the headline, the table, and its notes."""
        plain = options.ascii_only
        rows = renamed(self.rows, self.names)
        grids: list[RenderableType] = []
        spelled: list[str] = []
        for own in by_kind(rows) or [[]]:
            layout = fitting(own, options.max_width)
            grids += [Text(), grid(own, layout, plain=plain)]
            # A layout omits only columns from the end.
            spelled += _omitted_lines(own, columns(own)[len(layout.columns) :])
        # First, because it affects every figure of the table.
        missing = [self.unfinished[:1].upper() + self.unfinished[1:] + "."] if self.unfinished else []
        notes = [*missing, *spelled_out(self.names), *spelled, *remarks(rows), *self._own_variation()]
        if self.explain:
            notes = [*notes, *(line for own in by_kind(rows) for line in legend(columns(own), own))]
        yield Group(
            note(self.headline, plain, ""),
            *grids,
            *([Text()] if self.horizons else []),
            *(note(line, plain, "") for line in self.horizons),
            *([Text()] if notes else []),
            *(note(line, plain) for line in notes),
        )

    def _own_variation(self) -> list[str]:
        """Return why clean ran twice for non-deterministic agents, and how to change that."""
        if not self.clean_repeated:
            return []
        agents = ", ".join(self.names[label] for label in self.clean_repeated)
        varied = "not marked as deterministic, to show how much the agent varies by itself: flips, pass^2"
        programs = [_is_program(label) for label in self.clean_repeated]
        ways = [
            *(["give `--agent-deterministic`"] if any(programs) else []),
            *(["set `deterministic = True` in its class"] if not all(programs) else []),
        ]
        cure = f"If yours answers equal pages with equal actions, {' or '.join(ways)}"
        return [f"Clean ran twice for {agents}, {varied}. {cure}."]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Use all the available width."""
        return Measurement(min(80, options.max_width), options.max_width)


def _is_program(label: str) -> bool:
    """Return whether an agent is a program that a run starts, so that it has no class."""
    return split_title(label)[1].partition("(")[0].strip() == COMMAND


def summary(episodes: Iterable[Graded], *, explain: bool = False, unfinished: str = "") -> Summary:
    """Return the table of a run as a rich renderable; `explain` and `unfinished` as for `Summary`."""
    return Summary(list(episodes), explain=explain, unfinished=unfinished)


def rows(episodes: Iterable[Graded]) -> list[dict[str, Any]]:
    """Return the figures for programs, one dictionary of JSON values per agent and condition."""
    return to_json(measure(episodes))


def to_json(measured: Iterable[ResultRow]) -> list[dict[str, Any]]:
    """Return rows as JSON values: rates and differences 0 to 1, intervals as [low, high], unknown as null."""
    return [row.model_dump(mode="json") for row in measured]


def headline(episodes: Sequence[Graded]) -> str:
    """Return one line about the run: conditions, sites, number of tasks, worlds, stress seeds, epochs."""
    # Nearly every run has clean, so it is listed only if it is the only condition.
    conditions = [label for label in dict.fromkeys(e.condition for e in episodes) if label != "clean"]
    stress = {e.stress_seed for e in episodes if e.stress_seed is not None}
    epochs = len({e.epoch for e in episodes})
    parts = [
        ", ".join(conditions) or "clean",
        _sites_text(sorted({e.site for e in episodes})),
        families_text(len(set(map(task_of, episodes))), len(set(map(family_of, episodes)))),
        f"world {ranges({e.world_seed for e in episodes})}",
        f"stress {ranges(stress)}" if stress else "",
        counted(epochs, "epoch") if epochs > 1 else "",
    ]
    return " · ".join(filter(None, parts))


def _sites_text(sites: Sequence[str]) -> str:
    # More names would not fit on the line.
    return counted(len(sites), "site") if len(sites) > 3 else ", ".join(sites) or "no site"


def _omitted_lines(measured: Sequence[ResultRow], left_out: Sequence[Column]) -> list[str]:
    """Return the content of omitted columns in words."""
    figures = {
        f"{row.agent} {row.condition}": [
            f"{column.wide} {column.cell(row)}".replace("\n", ", ")
            for column in left_out
            if column.needed is None or column.needed(row)
        ]
        for row in measured
    }
    return [f"{name}: {', '.join(parts)}." for name, parts in figures.items() if parts]


def note(text: str, plain: bool, style: str = "dim") -> Padding:
    """Return a line of text for a table; `plain` for terminals with ASCII only."""
    return Padding(written(text, plain, style), (0, 0, 0, 1), expand=False)
