"""The mail site's own: how dates are shown, and what letters are made of."""

from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from sites.kit.wording import dates
from sites.mail.mailbox import when
from stressweb.plugins.query import State
from tests.sites.crawling import site, visitor

DAY_FIRST, MONTH_FIRST = dates.STYLES


def visit(style: str) -> Any:
    """Return what `when` reads of a visit, on 3 March 2027."""
    return SimpleNamespace(today="2027-03-03", look=SimpleNamespace(dates=style), say=lambda label: f"<{label}>")


@pytest.mark.parametrize(
    ("arrival", "day_first", "month_first"),
    [
        ("2027-03-03T07:05:09", "07:05", "07:05"),
        ("2027-03-02T23:59:00", "<yesterday>", "<yesterday>"),
        ("2027-03-01T08:00:00", "1 March", "March 1"),
        ("2026-12-24T08:00:00", "24 December 2026", "December 24, 2026"),
    ],
)
def test_lists_show_time_yesterday_or_day(arrival: str, day_first: str, month_first: str) -> None:
    assert when(visit(DAY_FIRST), arrival) == day_first
    assert when(visit(MONTH_FIRST), arrival) == month_first


@pytest.mark.parametrize("seed", range(6))
def test_mail_comes_by_day_in_order_and_no_subject_holds_another(seed: int) -> None:
    world = site("mail", seed)
    subjects = [thread.subject for thread in world.entities["Thread"]]
    assert not [(subject, other) for subject in subjects for other in subjects if subject != other and subject in other]
    sent: dict[str, list[str]] = {}
    for mail in world.entities["Message"]:
        sent.setdefault(mail.thread, []).append(mail.at)
        assert "07:00" <= mail.at[11:16] < "23:00"
        assert mail.at < world.start.isoformat(sep=mail.at[10])
    assert all(moments == sorted(set(moments)) for moments in sent.values())


def test_the_inbox_shows_yesterdays_mail_as_such() -> None:
    walker = next(walker for walker in (visitor("mail", seed) for seed in range(20)) if _yesterdays(walker.world))
    walker.get("/")
    times = walker.page.xpath("//main//time[@itemprop='dateSent']")
    label = walker.world.labels["yesterday"]
    yesterday = str(walker.world.start.date() - timedelta(days=1))
    assert [time for time in times if time.text_content() == label]
    assert all((time.text_content() == label) == time.get("datetime").startswith(yesterday) for time in times)
    assert len(State(walker.url, walker.html, b"").items("Conversation")) == len(times)


def _yesterdays(world: Any) -> bool:
    yesterday: date = world.start.date() - timedelta(days=1)
    return any(row.folder == "inbox" and row.day == str(yesterday) for row in world.entities["Letter"])
