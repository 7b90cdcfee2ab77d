"""Sources of observations: shipped ones, one file each, and extensions.

The recorder and the prompt both look up sources here, by name.
"""

import importlib
import inspect
from collections.abc import Collection, Mapping
from typing import Any

from stressweb.core.errors import UserError
from stressweb.core.words import PLAIN
from stressweb.plugins.agent import Observation
from stressweb.plugins.observation_source import ObservationSource
from stressweb.plugins.registry import Kind, Registry

SHIPPED: Mapping[str, str] = {"dom": "Dom", "boxes": "Boxes", "tree": "Tree", "screenshots": "Screenshots"}
"""The class of each shipped source, in the module of its name. Each fills a field of the observation."""


def _shipped_source(name: str) -> type[ObservationSource]:
    # Imported on demand: listing the names must not import Playwright and lxml.
    shipped: type[ObservationSource] = getattr(importlib.import_module(f"{__name__}.{name}"), SHIPPED[name])
    return shipped


def _check(name: str, added: type[ObservationSource]) -> None:
    if not PLAIN.fullmatch(name):
        raise ValueError(f"its name {name!r} needs to be letters, digits, '.', '_' and '-', at most 100")


REGISTRY: Registry[type[ObservationSource]] = Registry(
    Kind("observations", "observation source", ObservationSource, listed="observations"),
    lambda: [*SHIPPED],
    _shipped_source,
    _check,
)
"""All sources by name."""


def source(name: str) -> type[ObservationSource]:
    """Return the class of a source; raises UserError for an unknown name, or a plug-in that fails."""
    kind = REGISTRY.get(name)
    if not inspect.iscoroutinefunction(kind.read):
        raise UserError(
            f"observation source {name!r}: its read is a plain function; write `async def read(self, page)`"
        )
    return kind


def rendered(observation: Observation, name: str) -> str:
    """Return the value of a source in an observation, as text; "" if nothing was read, as behind a dialog.

    Raises TypeError if the source renders anything but a text.
    """
    kind = source(name)
    if name not in SHIPPED and name not in observation.sources:
        return ""
    value = getattr(observation, kind.field) if name in SHIPPED else observation.sources[name]  # type: ignore[attr-defined]
    text: Any = kind().render(value)
    if not isinstance(text, str):
        raise TypeError(f"observation source {name!r} renders a {type(text).__name__}, not a text")
    return text


def wanted(wants: Any) -> frozenset[str]:
    """Return the `wants` of an agent, checked; raises UserError for anything but names of working sources."""
    # A text is a collection too: `wants = "dom"` would name three sources of one letter each.
    plain = isinstance(wants, Collection) and not isinstance(wants, str | bytes)
    if not plain or not all(isinstance(name, str) for name in wants):
        raise UserError(f"wants is {wants!r:.80}, not a set of names of observation sources")
    for name in sorted(wants):
        source(name)
    return frozenset(wants)
