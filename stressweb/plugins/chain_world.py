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
    """The sites that an episode may visit. Names of tables are prefixed by the site: `shop.cart`."""

    site = CHAINS

    def __init__(self, parts: Sequence[SiteWorld]) -> None:
        """Take the worlds, the initial one first; raises UserError if two have the same host."""
        first, *_ = parts
        self._parts = tuple(parts)
        self.host, self.seed, self.start = first.host, first.seed, first.start
        self.labels, self.entities = {}, {}
        hosts: dict[str, str] = {}
        for part in parts:
            site = hosts.setdefault(part.host, part.site)
            if site != part.site:
                raise UserError(f"world seed {part.seed}: sites {site} and {part.site} have the same host, {part.host}")
        self.generated = {
            f"{part.site}.{table}": columns for part in parts for table, columns in part.generated.items()
        }
        self.derived = {f"{part.site}.{table}": columns for part in parts for table, columns in part.derived.items()}
        self.marked_up = {
            f"{part.site}.{table}": columns for part in parts for table, columns in part.marked_up.items()
        }
        self.uncounted = frozenset(f"{part.site}.{table}" for part in parts for table in part.uncounted)

    @property
    def parts(self) -> tuple[SiteWorld, ...]:
        """The sites, the initial one first."""
        return self._parts

    @cached_property
    def initial(self) -> Snapshot:
        """Every row of the initial databases."""
        return Snapshot(
            {f"{part.site}.{name}": key for part in self.parts for name, key in part.initial.keys.items()},
            {f"{part.site}.{name}": columns for part in self.parts for name, columns in part.initial.columns.items()},
            {f"{part.site}.{name}": rows for part in self.parts for name, rows in part.initial.rows.items()},
        )

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Raise TypeError: each site has its own application and database."""
        self._refuse()

    def sign_in(self, database: sqlite3.Connection, owner: str) -> Mapping[str, str]:
        """Raise TypeError: people sign in at a single site."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError("a chain has no application of its own; ask the sites in `parts`")


def address_of(site: SiteWorld) -> str:
    """Return the address of a site's first page."""
    return f"http://{site.host}/"


def joined(changes: Mapping[str, Mapping[str, TableChange]]) -> dict[str, TableChange]:
    """Return the changes of several sites' databases in one mapping, with names of tables prefixed by their site."""
    return {f"{site}.{table}": change for site, tables in changes.items() for table, change in tables.items()}


def parted(changes: Mapping[str, Any], site: str) -> dict[str, Any]:
    """Return the entries of one site, with its own names of tables."""
    prefix = f"{site}."
    return {name.removeprefix(prefix): value for name, value in changes.items() if name.startswith(prefix)}
