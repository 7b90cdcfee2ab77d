"""Registries that plug-ins can extend, and the loading of extensions."""

from collections.abc import Sequence
from pathlib import Path

from stressweb.perturbations import REGISTRY as MODES
from stressweb.plugins.backend import SHIPPED, BackendChoice
from stressweb.plugins.extensions import Extensions
from stressweb.plugins.registry import Broken, Kind, Registry
from stressweb.plugins.site import Site
from stressweb.runner.agents import REGISTRY as AGENTS
from stressweb.runner.registry.library import SITES
from stressweb.runner.registry.own_cases import ENDINGS, OWN_CASES
from stressweb.sources import REGISTRY as SOURCES

__all__ = [
    "AGENTS",
    "BACKENDS",
    "EXTENSIONS",
    "MODES",
    "REGISTRIES",
    "SITES",
    "SOURCES",
    "broken",
    "extensions",
    "load",
    "only_shipped",
]


def _site_in(folder: Path) -> Site:
    from stressweb.sites.kit import KitSite  # noqa: PLC0415 - needs Flask

    return KitSite(folder)


# No command lists backends: there are few.
BACKENDS: Registry[type[BackendChoice]] = Registry(Kind("backends", "backend", BackendChoice), lambda: SHIPPED)
REGISTRIES = (AGENTS, MODES, SITES, SOURCES, BACKENDS)
EXTENSIONS = Extensions(REGISTRIES, _site_in, ENDINGS, lambda path: OWN_CASES.load(path, SITES.names()))
"""The extensions loaded in this process; worker processes load those of their run."""


def load(sources: Sequence[str]) -> None:
    """Load extensions: Python files, folders of sites, `module:Class`, or files of test cases.

    Raises UserError for an extension that cannot be imported, is empty, or uses the name of something that ships.
    """
    # Files of test cases come last, since they may be for a site that another source adds.
    for source in sorted(sources, key=EXTENSIONS.holds_cases):
        EXTENSIONS.load(source)


def broken() -> list[Broken]:
    """Import every plug-in and return the broken ones, each with the reason."""
    return [plug_in for registry in REGISTRIES for plug_in in registry.broken()]


def only_shipped() -> bool:
    """Return whether this process can use nothing but what ships: no plug-in is installed or loaded."""
    return all(len(registry.names()) == len(registry.shipped()) for registry in REGISTRIES)


def extensions() -> list[str]:
    """Return every working plug-in by kind and name: `agent mine`, `mode slow`, `site library`."""
    return [plug_in for registry in REGISTRIES for plug_in in registry.plugins()]
