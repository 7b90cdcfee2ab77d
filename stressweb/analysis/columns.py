"""The columns of a result table, for terminal and report; some are shown only if needed."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from stressweb.analysis.result_row import ResultRow
from stressweb.analysis.statistics import ALPHA, Interval
from stressweb.analysis.tester_figures import VerdictFigures
from stressweb.analysis.wording import p_value, percent, points, span

MANY_ERRORS = 0.02
"""Share of errors above which the row shows it and a remark warns about the row."""


class Column(NamedTuple):
    """A column of figures."""

    wide: str
    """Its heading in wide layouts."""
    narrow: str
    """Its heading in narrow layouts, possibly on several lines."""
    cell: Callable[[ResultRow], str]
    about: str
    """Its explanation in the legend."""
    colour: Callable[[ResultRow], str] = lambda row: ""
    needed: Callable[[ResultRow], bool] | None = None
    """Whether a row needs the column; None: always."""


def columns(rows: Sequence[ResultRow], *, extra: bool = True) -> list[Column]:
    """Return the columns for rows of tasks, or for rows of test cases.

    Without `extra`, only the columns that are always shown.
    """
    every = TESTER_COLUMNS if any(row.testing for row in rows) else COLUMNS
    needed = [column for column in every if column.needed is None or (extra and any(map(column.needed, rows)))]
    counts = {row.pass_k for row in rows if row.pass_k is not None}
    # If all rows have the same k, it is in the heading instead of the cells.
    return [_with_k(column, counts.pop()) if column is PASS and len(counts) == 1 else column for column in needed]


def by_kind(rows: Sequence[ResultRow]) -> list[list[ResultRow]]:
    """Return the rows of tasks and the rows of test cases, which have different columns; without empty groups."""
    kinds = ([row for row in rows if row.testing is None], [row for row in rows if row.testing is not None])
    return [own for own in kinds if own]


def _with_k(column: Column, k: int) -> Column:
    """Return the column of pass^k with its k in the heading."""
    return column._replace(wide=f"pass^{k}", narrow=f"pass^{k}", cell=lambda row: percent(row.pass_hat_k))


def lost(row: ResultRow) -> bool:
    """Whether success is lower than under clean according to the adjusted test, whatever the interval."""
    return row.p_holm is not None and row.p_holm <= ALPHA and (row.difference or 0) < 0


def _success(row: ResultRow) -> str:
    # Padded to the widest count for this number of episodes, so that shares are aligned.
    total = len(str(row.episodes)) * 2 + 1
    return f"{f'{row.successes}/{row.episodes}':>{total}} {percent(row.success):>5}{_bounds_line(row.success_bounds)}"


def _difference(row: ResultRow) -> str:
    if row.difference is None:
        # In the row of clean, the column shows the agent's own variation, against which to judge losses.
        return "–" if row.flip_rate is None else f"flips {percent(row.flip_rate)}"
    change = " ".join(filter(None, (points(row.difference), span(row.difference_interval))))
    if row.difference_bounds is None:
        return change
    return f"{change}\nbounds: {points(row.difference_bounds.low)} to {points(row.difference_bounds.high)}"


def _bounds_line(bounds: Interval | None) -> str:
    """Return the smallest and largest possible value on a separate line; "" without errors."""
    if bounds is None:
        return ""
    low, high = percent(bounds.low), percent(bounds.high)
    return f"\n{low}" if low == high else f"\n{low.removesuffix(' %')} to {high}"


def _errors(row: ResultRow) -> str:
    return f"{row.errors} ({percent(row.error_share)})" if row.error_share > MANY_ERRORS else str(row.errors)


def _pass(row: ResultRow) -> str:
    return "–" if row.pass_k is None else f"k={row.pass_k} {percent(row.pass_hat_k):>5}"


PASS = Column(
    "pass^k",
    "pass^k",
    _pass,
    "probability that k episodes of one task all succeed",
    needed=lambda row: row.pass_k is not None,
)

# Columns that are always shown come first, because a narrow terminal omits columns from the end.
COLUMNS = (
    Column(
        "success",
        "success",
        _success,
        "episodes that reached the goal and did no harm / episodes; the share is a mean over equally weighted tasks;"
        " with errors or outcomes that were not observed, the smallest and largest share possible stand below it",
    ),
    Column(
        "vs clean [95 %]",
        "vs clean [95 %]",
        _difference,
        "success minus success under clean in percentage points, paired by task, world and epoch, with its interval"
        " over tasks (Bonett and Price); with errors or outcomes that were not observed, the smallest and largest"
        " difference possible stand below it;"
        " the row of clean shows how often two clean episodes of one task disagree",
        lambda row: "red" if lost(row) else "",
    ),
    Column(
        "adj. p",
        "adj.\np",
        lambda row: p_value(row.p_holm),
        "p-value of the sign-flip test of the difference, adjusted for all conditions of the agent except sham (Holm);"
        " if it disagrees with the interval, the test decides",
        lambda row: "red" if lost(row) else "",
    ),
    Column("checkpoints", "checkpoints", lambda row: percent(row.checkpoints), "share of checkpoints that passed"),
    Column(
        "steps",
        "steps",
        lambda row: "–" if row.steps is None else f"{row.steps:.1f}",
        "mean number of actions per episode",
    ),
    Column(
        "false claims",
        "false\nclaims",
        lambda row: f"{row.false_claims}/{row.claimed}{_bounds_line(row.false_success_bounds)}",
        "claimed to be done but failed / claimed to be done; with errors, their smallest and largest share stand below",
        lambda row: "yellow" if row.false_claims else "",
    ),
    PASS,
    Column(
        "errors",
        "errors",
        _errors,
        "infrastructure failures, excluded from all rates",
        lambda row: "red" if row.errors else "",
        lambda row: row.errors > 0,
    ),
    Column(
        "not observed",
        "not\nobserved",
        lambda row: str(row.undecided),
        "episodes of an own browser whose outcome was not observed, or of a test case without a stated truth, excluded"
        " from all rates",
        lambda row: "yellow" if row.undecided else "",
        lambda row: row.undecided > 0,
    ),
    Column(
        "disputed",
        "disputed",
        lambda row: str(row.disputed),
        "checkpoints and final database disagree about the goal; counted as failures",
        lambda row: "yellow" if row.disputed else "",
        lambda row: row.disputed > 0,
    ),
    Column(
        "exposed",
        "exposed",
        lambda row: f"{row.exposed}/{row.exposable}" if row.exposable else "–",
        "episodes in which every mode of the condition delivered something / episodes",
        lambda row: "yellow" if row.exposed < row.exposable else "",
        lambda row: row.exposed < row.exposable,
    ),
)
"""Every column, in order."""


def _of_testing(figure: Callable[[VerdictFigures], str]) -> Callable[[ResultRow], str]:
    return lambda row: figure(row.testing) if row.testing else "–"


def _count_and_share(count: int, of: int, share: float | None) -> str:
    return f"{count}/{of} {percent(share):>5}" if of else "n/a"


def _change_text(difference: float | None, interval: Interval | None) -> str:
    return "–" if difference is None else " ".join(filter(None, (points(difference), span(interval))))


TESTER_COLUMNS = (
    COLUMNS[0]._replace(
        wide="right",
        narrow="right",
        about="right verdicts, of failing cases at the right step / episodes (TruAcc); the share is a mean over equally"
        " weighted cases; with errors, the smallest and largest share possible stand below it",
    ),
    *COLUMNS[1:3],
    Column(
        "false alarms",
        "false\nalarms",
        _of_testing(lambda figures: _count_and_share(figures.false_alarms, figures.passing, figures.false_alarm_rate)),
        "passing cases that are called failing / passing cases",
        lambda row: "yellow" if row.testing and row.testing.false_alarms else "",
    ),
    Column(
        "caught",
        "caught",
        _of_testing(
            lambda figures: _count_and_share(
                round((figures.true_sensitivity or 0) * figures.failing), figures.failing, figures.true_sensitivity
            )
        ),
        "failing cases that are called failing at the right step / failing cases (TruSens)",
    ),
    COLUMNS[4],
    Column(
        "no verdict",
        "no\nverdict",
        _of_testing(lambda figures: str(figures.no_verdict)),
        "episodes without a verdict; they are wrong in every share",
        lambda row: "yellow",
        needed=lambda row: row.testing is not None and row.testing.no_verdict > 0,
    ),
    Column(
        "FAR vs clean",
        "FAR vs\nclean",
        _of_testing(
            lambda figures: _change_text(figures.false_alarm_difference, figures.false_alarm_difference_interval)
        ),
        "share of false alarms minus that under clean, in percentage points, paired by passing case",
        needed=lambda row: row.testing is not None and bool(row.testing.false_alarm_difference),
    ),
    Column(
        "stressed alarms",
        "stressed\nalarms",
        _of_testing(lambda figures: f"{figures.disturbed_alarms}/{figures.false_alarms}"),
        "false alarms at a step inside which a mode delivered something / false alarms",
        needed=lambda row: row.testing is not None and row.testing.disturbed_alarms > 0,
    ),
    Column(
        "hidden bugs",
        "hidden\nbugs",
        _of_testing(lambda figures: str(figures.hidden_bugs)),
        "cases with a bug of the site that are called passing, and whose failing step a mode disturbed",
        lambda row: "yellow" if row.testing and row.testing.hidden_bugs else "",
        needed=lambda row: row.testing is not None and row.testing.hidden_bugs > 0,
    ),
    Column(
        "vacuous",
        "vacuous",
        _of_testing(lambda figures: str(figures.vacuous)),
        "right verdicts although the recording does not show what a step expects that was called passing",
        lambda row: "yellow",
        needed=lambda row: row.testing is not None and row.testing.vacuous > 0,
    ),
    Column(
        "ahead",
        "ahead",
        _of_testing(lambda figures: "n/a" if figures.ahead is None else str(figures.ahead)),
        "actions ahead of the script: for a later step, before a page showed what the current one expects",
        lambda row: "yellow" if row.testing and row.testing.ahead else "",
        needed=lambda row: row.testing is not None and bool(row.testing.ahead),
    ),
    *COLUMNS[6:],
)
