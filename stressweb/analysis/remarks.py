"""Warnings about a run's figures, and the legend of its table."""

from collections.abc import Sequence

from stressweb.analysis.columns import MANY_ERRORS, Column
from stressweb.analysis.model_remarks import model_remarks
from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.statistics import FEWEST
from stressweb.analysis.wording import families_text, percent, units
from stressweb.core.conditions import UNTESTED

_REMAPS = frozenset({"remap", "remap_explicit"})
"""Modes that change what a single click does."""


def remarks(rows: Sequence[ResultRow]) -> list[str]:
    """Return the warnings that apply to these rows, if any."""
    warnings = [*_errors(rows), *_tests(rows), *_exposure(rows)]
    # A label has parentheses only for parameters outside the severity's table.
    unproven = [label for label in dict.fromkeys(row.condition for row in rows) if "(" in label]
    if unproven:
        warnings.append(
            f"Parameters outside the severity tables, not covered by stressweb's tests: {', '.join(unproven)}."
        )
    ways = [f"{row.agent} {row.condition} {row.bypasses}" for row in rows if row.bypasses]
    if ways:
        warnings.append(f"Ways past the disturbed controls, such as direct navigations to a URL: {', '.join(ways)}.")
    observed = list(dict.fromkeys(row.agent for row in rows if row.way == "observed"))
    if observed:
        warnings.append(
            f"Observed while driving a browser themselves, so that their steps are not counted like those of other "
            f"agents, and each is compared with its own clean episodes alone: {', '.join(observed)}."
        )
    unseen = [f"{_name(row)} {row.unobserved}" for row in rows if row.unobserved]
    if unseen:
        warnings.append(f"Checkpoints that were not observed, and count neither way: {', '.join(unseen)}.")
    for reason, of_cases in (("outcome was not observed", False), ("test case has no stated truth", True)):
        undecided = [row for row in rows if row.undecided and (row.testing is not None) == of_cases]
        if undecided:
            counts = ", ".join(f"{_name(row)} {row.undecided}" for row in undecided)
            warnings.append(f"Episodes whose {reason}, left out of every rate: {counts}.")
    remapped = [row for row in rows if any(row.exposed_to.get(mode) for mode in _REMAPS)]
    alarms = [
        f"{_name(row)} {row.testing.false_alarms}" for row in remapped if row.testing and row.testing.false_alarms
    ]
    if alarms:
        warnings.append(
            "Under remap, a tester that follows its script literally may be right that a step fails, because a single"
            f" click only selects. Report these false alarms apart from other modes: {', '.join(alarms)}."
        )
    broke = [f"{_name(row)} {row.site_faults}" for row in rows if row.site_faults]
    if broke:
        warnings.append(f"Internal errors of the site, please report them: {', '.join(broke)}.")
    paid = [f"{_name(row)} {row.tokens_in:,} + {row.tokens_out:,}" for row in rows if row.tokens_in or row.tokens_out]
    if paid:
        warnings.append(f"Tokens, input + output: {'; '.join(paid)}.")
    return [*warnings, *model_remarks(rows)]


def _name(row: ResultRow) -> str:
    return f"{row.agent} {row.condition}"


def _errors(rows: Sequence[ResultRow]) -> list[str]:
    lost = [f"{_name(row)} ({row.errors})" for row in rows if row.episodes == 0 and row.errors]
    warnings = [f"No figures, because all episodes ended in errors: {', '.join(lost)}."] if lost else []
    many = [f"{_name(row)} {percent(row.error_share)}" for row in rows if row.error_share > MANY_ERRORS]
    if not many:
        return warnings
    return [*warnings, f"More than {percent(MANY_ERRORS)} errors: {', '.join(many)}. Run them again with --resume."]


def _tests(rows: Sequence[ResultRow]) -> list[str]:
    warnings = []
    few = [row for row in rows if row.difference is not None and row.paired_families < FEWEST]
    if few:
        unit_names = units((row.paired_tasks, row.paired_families) for row in few)
        warnings.append(f"With fewer than {FEWEST} {unit_names}, no interval of the difference is computed.")
    # A set, because the conditions of an agent usually have the same numbers.
    weak = {(row.paired_tasks, row.paired_families, row.comparisons) for row in rows if row.can_reject is False}
    for tasks, families, comparisons in sorted(weak):
        adjusted = f" adjusted for {comparisons} conditions" if comparisons > 1 else ""
        size = families_text(tasks, families)
        warnings.append(f"With {size}, a test{adjusted} cannot reach significance at 5 %, whatever the result.")
    # Repeats of other conditions cannot separate the agent's variation from that of the disturbances.
    if any(row.pass_k is not None for row in rows) and all(row.flip_rate is None for row in rows):
        warnings.append("No clean episode was repeated, so the agent's own variation is unknown.")
    return warnings


def _exposure(rows: Sequence[ResultRow]) -> list[str]:
    """Return how often each mode of joined conditions delivered, unless all always did."""
    # The column shows only in how many episodes all modes delivered.
    combined_rows = [row for row in rows if len(row.exposed_to) > 1 and row.exposed < row.exposable]
    shares = [
        f"{_name(row)}: {', '.join(f'{mode} {count}/{row.exposable}' for mode, count in row.exposed_to.items())}"
        for row in combined_rows
    ]
    return [f"Episodes exposed to each mode: {'; '.join(shares)}."] if shares else []


def legend(visible: Sequence[Column], rows: Sequence[ResultRow]) -> list[str]:
    """Return a line for each shown column, and one for the colours."""
    lines = [f"{column.wide}: {column.about}." for column in visible]
    if any(row.condition not in UNTESTED for row in rows):
        lines.append("Red: a loss with an adjusted p-value of at most 0.05, or errors. Yellow: inspect these episodes.")
    return lines
