"""A front door: a package offers names of its modules, and imports a module when one of its names is first used."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package; `modules` says which names each of its modules defines."""
    home = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        # Python asks `__getattr__` only for what a module does not have: from now on the name costs nothing.
        setattr(sys.modules[package], name, value)
        return value

    return get
