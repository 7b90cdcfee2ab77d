"""`make` before anything is installed: wrong values, hostile values, no Python."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from stressweb.runner.commands.precheck import CHECKS

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files that the set-up reads, without an environment; no test may write into it."""
    copy = tmp_path_factory.mktemp("setup") / "tree"
    for folder in ("scripts", "runner", "perturbations", "sites", "stressweb"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"), symlinks=True)
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "package.json", "package-lock.json"):
        shutil.copy(ROOT / name, copy / name)
    return copy


def make(tree: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "STRESSWEB_"))
    }
    return subprocess.run(
        ["make", *arguments], cwd=tree, env={**inherited, **environ}, capture_output=True, text=True, check=False
    )


@pytest.mark.sample(3)
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
        ("EPOCHS", "`touch PWNED`"),
        ("STRESS_SEEDS", "$(shell touch PWNED)"),
        ("SCREENSHOTS", "1; touch PWNED"),
        ("EXCLUDE", ","),
        ("RUN", "../$(HOME)"),
    ],
)
@pytest.mark.parametrize("typed", [True, False], ids=["argument", "environment"])
def test_a_wrong_value_ends_in_one_line_before_anything_is_made(tree: Path, name: str, value: str, typed: bool) -> None:
    done = make(tree, "stress", f"{name}={value}") if typed else make(tree, "stress", **{name: value})
    assert done.returncode == 2
    [line, *_] = done.stderr.splitlines()
    assert line.startswith(f"stressweb: {name}: ")
    assert all(make_line.startswith("make: ***") for make_line in done.stderr.splitlines()[1:])
    assert not list(tree.rglob("PWNED"))
    assert not (tree / ".venv").exists()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("MODES=noise", "MODES is not a variable of make; did you mean MODE? There are MODE, TASK, "),
        ("limit=3", "limit is not a variable of make; did you mean LIMIT? There are MODE, TASK, "),
        ("SCREENSHOT=1", "SCREENSHOT is not a variable of make; did you mean SCREENSHOTS? There are MODE, TASK, "),
        ("XYZ=$$(touch PWNED)`touch PWNED`", "XYZ is not a variable of make; there are MODE, TASK, "),
        ("a$$b;touch=1", "a$b;touch is not a variable of make; there are MODE, TASK, "),
    ],
)
@pytest.mark.parametrize("target", ["stress", "help", "clean"])
def test_an_unknown_variable_is_refused_before_anything_is_made(
    tree: Path, typed: str, message: str, target: str
) -> None:
    done = make(tree, target, "MODE=clean", typed)
    assert (done.returncode, done.stdout) == (2, "")
    line, *rest = done.stderr.splitlines()
    assert line.startswith(f"stressweb: {message}")
    assert all(line.startswith("make: ***") for line in rest)
    assert not list(tree.rglob("PWNED"))
    assert not (tree / ".venv").exists()


@pytest.mark.parametrize(
    "typed", ["SHELL=/bin/sh", "STRESSWEB_BROWSER=x", "OPENAI_API_KEY=x", "MAKEFLAGS=", "-j2", "-s"]
)
def test_known_variables_and_flags_are_accepted(tree: Path, typed: str) -> None:
    done = make(tree, "help", typed, "SCREENSHOTS=1", "EPOCHS=2", "STRESS_SEEDS=0..2", "EXCLUDE=shop/*")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_environment_variable_is_ignored(tree: Path) -> None:
    assert make(tree, "help", MODES="x", limit="3").returncode == 0


def test_make_and_the_check_name_the_same_variables() -> None:
    definitions = re.findall(r"^(?:variables|testing) := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert sorted(name for line in definitions for name in line.split()) == sorted(
        name for name in CHECKS if not name.startswith("STRESSWEB_")
    )


def test_values_arrive_as_they_were_typed(tree: Path, tmp_path: Path) -> None:
    show = tmp_path / "show.mk"
    show.write_text("show:\n\t@printenv STRESSWEB_MODE STRESSWEB_TASK\n")
    done = make(tree, "-f", "Makefile", "-f", str(show), "show", "MODE=remap+noise@4", "TASK=a $(b) $$c #d 'e\"")
    assert done.stdout.splitlines() == ["remap+noise@4", "a $(b) $$c #d 'e\""]


@pytest.mark.parametrize(
    ("typed", "passed"),
    [
        ({}, "cases|oracle,retry,literal|failure|"),
        ({"MODE": "", "LIMIT": "20"}, "cases|oracle,retry,literal|failure|20"),
        ({"MODE": "popup", "TASK": "cases/shop/*", "AGENT": "retry"}, "cases/shop/*|retry|popup|"),
    ],
)
def test_testers_run_test_cases_under_failure_unless_told_otherwise(
    tree: Path, tmp_path: Path, typed: dict[str, str], passed: str
) -> None:
    program = tmp_path / ".venv/bin/stressweb"
    program.parent.mkdir(parents=True)
    program.write_text(
        '#!/bin/sh\necho "$STRESSWEB_TASK|$STRESSWEB_AGENT|$STRESSWEB_MODE|$STRESSWEB_LIMIT"\necho "$*"\n'
    )
    program.chmod(0o755)
    shutil.copy(tree / "Makefile", tmp_path)
    # `-o`: this environment needs no set-up.
    arguments = ["-o", "browser", "testers", *(f"{name}={text}" for name, text in typed.items())]
    done = make(tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [passed, "run"]
    # As environment variables, too.
    assert make(tmp_path, *arguments[:3], **typed).stdout == done.stdout


PYTHON = """\
#!/bin/sh
# Acts as a Python whose packages take long to install, until progress was reported three times.
case "$*" in
*" -V"* | -V) echo Python 3.14.0 ;;
*"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
*"pip"*"requirements.lock"*) until [ -e beaten ]; do /bin/sleep 0.05; done ;;
*"import ensurepip"*) echo "$0" ;;
*hashlib*) echo fingerprint ;;
esac
"""


# Three beats: at least one is reported before the packages are installed, even if another phase's sleep still runs.
SLEEP = """\
#!/bin/sh
/bin/sleep 0.2
[ -e .venv/bin/python ] || exit 0
echo "$1" >>beats
[ "$(wc -l <beats)" -lt 3 ] || echo >beaten
"""


def test_the_set_up_reports_its_progress(tree: Path, tmp_path: Path) -> None:
    copy, bin_folder = tmp_path / "tree", tmp_path / "bin"
    shutil.copytree(tree, copy, symlinks=True)
    bin_folder.mkdir()
    scripts = {"python3.14": PYTHON, "sleep": SLEEP}
    for name, text in scripts.items():
        (bin_folder / name).write_text(text)
        (bin_folder / name).chmod(0o755)
    done = make(copy, "setup", PATH=f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    lines = done.stderr.splitlines()
    still = [line for line in lines if "still" in line]
    assert still
    assert all(re.fullmatch(r"stressweb: \w+: still [\w. ]+, \d+ s so far", line) for line in still)
    assert [line.partition("stressweb: ")[2].split(" ")[0] for line in lines if line not in still] == [
        "setting", "environment:", "packages:", "packages:",
    ]  # fmt: skip
    pauses = (copy / "beats").read_text().split()
    assert {"5", "10"} <= {*pauses} <= {"5", "10", "20", "30"}, "the longer it takes, the rarer the reports"
    assert "Python 3.14.0" in lines[1]
    assert re.search(r"\d+ locked packages$", done.stderr, re.MULTILINE)
    assert re.search(r"packages: done after \d+ s, .venv has \d+ MB", lines[-1])
    again = make(copy, "setup", PATH=f"{bin_folder}{os.pathsep}{os.environ['PATH']}")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", ""), "an unchanged tree needs no set-up"


def test_without_a_python_it_says_what_to_install(tree: Path, tmp_path: Path) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name in ("make", "sh", "dirname", "cat"):
        program = shutil.which(name)
        assert program
        (bin_folder / name).symlink_to(program)
    # A shim on PATH without the version that it names.
    for name in ("python3.14", "python3.12"):
        (bin_folder / name).write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
        (bin_folder / name).chmod(0o755)
    done = make(tree, "stress", PATH=str(bin_folder), HOME=str(tmp_path), PYENV_ROOT=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.startswith("stressweb: no Python 3.12 or newer on PATH; install one")
    assert not (tree / ".venv").exists()
