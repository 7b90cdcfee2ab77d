"""The parts of mitmproxy that our proxy uses: its master and three addons.

Importing the package `mitmproxy.addons` loads all of its about forty addons, which takes half of mitmproxy's start-up
time.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType

_PACKAGE = "mitmproxy.addons"


@contextmanager
def _without_index() -> Iterator[None]:
    """Allow modules of the package to be imported without its `__init__`; a later import of the package is complete."""
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

    # Imported here because it imports one of the addons itself.
    from mitmproxy.master import Master

__all__ = ["Core", "Master", "NextLayer", "Proxyserver"]
