"""One line of text, and lines with a given format."""

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
        """Refuse a text without an at sign, or without a dot after it."""
        return "" if _EMAIL.fullmatch(text) else "error_email"


class Tel(Line):
    """A telephone number."""

    asks: ClassVar[str] = "tel"
    type: Literal["tel"]

    def problem(self, text: str) -> str:
        """Refuse letters, and a text that is too short for a telephone number."""
        return "" if _TEL.fullmatch(text) else "error_tel"


class Password(Line):
    """A password; pages never contain it, not even after a refused form."""

    asks: ClassVar[str] = "current-password"
    secret: ClassVar[bool] = True
    type: Literal["password"]
