"""Lazy imports: a package offers names of its modules, and imports a module when a name is first used."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package; `modules` has the names that each module defines."""
    home = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        # Python calls `__getattr__` only for missing names, so later uses are free.
        setattr(sys.modules[package], name, value)
        return value

    return get
