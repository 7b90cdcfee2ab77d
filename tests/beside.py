"""A Python that has a package which is an extra: in an environment of its own, beside what is installed here."""

import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest


def python_with(requirement: str, module: str, folder: Path) -> Path:
    """Return a Python that can import `module`: this one, or that of a new environment in `folder`.

    Skips the test where what is required cannot be installed.
    """
    if find_spec(module):
        return Path(sys.executable)
    made = folder / module
    subprocess.run([sys.executable, "-m", "venv", made], check=True)
    python = made / "bin" / "python"
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", requirement], capture_output=True, text=True, check=False
    )
    if installed.returncode:
        pytest.skip(f"{requirement} cannot be installed here: {installed.stderr.strip()[-200:]}")
    (own,) = made.glob("lib/python*/site-packages")
    # Behind its own, so that it keeps the versions that it needs.
    (own / "zz-ours.pth").write_text(sysconfig.get_path("purelib"))
    return python
