"""Days and times of day: how they are written in forms, and how they are said."""

from datetime import date, datetime, time, timedelta

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
YEARS = range(1900, 2201)
"""Years in which a day is accepted."""

STYLES = ("{weekday}, {day} {month} {year}", "{weekday}, {month} {day}, {year}")
"""The ways in which worlds write a day, for `say`."""


def day(text: str) -> date | None:
    """Return the day that a text such as 2025-01-31 names, if it does; other ways to write a day are refused.

    Years far from any world's time are refused, too: views and lists reach some days further on, and there is no day
    after 9999-12-31.
    """
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        return None
    # Python also reads 20250131 and 2025-W05-5. The text itself is stored and compared, so a day must be written in one
    # way only.
    return parsed if parsed.isoformat() == text and parsed.year in YEARS else None


def clock(text: str) -> str | None:
    """Return a text such as 09:30 if it is a time of day, written like that."""
    try:
        # Python also reads 09 and 09:30:00; times are compared as text, which works only if all are written alike.
        return text if time.fromisoformat(text).strftime("%H:%M") == text else None
    except ValueError:
        return None


def minutes(text: str) -> int:
    """Return the minutes from midnight to a time such as 09:30."""
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)


def say(style: str, day: date) -> str:
    """Return a day in words; `style` is a template of weekday, day, month and year."""
    return style.format(weekday=WEEKDAYS[day.weekday()], day=day.day, month=MONTHS[day.month - 1], year=day.year)


def plain(style: str, day: date) -> str:
    """Return a day in the words of a style, without its weekday."""
    return say(style.removeprefix("{weekday}, "), day)


def brief(style: str, day: date) -> str:
    """Return a day in the words of a style, without its weekday and its year."""
    return plain(style.replace(", {year}", "").replace(" {year}", ""), day)


def past(style: str, moment: str, today: str) -> str:
    """Return a moment such as 2025-01-31 09:30 in words, with `Today` or `Yesterday` for its day: `Yesterday, 09:30`.

    `today` is the day on which people read it. A moment without a time of day gives its day. Seconds are left out.
    """
    day, now = date.fromisoformat(moment[:10]), date.fromisoformat(today)
    relative = {now: "Today", now - timedelta(days=1): "Yesterday"}
    return ", ".join(filter(None, (relative.get(day) or plain(style, day), moment[11:16])))


def moment(time: datetime) -> str:
    """Return a moment as the database holds it: 2025-01-31 09:00:00."""
    return time.isoformat(" ", "seconds")
