"""The text of a run's report."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from typing import Any

from stressweb.analysis.columns import by_kind, columns
from stressweb.analysis.graded import Graded
from stressweb.analysis.measures import by_agent, measure
from stressweb.analysis.remarks import legend, remarks
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.table import headline
from stressweb.analysis.table_layout import renamed
from stressweb.core.agent_names import short_names, spelled_out
from stressweb.report import assets
from stressweb.report.chart import MARKS
from stressweb.report.charts import charts
from stressweb.report.details import add, blocks
from stressweb.report.heat_maps import SITES
from stressweb.report.numbers import block, result_table
from stressweb.report.pack import Limits, Pack, Side
from stressweb.report.source import Source
from stressweb.report.story import EpisodeSummary, accounts, urgency
from stressweb.report.verdicts import verdict_words

GENERATOR = '<meta name="generator" content="stressweb report">'
"""The line that identifies a file as a report."""
FILES = "stressweb files"
"""Name of the line with the folder of its side files."""
FIRST = 40
"""Initial rows of the list: the charts come below them."""
PORTION = 500
"""Rows that a click adds to the list."""
_SCRIPTS = ("data", "theme", "charts", "numbers", "pages", "episodes", "keys")


def report(
    source: Source,
    limits: Limits = Limits(),  # noqa: B008 - a tuple is never changed
    side: Side | None = None,
    detailed: Sequence[tuple[int, Graded]] | None = None,
) -> str:
    """Return the report of a run as one HTML document; the same run gives the same text.

    With `side` it may have side files, whose folder must be beside it, and the limits are ignored. It has the details
    of every episode, or only of the `detailed` ones among `in_order`.
    """
    pack = Pack(limits, side)
    # Every episode of a site and world has the same style sheets, and each call reads them from the database.
    source = replace(source, sheets=cache(source.sheets))
    # First, because the policy depends on whether there are side files, which is known only after packing every
    # episode.
    numbered = in_order(source.graded)
    if detailed is None:
        detailed = numbered
    _fill(pack, detailed, source, [number for number, _ in numbered])
    here = {number for number, _ in detailed}
    # An episode with a name to request is available to the reader.
    absent = frozenset(number for number, _ in numbered if number not in here and number not in pack.files)
    names = short_names(episode.agent for episode in source.graded)
    # Afterwards, because details are found by whole labels.
    rows = renamed(measure(source.graded), names)
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
            modes=_modes(source),
            verdict_words=verdict_words,
            marks=MARKS,
            absent=absent,
            detailed=len(detailed),
            pack=pack,
            files_name=FILES,
            **_run_contents(source, rows, names),
            **_listing(source, rows, names, absent),
        )
    )


def _run_contents(source: Source, rows: Sequence[ResultRow], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the report's contents about the run as a whole: table, notes and charts."""
    kinds = [(columns(own), by_agent(own)) for own in by_kind(rows)]
    drawn = charts(rows, [_with_short_name(episode, names) for episode in source.graded], source.curves)
    tables = [result_table(rows), *(chart.table for chart in drawn if chart.table)]
    return {
        "kinds": kinds,
        "matrices": by_agent([row for row in rows if row.testing is not None]),
        "notes": [*spelled_out(names), *remarks(rows)],
        "legend": list(dict.fromkeys(line for columns_of_kind, _ in kinds for line in legend(columns_of_kind, rows))),
        "charts": drawn,
        "tables": {f"t-{table.name}": block(table, source.name, assets.environment()) for table in tables},
        "specs": {chart.name: chart.spec for chart in drawn},
        "without_heat_maps": bool(drawn) and not any(chart.name == SITES for chart in drawn),
        "seeds": len({(episode.world_seed, episode.stress_seed, episode.epoch) for episode in source.graded}) > 1,
        "missing": len(source.planned) - len(source.graded),
        "errors": sum(row.errors for row in rows),
    }


def _listing(source: Source, rows: Sequence[ResultRow], names: Mapping[str, str], absent: Set[int]) -> dict[str, Any]:
    """Return the report's contents about single episodes; `absent` are the numbers of those without details."""
    episodes = _summaries(source, names)
    return {
        "accounts": accounts(rows, episodes),
        "episodes": episodes,
        "first": FIRST,
        "portion": PORTION,
        "choices": _choices(episodes) | ({"details": ["here", "elsewhere"]} if absent else {}),
    }


def _fill(pack: Pack, detailed: Sequence[tuple[int, Graded]], source: Source, numbers: Sequence[int]) -> None:
    """Add the details of episodes to a pack; the others of all `numbers` are marked as missing."""
    pack.expect(numbers, len(detailed))
    if not pack.unlimited:
        for number, graded in detailed:
            add(number, graded, source, pack)
        return
    packed = source.blocks(detailed) if source.blocks else (blocks(*entry, source) for entry in detailed)
    for (number, _), episode_blocks in zip(detailed, packed, strict=True):
        pack.add_episode(number, episode_blocks)


def in_order(graded: Sequence[Graded]) -> list[tuple[int, Graded]]:
    """Return episodes with their numbers in a report, the most urgent first."""
    return [(number, graded[position]) for number, position in _places(graded)]


def _with_short_name(graded: Graded, names: Mapping[str, str]) -> Graded:
    """Return an episode with its agent's short name."""
    return graded.model_copy(update={"agent": names[graded.agent]})


def _summaries(source: Source, names: Mapping[str, str]) -> list[EpisodeSummary]:
    """Return the list's entry for every episode, in order."""
    return [
        EpisodeSummary(
            number,
            _with_short_name(graded, names),
            *source.brief(position),
            clean_failures=source.clean_failures_of(graded),
        )
        for number, position in _places(source.graded)
        for graded in (source.graded[position],)
    ]


def _places(graded: Sequence[Graded]) -> list[tuple[int, int]]:
    """Return the numbers of episodes in a report, from 1, and their positions in `graded`."""
    return list(enumerate(sorted(range(len(graded)), key=lambda position: urgency(graded[position])), start=1))


def _choices(episodes: Sequence[EpisodeSummary]) -> dict[str, list[str]]:
    """Return the filters of the list of episodes, each in a useful order."""
    graded = [episode.graded for episode in episodes]
    return {
        "agent": sorted({episode.agent for episode in graded}),
        "condition": sorted({episode.condition for episode in graded}, key=lambda label: (label != "clean", label)),
        "task": sorted({episode.task for episode in graded}),
        "verdict": ["failed", "disputed", "error", "unobserved", "passed"],
        "claim": ["done", "failed", "none"],
    }


def _modes(source: Source) -> dict[str, str]:
    """Return the descriptions of the run's modes, except those that are no longer installed."""
    used = {name for episode in source.graded for name in episode.exposed or ()}
    return {name: description for name, description in source.modes.items() if name in used}
