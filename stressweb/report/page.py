"""From a run to the text of its report."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from stressweb.analysis.columns import columns
from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import by_agent, measure
from stressweb.analysis.remarks import legend, remarks
from stressweb.analysis.table import headline
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.database import TableChange
from stressweb.report import assets
from stressweb.report.changes import changes
from stressweb.report.chart import MARKS
from stressweb.report.charts import charts
from stressweb.report.numbers import block, result_table
from stressweb.report.pack import Limits, Pack, Side
from stressweb.report.sheets import styles
from stressweb.report.steps import steps
from stressweb.report.story import EpisodeSummary, accounts, outcome, sides, summarize, urgency

GENERATOR = '<meta name="generator" content="stressweb report">'
"""The line by which a file is known for a report."""
FILES = "stressweb files"
"""Name of the line that says which folder has its side files."""
PORTION = 500
"""Rows of the list that stand in the document at first, and that a click adds."""
_SCRIPTS = ("data", "theme", "charts", "numbers", "pages", "episodes", "keys")


@dataclass(frozen=True)
class Source:
    """What a report is made of."""

    name: str
    """Name of the run."""
    meta: Mapping[str, Any]
    """What is written down about the run as a whole."""
    planned: Sequence[Cell]
    graded: Sequence[Graded]
    """Every finished episode, those that ended in error too."""
    load: Callable[[Cell], EpisodeRecord]
    """Returns a finished episode with its pages; they are asked for one after the other."""
    goals: Mapping[tuple[str, int], str]
    """Text of the goal, by task and world seed, as far as it is known."""
    modes: Mapping[str, str]
    """What each mode does, in a sentence."""
    swallowing: Collection[str] = ()
    """The modes that stop a gesture when they deliver; only their lines of the ledger show that it had no effect."""
    curves: Curves = field(default_factory=Curves)
    """Curves and comparisons that its conditions have data for."""
    sheets: Callable[[str, int], Mapping[str, str]] = lambda site, world: {}
    """Returns the recorded style sheets of a site under a world seed, by URL."""
    causes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Sentences about the causes of failures, by key of the cell."""


def report(source: Source, limits: Limits = Limits(), side: Side | None = None) -> str:  # noqa: B008 - a tuple is never changed
    """Return the report of a run as one HTML document; the same run gives the same text.

    With `side` it may have side files, whose folder must then stand beside it, and the limits do not count.
    """
    pack = Pack(limits, side)
    # Every episode of a site and world has the same style sheets, and each question reads them from the database.
    source = replace(source, sheets=cache(source.sheets))
    # First of all, because the policy must allow side files, and whether there are any is known only when every episode
    # is packed.
    episodes = [_packed(number, graded, source, pack) for number, graded in in_order(source.graded)]
    rows = measure(source.graded)
    shown = columns(rows)
    drawn = charts(rows, source.graded, source.curves)
    tables = [result_table(rows), *(chart.table for chart in drawn if chart.table)]
    code = assets.script(*_SCRIPTS)
    return (
        assets.environment()
        .get_template("report.html")
        .render(
            source=source,
            generator=GENERATOR,
            policy=assets.policy(code, fetches=bool(pack.files)),
            css=assets.css(),
            script=code,
            library=assets.library()[0],
            headline=headline(source.graded),
            accounts=accounts(rows, episodes),
            modes=_modes(source),
            columns=shown,
            agents=by_agent(rows),
            notes=remarks(rows),
            legend=legend(shown, rows),
            charts=drawn,
            marks=MARKS,
            tables={f"t-{table.name}": block(table, source.name, assets.environment()) for table in tables},
            specs={chart.name: chart.spec for chart in drawn},
            episodes=episodes,
            portion=PORTION,
            choices=_choices(episodes),
            seeds=len({(one.world_seed, one.stress_seed, one.epoch) for one in source.graded}) > 1,
            missing=len(source.planned) - len(source.graded),
            errors=sum(row.errors for row in rows),
            pack=pack,
            files_name=FILES,
        )
    )


def in_order(graded: Sequence[Graded]) -> list[tuple[int, Graded]]:
    """Return episodes with their numbers in a report: what a reader looks for first has the lowest."""
    return list(enumerate(sorted(graded, key=urgency), start=1))


def _packed(number: int, graded: Graded, source: Source, pack: Pack) -> EpisodeSummary:
    """Put the details of an episode into the pack and return what is told of it at once."""
    record = source.load(cell_of(graded))
    one = summarize(number, graded, record)
    found = steps(record, one.failure_point, pack, source.swallowing)
    fits = pack.pages(f"p{number}", found.pages)
    sheets = source.sheets(graded.site, graded.world_seed)
    details = (
        assets.environment()
        .get_template("episode.html")
        .render(
            one=one,
            record=record,
            outcome=outcome(one),
            sides=sides(record.grade),
            causes=source.causes.get(record.cell.key, ()),
            goal=source.goals.get((graded.task, graded.world_seed), ""),
            found=found,
            pages=fits,
            styles=styles(record, found.pages, sheets, pack) if fits else [],
            pictures=any(step.page.screenshot is not None for step in record.steps),
            changes=changes(record.final),
            final=_written(record.final) if record.final else "",
        )
    )
    pack.text(f"d{number}", details)
    pack.end_episode(number)
    return one


def cell_of(graded: Graded) -> Cell:
    """Return the cell of an episode."""
    return Cell(
        agent=graded.agent,
        task=graded.task,
        condition=graded.condition,
        world=graded.world_seed,
        stress=graded.stress_seed,
        epoch=graded.epoch,
    )


def _choices(episodes: Sequence[EpisodeSummary]) -> dict[str, list[str]]:
    """Return what the list of episodes can be filtered by, in the order in which a reader would look for it."""
    graded = [one.graded for one in episodes]
    return {
        "agent": sorted({one.agent for one in graded}),
        "condition": sorted({one.condition for one in graded}, key=lambda label: (label != "clean", label)),
        "task": sorted({one.task for one in graded}),
        "verdict": ["failed", "disputed", "error", "passed"],
        "claim": ["done", "failed", "none"],
    }


def _written(final: Mapping[str, TableChange]) -> str:
    """Write the change of a database as it is recorded."""
    recorded = {table: change.record() for table, change in final.items()}
    return json.dumps(recorded, indent=1, ensure_ascii=False, default=str)


def _modes(source: Source) -> dict[str, str]:
    """Return the descriptions of the run's modes, except those that are no longer installed."""
    used = {name for one in source.graded for name in one.exposed or ()}
    return {name: said for name, said in source.modes.items() if name in used}
