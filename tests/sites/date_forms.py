"""The forms in which pages may write a day."""

import re

from stressweb.sites.kit.wording import dates

DAY_FIRST, MONTH_FIRST = "day first", "month first"
_SHORT = [month[:3] for month in dates.MONTHS]
_MONTH = "|".join({*dates.MONTHS, *_SHORT, "Sept"})
FORMS = {
    "as machines write it": re.compile(r"\b\d{4}-\d\d-\d\d\b"),
    DAY_FIRST: re.compile(rf"\b\d{{1,2}}\.? (?:{_MONTH})\b,? \d{{4}}\b"),
    MONTH_FIRST: re.compile(rf"\b(?:{_MONTH})\.? \d{{1,2}},? \d{{4}}\b"),
    # May is May, short or not.
    "with a short month": re.compile(rf"\b\d{{1,2}} (?:{'|'.join({*_SHORT} - {'May'})})\b"),
    "with slashes": re.compile(r"\b\d\d?/\d\d?/\d{4}\b"),
    "with dots": re.compile(r"\b\d\d?\.\d\d?\.\d{4}\b"),
}
