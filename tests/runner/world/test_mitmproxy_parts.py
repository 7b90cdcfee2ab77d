"""The proxy imports only the parts of mitmproxy that it uses; the whole of mitmproxy can still be imported."""

import subprocess
import sys

import pytest

IMPORTED = """
import sys
import stressweb.runner.commands.serve, stressweb.runner.world.world
from stressweb.runner.registry import Library
Library().goal("shop/profile", 0)
print(*(name for name in sys.argv[1:] if name in sys.modules))
"""
WHOLE = """
from stressweb.runner.world.mitmproxy_parts import Core
from mitmproxy import addons
print(addons.core.Core is Core, any(isinstance(addon, Core) for addon in addons.default_addons()))
"""
NOT_NEEDED = ("mitmproxy.addons", "mitmproxy.addons.onboarding", "numpy", "scipy", "playwright", "plotly", "openai")


def output_of(program: str, *arguments: str) -> str:
    command = [sys.executable, "-P", "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_serve_imports_nothing_that_it_does_not_need() -> None:
    assert output_of(IMPORTED, "mitmproxy.master", *NOT_NEEDED) == "mitmproxy.master"


@pytest.mark.parametrize("first", ["", "import mitmproxy.addons\n"])
def test_the_whole_of_mitmproxy_can_be_imported_before_and_after(first: str) -> None:
    assert output_of(first + WHOLE) == "True True"
