"""The numbers of charts and tables in a report: for reading, as CSV and as LaTeX."""

import json
from collections.abc import Sequence

from jinja2 import Environment

from stressweb.analysis.data_table import (
    DataTable,
    Field,
    Value,
    ends_in_percent,
    in_percent,
    table_of,
    to_csv,
    to_latex,
)
from stressweb.analysis.result_row import ResultRow
from stressweb.report.pack import packed

_RESULT = (
    Field("agent"), Field("condition"), Field("tasks"), Field("episodes"), Field("successes"), Field("success [%]", 1),
    Field("success 95 % low", 1), Field("success 95 % high", 1), Field("paired tasks"), Field("difference [points]", 1),
    Field("difference 95 % low", 1), Field("difference 95 % high", 1), Field("p", 4), Field("adjusted p", 4),
    Field("retention [%]", 1), Field("retention 95 % low", 1), Field("retention 95 % high", 1),
    Field("checkpoints [%]", 1), Field("steps", 2), Field("extra steps", 2), Field("seconds", 2), Field("claimed"),
    Field("false claims"), Field("errors"), Field("disputed"), Field("exposed"), Field("exposable"), Field("harmed"),
)  # fmt: skip


def result_table(rows: Sequence[ResultRow]) -> DataTable:
    """Return the numbers of the result table: shares in percent, differences in percentage points."""
    return table_of("result", "Result", _RESULT, map(_result, rows), "Intervals over tasks, 95 %.")


def block(table: DataTable, name: str, environment: Environment) -> str:
    """Return a table as a data block of a run's report: HTML, CSV, LaTeX, and a file name."""
    html = environment.get_template("numbers.html").render(table=table)
    forms = {"html": html, "csv": to_csv(table), "latex": to_latex(table), "file": f"{name}-{table.name}"}
    return packed(json.dumps(forms, ensure_ascii=False))


def _result(row: ResultRow) -> tuple[Value, ...]:
    return (
        row.agent,
        row.condition,
        row.tasks,
        row.episodes,
        row.successes,
        in_percent(row.success),
        *ends_in_percent(row.success_interval),
        row.paired_tasks,
        in_percent(row.difference),
        *ends_in_percent(row.difference_interval),
        row.p_value,
        row.p_holm,
        in_percent(row.retention),
        *ends_in_percent(row.retention_interval),
        in_percent(row.checkpoints),
        row.steps,
        row.extra_steps,
        row.seconds,
        row.claimed,
        row.false_claims,
        row.errors,
        row.disputed,
        row.exposed,
        row.exposable,
        row.harmed,
    )
