"""Days as a calendar shows them."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.entity import Entity
from stressweb.sites.calendar import spans as dates
from stressweb.sites.kit.wording import dates as written

STYLE = "{weekday}, {day} {month} {year}"
TODAY = date(2025, 3, 5)
DAYS = st.dates(date(1990, 1, 1), date(2100, 1, 1))


def entry(start: str, end: str, day: str = "2025-03-05") -> Entity:
    return Entity(id=f"{day} {start} {end}", day=day, start=start, end=end)


@st.composite
def entries(draw: st.DrawFn) -> list[Entity]:
    """Return entries of one day, each a quarter of an hour or more."""
    spans = draw(st.sets(st.tuples(st.integers(0, 94), st.integers(1, 12)), max_size=9))
    minutes = [(slot * 15, min(95, slot + length) * 15) for slot, length in spans]
    times = {(f"{a // 60:02d}:{a % 60:02d}", f"{b // 60:02d}:{b % 60:02d}") for a, b in minutes}
    return [entry(*time) for time in sorted(times)]


@pytest.mark.parametrize(
    ("kind", "title", "before", "after"),
    [
        ("month", "March 2025", "2025-02", "2025-04"),
        ("week", "Monday, 3 March 2025 – Sunday, 9 March 2025", "2025-02-24", "2025-03-10"),
        ("day", "Wednesday, 5 March 2025", "2025-03-04", "2025-03-06"),
        ("agenda", "Wednesday, 5 March 2025 – Tuesday, 18 March 2025", "2025-02-19", "2025-03-19"),
    ],
)
def test_a_span_says_what_it_is_and_what_lies_beside_it(kind: dates.Kind, title: str, before: str, after: str) -> None:
    span = dates.Span.of(kind, TODAY, TODAY, STYLE)
    assert (span.title, span.before, span.after) == (title, before, after)


@given(DAYS, DAYS, st.sampled_from(["month", "week", "day", "agenda"]))
def test_spans_of_a_kind_follow_each_other_without_a_gap(within: date, today: date, kind: dates.Kind) -> None:
    span = dates.Span.of(kind, within, today, STYLE)
    assert span.first <= within <= span.last
    assert span.first <= span.day <= span.last
    assert span.day in (today, span.first)
    nearby = [span.before, span.after] if kind != "month" else [f"{span.before}-01", f"{span.after}-01"]
    before, after = (dates.Span.of(kind, date.fromisoformat(day_text), today, STYLE) for day_text in nearby)
    assert before.last + timedelta(days=1) == span.first
    assert span.last + timedelta(days=1) == after.first
    assert span.days[0] == span.first
    assert all(b - a == timedelta(days=1) for a, b in pairwise(span.days))


@given(DAYS)
def test_a_month_stands_in_whole_weeks_from_monday(any_day: date) -> None:
    span = dates.Span.of("month", any_day, TODAY, STYLE)
    days = [day for week in span.weeks for day in week]
    assert days[0].weekday() == 0
    assert len(days) in (28, 35, 42)
    assert set(span.days) <= set(days)
    assert all(span.holds(day.isoformat()) for day in days)
    assert not span.holds((days[-1] + timedelta(days=1)).isoformat())


@pytest.mark.parametrize("text", ["", "2025-3-5", "2025-02-30", "20250305", "tomorrow", "2025-03-05T09:30"])
def test_what_is_no_day_is_none(text: str) -> None:
    assert written.day(text) is None


@pytest.mark.parametrize(
    ("text", "read"),
    [("09:30", "09:30"), ("24:00", None), ("9:30", None), ("09:30:00", None), ("", None), ("noon!", None)],
)
def test_a_time_of_day_is_hours_and_minutes(text: str, read: str | None) -> None:
    assert written.clock(text) == read


@given(entries())
def test_no_two_entries_of_a_day_lie_on_each_other(rows: list[Entity]) -> None:
    first, last = dates.hours(rows)
    placed = dates.placed(rows, first)
    assert sorted(block.row.id for block in placed) == sorted(row.id for row in rows)
    taken = [(block.lane, slot) for block in placed for slot in range(block.top, block.bottom)]
    assert len(taken) == len(set(taken))
    assert all(
        1 <= block.lane <= block.lanes and 1 <= block.top < block.bottom <= (last - first) * 4 + 1 for block in placed
    )


@given(entries())
def test_overlaps_are_the_pairs_that_share_a_moment(rows: list[Entity]) -> None:
    overlapping = {frozenset((first.id, second.id)) for first, second in dates.overlaps(rows)}
    assert overlapping == {
        frozenset((first.id, second.id))
        for first in rows
        for second in rows
        if first.id != second.id and first.start < second.end and second.start < first.end
    }


def test_entries_of_different_days_do_not_overlap() -> None:
    assert not dates.overlaps([entry("09:00", "12:00"), entry("10:00", "11:00", "2025-03-06")])


@pytest.mark.parametrize(
    ("step", "last", "expected"),
    [
        ("day", "2025-01-31", ["2025-01-31"]),
        ("day", "2025-02-02", ["2025-01-31", "2025-02-01", "2025-02-02"]),
        ("week", "2025-02-14", ["2025-01-31", "2025-02-07", "2025-02-14"]),
        ("fortnight", "2025-02-27", ["2025-01-31", "2025-02-14"]),
        ("month", "2025-05-31", ["2025-01-31", "2025-03-31", "2025-05-31"]),
        ("month", "2026-01-30", [f"2025-{month}-31" for month in ("01", "03", "05", "07", "08", "10", "12")]),
    ],
)
def test_an_event_repeats_up_to_its_last_day_and_skips_months_without_the_day(
    step: str, last: str, expected: list[str]
) -> None:
    days = dates.repeated(step, date(2025, 1, 31), date.fromisoformat(last))
    assert [day.isoformat() for day in days] == expected
