"""Bugs of an application: variants of a site that fail a test case with the text of the passing one."""

import copy
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import escape

from stressweb.plugins.site_world import DATABASE, SiteWorld
from stressweb.plugins.test_case import CaseStep

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_NUMBER = re.compile(r"\d+")
_LIST_CHECKS = frozenset(("listed", "gone", "count", "order"))
_PAGES = ("text/html", "application/")
"""Content types of answers with texts; others are pictures, style sheets and scripts."""


class Bug(NamedTuple):
    """A bug in one world."""

    operator: str
    path: str = ""
    """The path of the form that it breaks, or of the list that it keeps outdated."""
    text: str = ""
    """A text of the page to replace."""
    other: str = ""
    """Its replacement."""


def bug_of(
    operator: str,
    steps: Sequence[CaseStep],
    form_paths_by_step: Iterable[Iterable[str]],
    end_page_paths: Sequence[str],
    step: int,
) -> Bug | None:
    """Return the bug that could make a step of a passing case fail; None if the operator does not apply, or if there is
    no such step.

    `form_paths_by_step` are the paths of the forms that each step submits, `end_page_paths` those of the page on which
    each step ends.
    """
    if step > len(steps):
        return None
    check = steps[step - 1].check
    if operator == "stale_list":
        return Bug(operator, path=end_page_paths[step - 1]) if check and check.kind in _LIST_CHECKS else None
    if operator == "wrong_number":
        number = _NUMBER.search(check.says) if check and check.kind in ("line", "message", "heading") else None
        if check is None or number is None:
            return None
        start, end = number.span()
        replacement = f"{check.says[:start]}{int(number[0]) + 1:0{end - start}d}{check.says[end:]}"
        return Bug(operator, text=check.says, other=replacement)
    form_paths = [[*paths_of_step] for paths_of_step in form_paths_by_step][:step]
    if operator == "dead_button":
        return Bug(operator, path=form_paths[-1][-1]) if form_paths[-1] else None
    # A dropped write: the step may check what an earlier one submitted.
    form_paths_so_far = [path for paths_of_step in form_paths for path in paths_of_step]
    return Bug(operator, path=form_paths_so_far[-1]) if form_paths_so_far else None


def with_bug(world: SiteWorld, bug: Bug) -> SiteWorld:
    """Return a site with a bug, otherwise equal to `world`."""
    variant = copy.copy(world)
    app = _APPS[bug.operator](world, bug)
    # An attribute of this object, which overrides the method of its class.
    variant.__dict__["app"] = app
    return variant


def _dead_button(world: SiteWorld, bug: Bug) -> "WSGIApplication":
    """Answer the form with no content, so that a browser stays on the page."""

    def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if not _is_about(environ, "POST", bug):
            return world.app(environ, start_response)
        start_response("204 No Content", [])
        return []

    return app


def _dropped_write(world: SiteWorld, bug: Bug) -> "WSGIApplication":
    """Answer the form as usual, and restore the data."""

    def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if not _is_about(environ, "POST", bug):
            return world.app(environ, start_response)
        database: sqlite3.Connection = environ[DATABASE]
        before = database.serialize()
        body = b"".join(world.app(environ, start_response))
        _restore(database, before, world.uncounted)
        return [body]

    return app


def _stale_list(world: SiteWorld, bug: Bug) -> "WSGIApplication":
    """Show the list in its initial state, like a cache that is never refreshed."""

    def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if not _is_about(environ, "GET", bug):
            return world.app(environ, start_response)
        database: sqlite3.Connection = environ[DATABASE]
        now = database.serialize()
        _restore(database, world.template, world.uncounted)
        try:
            return [b"".join(world.app(environ, start_response))]
        finally:
            _restore(database, now, world.uncounted)

    return app


def _restore(database: sqlite3.Connection, before: bytes, uncounted: frozenset[str]) -> None:
    """Restore all rows, except in tables without data: sessions, and messages to the visitor."""
    with closing(sqlite3.connect(":memory:")) as old:
        old.deserialize(before)
        # Not the whole database at once, because the site depends on tables that it creates on demand.
        for (name,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if name in uncounted or name.startswith("sqlite_"):
                continue
            rows = old.execute(f'SELECT * FROM "{name}"').fetchall()  # noqa: S608 - a name out of the database
            database.execute(f'DELETE FROM "{name}"')  # noqa: S608
            for row in rows:
                database.execute(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(row))})', row)  # noqa: S608
    database.commit()


def _wrong_number(world: SiteWorld, bug: Bug) -> "WSGIApplication":
    """Replace a number in the pages."""
    texts = {text.encode(): replacement.encode() for text, replacement in ((bug.text, bug.other), _escaped(bug))}

    def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        answers: list[tuple[str, list[tuple[str, str]]]] = []

        def keep(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> Callable[[bytes], object]:
            answers.append((status, headers))
            return lambda part: None

        body = b"".join(world.app(environ, keep))
        status, headers = answers[-1]
        if dict(headers).get("Content-Type", "").startswith(_PAGES):
            for text, replacement in texts.items():
                body = body.replace(text, replacement)
        headers = [(name, content) for name, content in headers if name != "Content-Length"]
        start_response(status, [*headers, ("Content-Length", str(len(body)))])
        return [body]

    return app


def _escaped(bug: Bug) -> tuple[str, str]:
    return str(escape(bug.text)), str(escape(bug.other))


def _is_about(environ: "WSGIEnvironment", method: str, bug: Bug) -> bool:
    return (environ["REQUEST_METHOD"], environ["PATH_INFO"]) == (method, bug.path)


_APPS: Mapping[str, Callable[[SiteWorld, Bug], "WSGIApplication"]] = {
    "dead_button": _dead_button,
    "dropped_write": _dropped_write,
    "stale_list": _stale_list,
    "wrong_number": _wrong_number,
}
BUGS = tuple(_APPS)
"""The names of all bugs."""
