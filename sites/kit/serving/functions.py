"""The functions that a spec can name: those of the site's `logic.py` and of its mixins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from stressweb.core.proxies import is_of_type
from stressweb.sites.kit.look.pictures import Motif


@dataclass(frozen=True)
class Functions:
    """Functions of several modules; the first module that defines a name wins, so a site can replace a mixin's."""

    modules: Sequence[ModuleType]

    def names(self) -> list[str]:
        """Return the names of all functions."""
        names = (name for module in self.modules for name, value in vars(module).items() if _is_named(name, value))
        return list(dict.fromkeys(names))

    def named(self, name: str) -> Any:
        """Return a function by name; raise KeyError if there is none."""
        for module in self.modules:
            if _is_named(name, vars(module).get(name)):
                return vars(module)[name]
        raise KeyError(name)

    @property
    def motifs(self) -> Mapping[str, Motif]:
        """The motifs of pictures: `MOTIFS` of the site's own module."""
        return vars(self.modules[0]).get("MOTIFS", {}) if self.modules else {}


def _is_named(name: str, value: Any) -> bool:
    return is_of_type(value, FunctionType) and not name.startswith("_")
