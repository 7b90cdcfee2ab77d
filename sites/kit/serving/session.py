"""Sessions that repeat: a signed cookie that names a row, a token for forms, and notes for the next page."""

import json
import re
from typing import Any

from itsdangerous import BadSignature, Signer

from stressweb.core import draws
from stressweb.sites.kit.data.tables import Tables

COOKIE = "session"
_SALT = "session"


def is_visitor(owner: object) -> bool:
    """Return whether this is the name of a visitor, and not the key of a person who has signed in."""
    return re.fullmatch(r"visitor-\d+", str(owner)) is not None


def _signed(secret: str, session: str) -> str:
    # Names of sessions count up and are easy to guess. Without a signature, a visitor could take over another session
    # by writing its name into the cookie.
    return Signer(secret, salt=_SALT).sign(session).decode()


def _opened(store: Tables) -> dict[str, Any]:
    """Add a session that has just begun; numbers count up, so that runs repeat."""
    # No session is ever deleted, so the count is a number that is free.
    (count,) = store.run("SELECT COUNT(*) AS opened FROM session")
    row = {"id": f"visitor-{count.opened + 1}", "person": store.known(), "notes": "{}"}
    store.run("INSERT INTO session VALUES (?, ?, ?)", *row.values())
    return row


class VisitorSession:
    """One visitor: who is signed in, and what the next page must say."""

    def __init__(self, store: Tables, secret: str, cookie: str | None) -> None:
        """Find the session that a cookie names, or open one."""
        self._store, self._signer = store, Signer(secret, salt=_SALT)
        self._secret = secret
        row = self._found(cookie)
        self.new = row is None
        if row is None:
            row = _opened(store)
        self.id: str = row["id"]
        self.person: str = row["person"]
        """Key of who is signed in, or nothing."""
        self.notes: dict[str, Any] = json.loads(row["notes"])
        """What is kept between pages: messages, a refused form, the site's own drafts."""

    @classmethod
    def opened_for(cls, store: Tables, secret: str, owner: str) -> "VisitorSession":
        """Open a session of a person, or continue that of a visitor with nothing left to say or to finish."""
        if is_visitor(owner):
            # A message or a refused form would appear on one of the evidence pages.
            store.run("UPDATE session SET person = ?, notes = '{}' WHERE id = ?", store.known(), owner)
            return cls(store, secret, _signed(secret, owner))
        row = _opened(store)
        store.run("UPDATE session SET person = ? WHERE id = ?", owner, row["id"])
        return cls(store, secret, _signed(secret, row["id"]))

    def _found(self, cookie: str | None) -> dict[str, Any] | None:
        try:
            key = self._signer.unsign(cookie or "").decode()
        # A cookie that is missing, forged or of another world is no error: the browser gets a new session.
        except BadSignature:
            return None
        return next(iter(self._store.run("SELECT * FROM session WHERE id = ?", key)), None)

    @property
    def cookie(self) -> str:
        """The value of the session's cookie."""
        return _signed(self._secret, self.id)

    @property
    def token(self) -> str:
        """What a form of this session must send back."""
        # The world's secret is in no page, so the token of another session cannot be guessed from its number.
        return draws.digest(self._secret, "token", self.id, size=16).hex()

    @property
    def owner(self) -> str:
        """Whose cart and drafts these are: the person, or the visitor."""
        return self.person or self.id

    def say(self, text: str, tone: str = "success") -> None:
        """Show a message on the next page."""
        self.notes.setdefault("messages", []).append([tone, text])

    def take(self, note: str, default: Any = None) -> Any:
        """Return a note and forget it."""
        return self.notes.pop(note, default)

    def renew(self, person: str) -> None:
        """Sign a person in, or out if there is none; who signs out leaves all notes behind."""
        self.person = person
        # The next person at this browser must find neither the draft of an order nor a message of the last one.
        if not person:
            self.notes = {}

    def save(self) -> None:
        """Write the session back."""
        notes = json.dumps(self.notes, sort_keys=True, ensure_ascii=False)
        self._store.run("UPDATE session SET person = ?, notes = ? WHERE id = ?", self.person, notes, self.id)
