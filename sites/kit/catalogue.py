"""The sites that ship, each read from its folder."""

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from sites.kit.app import create_app
from sites.kit.references import load_spec
from sites.kit.spec import SiteSpec
from sites.kit.world import KitWorld, SiteCode
from stressweb.core.choices import unknown
from stressweb.core.errors import UserError
from stressweb.plugins.task import Task, load_tasks

_SITES = Path(__file__).parents[1]


def names() -> list[str]:
    """Return the names of the sites that ship."""
    return sorted(path.parent.name for path in _SITES.glob("*/site.yaml"))


def load(name: str, seed: int) -> KitWorld:
    """Return a site's world at a seed; raise UserError for an unknown site or a malformed spec."""
    return KitWorld(name, _spec(_known(name)), _code(name), seed)


def tasks(name: str) -> list[Task]:
    """Return a site's tasks, in their order."""
    return load_tasks(_SITES / _known(name) / "tasks.yaml")


def _known(name: str) -> str:
    if name not in names():
        raise UserError(unknown("site", name, names(), command="stressweb list sites"))
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
def _code(name: str) -> SiteCode:
    return SiteCode(create_app(_spec(name)), importlib.import_module(f"sites.{name}.logic"), _files(name))
