"""Reproducible sessions: a signed cookie that names a row, a token for forms, and notes for the next page."""

import json
import re
from typing import Any

from itsdangerous import BadSignature, Signer

from stressweb.core import draws
from stressweb.sites.kit.data.tables import Tables

COOKIE = "session"
_SALT = "session"


def is_visitor(owner: object) -> bool:
    """Return whether `owner` names a visitor, and is not the key of a signed-in person."""
    return re.fullmatch(r"visitor-\d+", str(owner)) is not None


def _cookie_of(secret: str, session: str) -> str:
    # Session ids are numbered and easy to guess. Without a signature, a visitor could take over another session by
    # writing its id into the cookie.
    return Signer(secret, salt=_SALT).sign(session).decode()


def _open_session(store: Tables) -> dict[str, Any]:
    """Add a new session; ids are numbered, so that runs are reproducible."""
    # Sessions are never deleted, so the count gives a free number.
    (count,) = store.run("SELECT COUNT(*) AS opened FROM session")
    row = {"id": f"visitor-{count.opened + 1}", "person": store.known(), "notes": "{}"}
    store.run("INSERT INTO session VALUES (?, ?, ?)", *row.values())
    return row


class VisitorSession:
    """The session of one visitor: the signed-in person, and notes for the next page."""

    def __init__(self, store: Tables, secret: str, cookie: str | None) -> None:
        """Load the session that the cookie names, or open a new one."""
        self._store, self._signer = store, Signer(secret, salt=_SALT)
        self._secret = secret
        row = self._stored_row(cookie)
        self.new = row is None
        if row is None:
            row = _open_session(store)
        self.id: str = row["id"]
        self.person: str = row["person"]
        """Key of the signed-in person; empty if there is none."""
        self.notes: dict[str, Any] = json.loads(row["notes"])
        """Data kept between pages: messages, a refused form, the site's own drafts."""

    @classmethod
    def opened_for(cls, store: Tables, secret: str, owner: str) -> "VisitorSession":
        """Open a session for a person, or continue a visitor's session without its pending notes."""
        if is_visitor(owner):
            # A message or a refused form would appear on one of the evidence pages.
            store.run("UPDATE session SET person = ?, notes = '{}' WHERE id = ?", store.known(), owner)
            return cls(store, secret, _cookie_of(secret, owner))
        row = _open_session(store)
        store.run("UPDATE session SET person = ? WHERE id = ?", owner, row["id"])
        return cls(store, secret, _cookie_of(secret, row["id"]))

    def _stored_row(self, cookie: str | None) -> dict[str, Any] | None:
        try:
            key = self._signer.unsign(cookie or "").decode()
        # With a missing or forged cookie, or one of another world, the browser gets a new session.
        except BadSignature:
            return None
        return next(iter(self._store.run("SELECT * FROM session WHERE id = ?", key)), None)

    @property
    def cookie(self) -> str:
        """The value of the session's cookie."""
        return _cookie_of(self._secret, self.id)

    @property
    def token(self) -> str:
        """The CSRF token that forms of this session must send."""
        # No page contains the world's secret, so the token of another session cannot be guessed from its id.
        return draws.digest(self._secret, "token", self.id, size=16).hex()

    @property
    def owner(self) -> str:
        """The owner of the cart and the drafts: the signed-in person or the visitor."""
        return self.person or self.id

    def say(self, text: str, tone: str = "success") -> None:
        """Show a message on the next page."""
        self.notes.setdefault("messages", []).append([tone, text])

    def take(self, note: str, default: Any = None) -> Any:
        """Return a note and remove it."""
        return self.notes.pop(note, default)

    def renew(self, person: str) -> None:
        """Sign a person in, or sign out if `person` is empty, which also removes all notes."""
        self.person = person
        # The next person at this browser must not see drafts or messages of the previous one.
        if not person:
            self.notes = {}

    def save(self) -> None:
        """Write the session back."""
        notes = json.dumps(self.notes, sort_keys=True, ensure_ascii=False)
        self._store.run("UPDATE session SET person = ?, notes = ? WHERE id = ?", self.person, notes, self.id)
