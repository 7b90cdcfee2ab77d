"""The parts of mitmproxy that our proxy is made of: its master and three addons.

The package `mitmproxy.addons` imports all of its addons, about forty, which takes half of mitmproxy's start.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

_PACKAGE = "mitmproxy.addons"


@contextmanager
def _without_index() -> Iterator[None]:
    """Let modules of the package be imported without its `__init__`; a later import of the package gets all of it."""
    spec = find_spec(_PACKAGE)
    if _PACKAGE in sys.modules or spec is None:
        yield
        return
    package = ModuleType(_PACKAGE)
    package.__path__ = list(spec.submodule_search_locations or ())
    sys.modules[_PACKAGE] = package
    try:
        yield
    finally:
        del sys.modules[_PACKAGE]


with _without_index():
    from mitmproxy.addons.core import Core
    from mitmproxy.addons.next_layer import NextLayer
    from mitmproxy.addons.proxyserver import Proxyserver

    # It imports an addon for its log.
    from mitmproxy.master import Master

__all__ = ["Core", "Master", "NextLayer", "Proxyserver"]
