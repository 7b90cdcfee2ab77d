"""Days and times of day: their form in input and in the database, and in words."""

from datetime import date, datetime, time, timedelta

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
YEARS = range(1900, 2201)
"""Years of the days that are accepted."""

STYLES = ("{weekday}, {day} {month} {year}", "{weekday}, {month} {day}, {year}")
"""Templates of a day in words, for `say`; each world uses one."""


def day(text: str) -> date | None:
    """Return the day of a text such as 2025-01-31; None for any other text.

    Years far from any world's time give None, too: views and lists go on for some days, and Python has no day after
    9999-12-31.
    """
    try:
        parsed = date.fromisoformat(text)
    except ValueError:
        return None
    # Python also reads 20250131 and 2025-W05-5. The text itself is stored and compared, so only one form is accepted.
    return parsed if parsed.isoformat() == text and parsed.year in YEARS else None


def clock(text: str) -> str | None:
    """Return the text if it is a time of day such as 09:30; None for any other text."""
    try:
        # Python also reads 09 and 09:30:00. Times are compared as text, so only one form is accepted.
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
    """Return a day in words without its weekday."""
    return say(style.removeprefix("{weekday}, "), day)


def brief(style: str, day: date) -> str:
    """Return a day in words without its weekday and year."""
    return plain(style.replace(", {year}", "").replace(" {year}", ""), day)


def past(style: str, moment: str, today: str) -> str:
    """Return a moment such as 2025-01-31 09:30 in words, such as `Today, 09:30` or `Yesterday, 09:30`.

    `today` is the current day. A moment without a time of day gives only its day. Seconds are omitted.
    """
    day, now = date.fromisoformat(moment[:10]), date.fromisoformat(today)
    relative = {now: "Today", now - timedelta(days=1): "Yesterday"}
    return ", ".join(filter(None, (relative.get(day) or plain(style, day), moment[11:16])))


def moment(time: datetime) -> str:
    """Return a moment in the form of the database: 2025-01-31 09:00:00."""
    return time.isoformat(" ", "seconds")
