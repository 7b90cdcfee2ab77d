"""Isolation of the plug-in registries for one test."""

from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint

import pytest

from stressweb.plugins.registry import Registry
from stressweb.runner.registry import EXTENSIONS, OWN_CASES
from stressweb.runner.registry.plugins import REGISTRIES


def isolate_plugins(patch: pytest.MonkeyPatch, points: Callable[..., Sequence[EntryPoint]] = lambda group: ()) -> None:
    """Empty the plug-in registries until the patch is undone; `points` returns the entry points of a group."""
    patch.setattr(Registry, "points", staticmethod(points))
    patch.setattr(EXTENSIONS, "_loaded", {})
    patch.setattr(OWN_CASES, "_placed", {})
    for registry in REGISTRIES:
        patch.setattr(registry, "_entries", None)
