"""The details of an episode as blocks of a report: summary, steps, pages and pictures."""

import json
from collections.abc import Mapping

from stressweb.analysis.graded import Graded
from stressweb.plugins.database import TableChange
from stressweb.report import assets
from stressweb.report.changes import changes
from stressweb.report.pack import UNLIMITED, Pack
from stressweb.report.sheets import sheet_ids_by_href
from stressweb.report.source import Source, cell_of
from stressweb.report.steps import steps
from stressweb.report.story import outcome, sides, summarize
from stressweb.report.verdicts import step_in_question


def blocks(number: int, graded: Graded, source: Source) -> dict[str, str]:
    """Return all blocks of an episode, by id, including those that it shares with others."""
    pack = Pack(UNLIMITED)
    add(number, graded, source, pack)
    return pack.blocks


def add(number: int, graded: Graded, source: Source, pack: Pack) -> None:
    """Add the details of an episode to a pack; parts without room are left out and marked."""
    record = source.load(cell_of(graded))
    summary = summarize(number, graded, record, source.clean_failures_of(graded))
    shown_steps = steps(record, summary.failure_point, pack, source.gesture_stopping_modes)
    fits = pack.add_pages(f"p{number}", shown_steps.pages)
    sheets = source.sheets(graded.site, graded.world_seed)
    details = (
        assets.environment()
        .get_template("episode.html")
        .render(
            summary=summary,
            record=record,
            outcome=outcome(summary),
            sides=sides(record.grade),
            causes=source.causes.get(record.cell.key, ()),
            goal=source.goal(graded.task, graded.world_seed),
            steps=shown_steps,
            pages=fits,
            styles=sheet_ids_by_href(record, shown_steps.pages, sheets, pack) if fits else [],
            pictures=any(step.page.screenshot is not None for step in record.steps),
            step_in_question=step_in_question,
            changes=changes(record.final),
            final=_written(record.final) if record.final else "",
        )
    )
    pack.add_text(f"d{number}", details)
    pack.end_episode(number)


def _written(final: Mapping[str, TableChange]) -> str:
    """Return the change of a database as recorded."""
    recorded = {table: change.record() for table, change in final.items()}
    return json.dumps(recorded, indent=1, ensure_ascii=False, default=str)
