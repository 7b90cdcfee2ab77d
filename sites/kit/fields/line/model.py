"""One line of text, and texts of a certain form."""

import re
from typing import ClassVar, Literal

from stressweb.sites.kit.spec.fields import Line

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
_TEL = re.compile(r"[0-9+() /-]{6,}")


class Text(Line):
    """Any text."""

    type: Literal["text"]


class Email(Line):
    """An email address."""

    asks: ClassVar[str] = "email"
    type: Literal["email"]

    def problem(self, text: str) -> str:
        """Refuse what has no at sign or no dot behind it."""
        return "" if _EMAIL.fullmatch(text) else "error_email"


class Tel(Line):
    """A telephone number."""

    asks: ClassVar[str] = "tel"
    type: Literal["tel"]

    def problem(self, text: str) -> str:
        """Refuse letters, and what is too short for a number."""
        return "" if _TEL.fullmatch(text) else "error_tel"


class Password(Line):
    """A password; it is never written into a page, not even the one that was just typed."""

    asks: ClassVar[str] = "current-password"
    secret: ClassVar[bool] = True
    type: Literal["password"]
