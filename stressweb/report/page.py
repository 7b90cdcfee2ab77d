"""From a run to the text of its report."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from stressweb.analysis.columns import columns
from stressweb.analysis.curves.measured import Curves
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import by_agent, measure
from stressweb.analysis.remarks import legend, remarks
from stressweb.analysis.table import headline
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.plugins.database import TableChange
from stressweb.report.changes import changes
from stressweb.report.chart import MARKS
from stressweb.report.charts import charts
from stressweb.report.numbers import block, result_table
from stressweb.report.pack import Limits, Pack, Side, packed, source_of
from stressweb.report.sheets import styles
from stressweb.report.steps import steps
from stressweb.report.story import EpisodeSummary, accounts, outcome, sides, summarize, urgency

GENERATOR = '<meta name="generator" content="stressweb report">'
"""The line by which a file is known for a report."""
FILES = "stressweb files"
"""Name of the line that says which folder has its side files."""
PORTION = 500
"""Rows of the list that stand in the document at first, and that a click adds."""
STATIC = Path(__file__).parent / "static"
"""Where style sheet and scripts are."""
_SCRIPTS = ("data", "theme", "charts", "numbers", "pages", "episodes", "keys")
STRICT = " 'strict-dynamic'"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


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
    """The modes that keep a gesture from taking effect when they deliver: their ledger alone tells of such a one."""
    curves: Curves = field(default_factory=Curves)
    """What its conditions allow to be said beyond the table."""
    sheets: Callable[[str, int], Mapping[str, str]] = lambda site, world: {}
    """Returns the recorded style sheets of a site under a world seed, by URL."""


def report(source: Source, limits: Limits = Limits(), side: Side | None = None) -> str:  # noqa: B008 - a tuple is never changed
    """Return the report of a run as one HTML document; the same run gives the same text.

    With `side` it may have side files, whose folder must then stand beside it, and the limits do not count.
    """
    pack = Pack(limits, side)
    source = replace(source, sheets=cache(source.sheets))
    episodes = [_packed(number, graded, source, pack) for number, graded in in_order(source.graded)]
    rows = measure(source.graded)
    shown = columns(rows)
    drawn = charts(rows, source.graded, source.curves)
    tables = [result_table(rows), *(chart.table for chart in drawn)]
    library, library_source = _library()
    script = _script()
    return (
        _environment()
        .get_template("report.html")
        .render(
            source=source,
            generator=GENERATOR,
            policy=_policy(source_of(script), library_source, fetches=bool(pack.files)),
            css=(STATIC / "report.css").read_text(encoding="utf-8"),
            script=script,
            library=library,
            headline=headline(source.graded),
            accounts=accounts(rows, episodes),
            modes=_modes(source),
            columns=shown,
            agents=by_agent(rows),
            notes=remarks(rows),
            legend=legend(shown, rows),
            charts=drawn,
            marks=MARKS,
            tables={f"t-{table.name}": block(table, source.name, _environment()) for table in tables},
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
        _environment()
        .get_template("episode.html")
        .render(
            one=one,
            record=record,
            outcome=outcome(one),
            sides=sides(record.grade),
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
    """Return what the modes of this run do; one that is no longer installed cannot say it."""
    used = {name for one in source.graded for name in one.exposed or ()}
    return {name: said for name, said in source.modes.items() if name in used}


def _policy(*scripts: str, fetches: bool) -> str:
    # Side files are loaded by the report's own script, and by that alone: an element in the document loads nothing.
    return f"{_POLICY}; script-src {' '.join(scripts)}{STRICT if fetches else ''}"


@cache
def _script() -> str:
    parts = ((STATIC / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS)
    return "(() => {\n" + "\n".join(parts) + "})();"


@cache
def _library() -> tuple[str, str]:
    """Return plotly, compressed, and what the policy calls it."""
    library = get_plotlyjs()
    return packed(library), source_of(library)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
