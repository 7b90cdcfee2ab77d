"""A plug-in package that pip installs beside the wheel, in a separate environment outside the project."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stressweb.core.browser_program import find_browser
from tests.support.documented_files import FILES
from tests.support.package_build import ROOT, run

pytestmark = [pytest.mark.audit, pytest.mark.timeout(1800)]

PROJECT = """\
[build-system]
requires = ["hatchling>=1.27,<2"]
build-backend = "hatchling.build"

[project]
name = "my-package"
version = "1"

[project.entry-points."stressweb.agents"]
first-link = "my_package.my_agent:FirstLink"
snapped = "my_package.snapped:Snapped"

[project.entry-points."stressweb.perturbations"]
advert = "my_package.my_mode:Advert"

[project.entry-points."stressweb.sites"]
library = "my_package.sites:library"
"""
SITES = """\
from pathlib import Path

from stressweb.sites.kit import KitSite

library = KitSite(Path(__file__).parent / "library")
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A separate environment with the wheel, its requirements and the package, all installed by pip."""
    place = tmp_path_factory.mktemp("plugins")
    package = place / "source" / "my_package"
    for name, text in FILES.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (package / "__init__.py").write_text("")
    (package / "sites.py").write_text(SITES)
    (package / "snapped.py").write_text("import no_such_module\n")
    (package.parent / "pyproject.toml").write_text(PROJECT)
    for source, out in ((ROOT, place), (package.parent, place)):
        run(sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", out, cwd=source)
    python = place / "env" / "bin" / "python"
    run(sys.executable, "-m", "venv", place / "env", cwd=place)
    pip: list[str | Path] = [python, "-I", "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    locked = subprocess.run(
        [*pip, "--require-hashes", "--only-binary", ":all:", "-r", ROOT / "requirements.lock"],
        cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if locked.returncode:
        pytest.skip(f"the requirements cannot be installed here: {locked.stderr.strip().splitlines()[-1][:200]}")
    # --no-index: the locked packages must satisfy all requirements of the wheel.
    run(*pip, "--no-index", *place.glob("*.whl"), cwd=place)
    return place / "env"


def test_agent_mode_and_site_of_an_installed_package_run_are_listed_and_graded(
    environment: Path, tmp_path: Path
) -> None:
    stressweb = environment / "bin" / "stressweb"
    listed = {kind: run(stressweb, "list", kind, cwd=tmp_path) for kind in ("agents", "modes", "sites", "tasks")}
    assert "first-link" in listed["agents"]
    assert "advert" in listed["modes"]
    assert "library" in listed["sites"]
    assert "library/borrow-a-book" in listed["tasks"]
    program = "import stressweb.runner; print(stressweb.runner.__file__)"
    where = run(environment / "bin" / "python", "-P", "-c", program, cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    options = (
        "--agent",
        "first-link,resilient",
        "--mode",
        "advert@5",
        "--task",
        "library/borrow-a-book",
        "--run",
        "mine",
    )
    browser = f"STRESSWEB_BROWSER={find_browser().path}"
    results = json.loads(run("env", browser, stressweb, "run", *options, "--workers", "1", "--json", cwd=tmp_path))
    rows = {(row["agent"], row["condition"]): row for row in results["rows"]}
    assert {key: row["successes"] for key, row in rows.items()} == {
        ("first-link", "clean"): 0, ("first-link", "advert@5"): 0,
        ("resilient", "clean"): 1, ("resilient", "advert@5"): 1,
    }  # fmt: skip
    assert all((row["episodes"], row["errors"]) == (1, 0) for row in rows.values())
    assert json.loads(run(stressweb, "grade", "mine", "--json", cwd=tmp_path))["regraded"] == 0
    run(stressweb, "report", "mine", cwd=tmp_path)
    assert "advert" in (tmp_path / "runs" / "mine" / "report.html").read_text("utf-8")


def test_a_broken_plug_in_beside_them_is_named_and_harms_nothing(environment: Path, tmp_path: Path) -> None:
    stressweb = environment / "bin" / "stressweb"
    done = subprocess.run([stressweb, "list", "agents"], cwd=tmp_path, capture_output=True, text=True, check=False)
    output = " ".join((done.stdout + done.stderr).split())
    assert re.search(r"agent 'snapped' \(entry point .*\) cannot be used: .*snapped\.py:1: ModuleNotFoundError", output)
    dry_run = subprocess.run(
        [stressweb, "run", "--agent", "snapped", "--dry-run"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (dry_run.returncode, dry_run.stdout, dry_run.stderr.count("\n")) == (2, "", 1)
    assert "snapped.py:1" in dry_run.stderr
