"""What `make` does before anything is installed: wrong values, hostile values, no Python."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all that is read before the set-up, without an environment; nothing here may add to it."""
    copy = tmp_path_factory.mktemp("setup") / "tree"
    for folder in ("scripts", "runner", "perturbations", "sites", "stressweb"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, copy / name)
    return copy


def make(tree: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "STRESSWEB_"))
    }
    return subprocess.run(
        ["make", *arguments], cwd=tree, env={**inherited, **environ}, capture_output=True, text=True, check=False
    )


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MODE", "x; touch PWNED"),
        ("MODE", "$(shell touch PWNED)"),
        ("MODE", "`touch PWNED`"),
        ("MODE", "'; touch PWNED; '"),
        ("TASK", "$$(touch PWNED)"),
        ("AGENT", '"; touch PWNED #'),
        ("MODEL", "$(shell touch PWNED)"),
        ("BASE_URL", "http://localhost/`touch PWNED` x"),
        ("SEED", "$(error expanded)"),
        ("WORKERS", "0"),
        ("LIMIT", "-1"),
        ("RUN", "../$(HOME)"),
    ],
)
@pytest.mark.parametrize("typed", [True, False], ids=["argument", "environment"])
def test_a_wrong_value_ends_in_one_line_before_anything_is_made(tree: Path, name: str, value: str, typed: bool) -> None:
    done = make(tree, "stress", f"{name}={value}") if typed else make(tree, "stress", **{name: value})
    assert done.returncode == 2
    [line, *_] = done.stderr.splitlines()
    assert line.startswith(f"stressweb: {name}: ")
    assert all(rest.startswith("make: ***") for rest in done.stderr.splitlines()[1:])
    assert not list(tree.rglob("PWNED"))
    assert not (tree / ".venv").exists()


def test_values_arrive_as_they_were_typed(tree: Path, tmp_path: Path) -> None:
    show = tmp_path / "show.mk"
    show.write_text("show:\n\t@printenv STRESSWEB_MODE STRESSWEB_TASK\n")
    done = make(tree, "-f", "Makefile", "-f", str(show), "show", "MODE=remap+noise@4", "TASK=a $(b) $$c #d 'e\"")
    assert done.stdout.splitlines() == ["remap+noise@4", "a $(b) $$c #d 'e\""]


def test_without_a_python_it_says_what_to_install(tree: Path, tmp_path: Path) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name in ("make", "sh", "dirname", "cat"):
        found = shutil.which(name)
        assert found
        (bin_folder / name).symlink_to(found)
    # A shim that is on PATH but has no such version behind it.
    for name in ("python3.14", "python3.12"):
        (bin_folder / name).write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
        (bin_folder / name).chmod(0o755)
    done = make(tree, "stress", PATH=str(bin_folder), HOME=str(tmp_path), PYENV_ROOT=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith("stressweb: no Python 3.12 or newer on PATH; install one")
    assert not (tree / ".venv").exists()
