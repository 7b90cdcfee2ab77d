"""A user's module can import the files beside it, in workers too; clashes of names are reported first."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.rooms import BELOW
from stressweb.core.environment import environment
from stressweb.core.errors import UserError
from stressweb.core.import_path import ROOT
from stressweb.log.store import FILE, Store
from stressweb.runner import registry

pytestmark = pytest.mark.starts

AGENT = """from stressweb import Action, Agent
{imports}

class Mine(Agent):
    "Does nothing."
    name = "mine"
    deterministic = True

    def act(self, observation):
        return Action(kind="DONE", message=MESSAGE)
"""


def command(folder: Path, *arguments: str | bytes, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, with our packages on the path through PYTHONPATH only."""
    whole = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "stressweb", *arguments], cwd=folder, env=whole, capture_output=True, check=False,
        timeout=200, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one-line error of a command."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith("stressweb: ")
    return done.stderr


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f"{path.name}.py").write_text(text)


@pytest.mark.sample(1, "workers")
@pytest.mark.parametrize("source", ["sub/sib_agent.py", "sub.sib_agent:Mine"])
def test_a_loaded_module_imports_its_neighbour_in_workers_too(tmp_path: Path, source: str) -> None:
    place = "sub__words" if source.endswith(".py") else "words"
    write(
        tmp_path, sub__sib_agent=AGENT.format(imports="from words import MESSAGE"), **{place: 'MESSAGE = "I am done."'}
    )
    options = ("--load", source, "--agent", "mine", "--mode", "clean", "--task", "shop/profile", "--workers", "1")
    done = command(tmp_path, "run", *options, "--run", "one", "--json")
    assert done.returncode == 0, done.stderr
    assert '"crashed"' not in done.stdout
    assert "crashed" not in done.stderr


@pytest.mark.sample(1, "workers")
@pytest.mark.parametrize("name", BELOW)
@pytest.mark.parametrize("way", ["--load", "reference", "through a neighbour", "itself"])
def test_a_module_named_like_a_folder_of_ours_is_the_users_in_workers_too(tmp_path: Path, name: str, way: str) -> None:
    write(tmp_path, **{name: AGENT.format(imports='MESSAGE = "I am done."')})
    own = f"from {name} import MESSAGE" if way != "through a neighbour" else "from words import MESSAGE"
    write(tmp_path, my_agent=AGENT.format(imports=own), words=f"import {name}\nMESSAGE = {name}.MESSAGE")
    source = {"--load": "my_agent.py", "itself": f"{name}:Mine"}.get(way, "my_agent:Mine")
    options = ("--load", source, "--agent", "mine", "--mode", "clean", "--task", "shop/profile", "--workers", "1")
    done = command(tmp_path, "run", *options, "--run", "one", "--json")
    assert done.returncode == 0, done.stderr
    with Store.open(tmp_path / "runs" / "one" / FILE) as store:
        assert {store.load(cell).message for cell in store.cells()} == {"I am done."}


@pytest.mark.audit
def test_a_file_named_like_our_package_is_harmless_unless_it_is_named(tmp_path: Path) -> None:
    write(tmp_path, stressweb="raise SystemExit(9)", my_agent=AGENT.format(imports="MESSAGE = 'x'"))
    for source in ("my_agent.py", "my_agent:Mine"):
        done = command(tmp_path, "run", "--dry-run", "--load", source, "--agent", "mine", "--limit", "1")
        assert done.returncode == 0, done.stderr
    message = refused(command(tmp_path, "list", "agents", "--load", "stressweb:Mine"))
    assert "stressweb.py has the name of stressweb's own package; rename stressweb.py" in message


def test_two_neighbours_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        text = AGENT.format(imports="from words import MESSAGE").replace('"mine"', f'"{folder}"')
        write(tmp_path, **{f"{folder}__my_agent": text, f"{folder}__words": "MESSAGE = 'x'"})
    done = command(tmp_path, "list", "agents", "--load", "a/my_agent.py", "--load", "b/my_agent.py")
    assert "b/words.py; rename one of them" in refused(done)


def test_a_neighbour_hides_no_module_of_the_standard_library(tmp_path: Path) -> None:
    write(tmp_path, this="raise OSError", my_words="MESSAGE = 1", my_module="import my_words")
    code = f"""
import sys
from pathlib import Path
from stressweb.plugins.extensions import module_of
from stressweb.plugins.neighbours import make_importable
folder = Path({str(tmp_path)!r})
module_of(folder / "my_module.py")
make_importable(folder)
print(sys.modules["my_words"].MESSAGE, sys.path.count(str(folder)))
import this
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("1 1\nThe Zen")


@pytest.mark.parametrize(
    ("text", "message"),
    [("import sys\nsys.exit(4)", "my_agent.py:2: SystemExit: 4"), ("input()", "my_agent.py:1: EOFError: EOF when")],
)
def test_a_module_that_exits_or_reads_input_is_named(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, my_agent=text)
    assert message in refused(command(tmp_path, "list", "agents", "--load", "my_agent.py"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("gone.py", "--load gone.py does not exist"),
        ("folder", "--load folder is a folder; give a Python file, a folder with a site.yaml"),
        ("folder.py", "--load folder.py is a folder"),
        ("notes.txt", "--load notes.txt is not a Python file"),
        ("latin.py", "SyntaxError: (unicode error)"),
        (b"b\xffd.py", r"'b\udcffd.py' contains bytes that are not valid UTF-8; rename it"),
    ],
)
def test_a_path_that_cannot_be_loaded_is_refused_and_leaves_no_run(
    tmp_path: Path, source: str | bytes, message: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "latin.py").write_bytes(b'x = "\xff"')
    Path(os.fsdecode(bytes(tmp_path) + b"/b\xffd.py")).write_text(AGENT.format(imports="MESSAGE = 'x'"))
    before = sorted(tmp_path.iterdir())
    assert message in refused(command(tmp_path, "run", "--load", source, "--agent", "mine", "--limit", "1"))
    assert sorted(tmp_path.iterdir()) == before
    if isinstance(source, bytes):
        with pytest.raises(UserError, match="not valid UTF-8"):
            registry.load([os.fsdecode(source)])


def test_arguments_and_variables_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    for arguments, environ in ((("run", "--runs-dir", b"r\xff"), {}), (("run",), {"STRESSWEB_LOAD": "\udcff.py"})):
        assert "not valid UTF-8" in refused(command(tmp_path, *arguments, **environ))
    assert [*tmp_path.iterdir()] == []


def test_workers_find_ours_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    assert environment()["PYTHONPATH"].split(os.pathsep) == [str(ROOT), "/somewhere"]
