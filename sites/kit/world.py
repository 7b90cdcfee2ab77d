"""A site at one world seed, and the sites that there are."""

import importlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from flask import Flask

from sites.kit import data, labels, theme
from sites.kit.app import WORLD, create_app
from sites.kit.references import load_spec
from sites.kit.session import COOKIE, Session, is_visitor
from sites.kit.spec import SiteSpec
from sites.kit.store import Store
from stressweb import keyed
from stressweb.errors import UserError
from stressweb.sites import SiteWorld
from stressweb.tasks import Task, load_tasks

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

    from sites.kit.visit import Visit

_SITES = Path(__file__).parents[1]

type Logic = Callable[["Visit"], Mapping[str, Any] | None]


class KitWorld(SiteWorld):
    """A site made of a spec: data, look and wording follow the seed."""

    def __init__(self, site: str, spec: SiteSpec, seed: int) -> None:
        """Draw the world of `spec` at `seed`."""
        self.site, self.host, self.seed, self.spec = site, spec.host, seed, spec
        key = ("site", site, seed)
        self.look = theme.draw(*key)
        self.labels = labels.draw(spec.labels, self.look.money, *key)
        self.start = data.start(spec, *key)
        self.secret = keyed.digest(*key, "secret", size=16).hex()
        self.entities = data.draw(spec, data.Drawing(self.start, self.look, key, self._function))
        self.template = data.database(spec, self.entities)
        self.generated = {one.table: frozenset(one.generated) for one in spec.entities.values() if one.table}
        self.uncounted = data.OWN_TABLES

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request with the site's application."""
        environ[WORLD] = self
        return _application(self.site)(environ, start_response)

    def is_guest(self, owner: object) -> bool:
        """Return whether this names a visitor who is not signed in."""
        return is_visitor(owner)

    def sign_in(self, database: sqlite3.Connection, owner: str) -> Mapping[str, str]:
        """Open a session of a person or a visitor and return its cookie."""
        if not owner:
            return {}
        session = Session.opened_for(Store(database, self.spec, self.start), self.secret, owner)
        database.commit()
        return {COOKIE: session.cookie}

    def recipe(self) -> Any:
        """Return spec and look."""
        return {"spec": self.spec.model_dump(mode="json", exclude_defaults=True), "look": asdict(self.look)}

    def files(self) -> Mapping[str, str]:
        """Return the site's own code, and the templates and scripts of the kit."""
        return _files(self.site)

    def logic(self, name: str) -> Logic:
        """Return a function of the site's own `logic.py`."""
        function: Logic = self._function(name)
        return function

    def _function(self, name: str) -> Any:
        return getattr(_logic(self.site), name)


def names() -> list[str]:
    """Return the names of the sites that ship."""
    return sorted(path.parent.name for path in _SITES.glob("*/site.yaml"))


def load(name: str, seed: int) -> KitWorld:
    """Return a site's world at a seed; raise UserError for an unknown site or a malformed spec."""
    return KitWorld(name, _spec(_known(name)), seed)


def tasks(name: str) -> list[Task]:
    """Return a site's tasks, in their order."""
    return load_tasks(_SITES / _known(name) / "tasks.yaml")


def _known(name: str) -> str:
    if name not in names():
        raise UserError(f"no site {name!r}; there are {', '.join(names())}")
    return name


@cache
def _spec(name: str) -> SiteSpec:
    return load_spec(_SITES / name / "site.yaml")


@cache
def _files(name: str) -> Mapping[str, str]:
    own = sorted((_SITES / name).glob("*.py"))
    kit = sorted(path for folder in ("templates", "scripts") for path in (_SITES / "kit" / folder).iterdir())
    return {f"{path.parent.name}/{path.name}": path.read_text(encoding="utf-8") for path in (*own, *kit)}


@cache
def _application(name: str) -> Flask:
    return create_app(_spec(name))


@cache
def _logic(name: str) -> ModuleType:
    return importlib.import_module(f"sites.{name}.logic")
