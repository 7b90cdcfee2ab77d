"""The world of a chain: several sites at one world seed, each with its own host and its own database."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from stressweb.core.errors import UserError
from stressweb.core.task_id import CHAINS
from stressweb.plugins.database import Snapshot, TableChange
from stressweb.plugins.site_world import SiteWorld

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class ChainWorld(SiteWorld):
    """Sites that an episode may visit. The changes of their databases name the site: `shop.cart`."""

    site = CHAINS

    def __init__(self, parts: Sequence[SiteWorld]) -> None:
        """Take the worlds, the one in which the episode begins first; raises UserError if two have the same host."""
        first, *_ = parts
        self._parts = tuple(parts)
        self.host, self.seed, self.start = first.host, first.seed, first.start
        self.labels, self.entities = {}, {}
        hosts: dict[str, str] = {}
        for one in parts:
            other = hosts.setdefault(one.host, one.site)
            if other != one.site:
                raise UserError(f"world seed {one.seed}: sites {other} and {one.site} have the same host, {one.host}")
        self.generated = {f"{one.site}.{table}": columns for one in parts for table, columns in one.generated.items()}
        self.derived = {f"{one.site}.{table}": columns for one in parts for table, columns in one.derived.items()}
        self.marked_up = {f"{one.site}.{table}": columns for one in parts for table, columns in one.marked_up.items()}
        self.uncounted = frozenset(f"{one.site}.{table}" for one in parts for table in one.uncounted)

    @property
    def parts(self) -> tuple[SiteWorld, ...]:
        """The sites, the one in which the episode begins first."""
        return self._parts

    @cached_property
    def initial(self) -> Snapshot:
        """Every row of the initial databases; the name of a table begins with that of its site."""
        return Snapshot(
            {f"{one.site}.{name}": value for one in self.parts for name, value in one.initial.keys.items()},
            {f"{one.site}.{name}": value for one in self.parts for name, value in one.initial.columns.items()},
            {f"{one.site}.{name}": value for one in self.parts for name, value in one.initial.rows.items()},
        )

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Refuse: each site has an application and a database of its own."""
        self._refuse()

    def sign_in(self, database: sqlite3.Connection, owner: str) -> Mapping[str, str]:
        """Refuse: people sign in at one site."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError("a chain has no application of its own; ask the sites in `parts`")


def address_of(site: SiteWorld) -> str:
    """Return the address of a site's first page."""
    return f"http://{site.host}/"


def joined(changes: Mapping[str, Mapping[str, TableChange]]) -> dict[str, TableChange]:
    """Return the changes of several sites' databases as one; the name of a table begins with that of its site."""
    return {f"{site}.{table}": change for site, found in changes.items() for table, change in found.items()}


def parted(changes: Mapping[str, Any], site: str) -> dict[str, Any]:
    """Return what is of one site, by the table's own name."""
    prefix = f"{site}."
    return {name.removeprefix(prefix): value for name, value in changes.items() if name.startswith(prefix)}
