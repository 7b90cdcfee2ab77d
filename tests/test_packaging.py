"""The wheel works in a fresh environment elsewhere, and no committed file names a registry."""

import re
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.support.package_build import ROOT, run

pytestmark = [pytest.mark.long, pytest.mark.sample(2, "file")]

PACKAGES = ("stressweb", "sites", "perturbations", "checkpoints", "runner")
REGISTRY = re.compile(
    r"pypi\.org|pythonhosted\.org|registry\.npmjs|npmjs\.com|deb\.debian|archive\.ubuntu|crates\.io|proxy\.golang"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", out, cwd=ROOT)
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and our requirements, but without our source tree."""
    environment = tmp_path_factory.mktemp("elsewhere") / "env"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=environment.parent)
    python = environment / "bin" / "python"
    pip = (sys.executable, "-I", "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "-qq", "--no-index", "--no-deps", wheel, cwd=environment.parent)
    # Python ignores .pth files in a folder that a .pth file names, so the editable install of this tree stays out.
    [packages] = environment.glob("lib/python*/site-packages")
    (packages / "requirements.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    tree = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    expected_paths = {path if path.startswith("stressweb/") else f"stressweb/{path}" for path in tree}
    assert packed(wheel) == expected_paths


def packed(wheel: Path) -> set[str]:
    """Return the files that a wheel installs as packages."""
    return {name for name in zipfile.ZipFile(wheel).namelist() if not re.match(r"[^/]+\.(dist-info|data)/", name)}


def test_an_archive_of_the_sources_makes_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-P", "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=ROOT)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(tmp_path, filter="data")
    tree = tmp_path / archive.name.removesuffix(".tar.gz")
    run(sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=tree)
    [again] = tmp_path.glob("*.whl")
    assert packed(again) == packed(wheel)


def test_a_checkout_has_a_link_for_each_package() -> None:
    links = {path.name: str(path.readlink()) for path in (ROOT / "stressweb").iterdir() if path.is_symlink()}
    assert links == {package: f"../{package}" for package in PACKAGES if package != "stressweb"}


def test_the_wheel_brings_the_documents(wheel: Path) -> None:
    start = f"{wheel.name.partition('-py3')[0]}.data/data/share/stressweb/"
    shared = {name.removeprefix(start) for name in zipfile.ZipFile(wheel).namelist() if name.startswith(start)}
    documents = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*") if path.is_file()}
    assert documents | {"mkdocs.yml", "README.md", "scripts/docs_site/pages.py", "LICENSE"} <= shared


def test_the_wheel_lists_the_tasks_from_another_folder(elsewhere: Path, tmp_path: Path) -> None:
    listed = run(elsewhere / "bin" / "stressweb", "list", "tasks", cwd=tmp_path)
    assert len(set(re.findall(r"\bshop/[\w-]+", listed))) == 12, listed
    program = "import stressweb.runner; print(stressweb.runner.__file__)"
    where = run(elsewhere / "bin" / "python", "-P", "-c", program, cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(elsewhere)


@pytest.mark.parametrize("name", [package for package in PACKAGES if package != "stressweb"])
def test_the_wheel_installs_one_name_alone(elsewhere: Path, tmp_path: Path, name: str) -> None:
    program = f"import importlib.util; print(importlib.util.find_spec({name!r}))"
    assert run(elsewhere / "bin" / "python", "-P", "-c", program, cwd=tmp_path).strip() == "None"


def test_modules_named_like_our_folders_are_the_users_own(elsewhere: Path, tmp_path: Path) -> None:
    for name in ("runner", "sites"):
        (tmp_path / f"{name}.py").write_text(f"MINE = {name!r}\n")
    (tmp_path / "my_agent.py").write_text(
        "import runner\nimport sites\nfrom stressweb import Action, Agent\n\n\n"
        "class Mine(Agent):\n    'Does nothing.'\n\n    name = runner.MINE + '-' + sites.MINE\n\n"
        "    def act(self, observation):\n        return Action(kind='DONE')\n"
    )
    (tmp_path / "script.py").write_text(
        "import runner\nimport sites\nimport stressweb as sw\n\nprint(runner.MINE, sites.MINE, len(sw.list_sites()))\n"
    )
    python = elsewhere / "bin" / "python"
    # The current folder is on the path of the first two.
    assert run(python, "script.py", cwd=tmp_path).split() == ["runner", "sites", "10"]
    assert "shop/profile" in run(python, "-m", "stressweb", "list", "tasks", cwd=tmp_path)
    listed = run(elsewhere / "bin" / "stressweb", "list", "agents", "--load", "my_agent.py", cwd=tmp_path)
    assert "runner-sites" in listed


def test_the_command_says_how_it_is_used_at_once(elsewhere: Path, tmp_path: Path) -> None:
    loaded = "import sys, stressweb.runner.commands.cli; print('mitmproxy' in sys.modules, 'playwright' in sys.modules)"
    assert run(elsewhere / "bin" / "python", "-P", "-c", loaded, cwd=tmp_path).split() == ["False", "False"]
    assert "Usage" in run(elsewhere / "bin" / "stressweb", "--help", cwd=tmp_path)


def committed() -> list[Path]:
    """Return the files that are or would be committed."""
    try:
        listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT)
    except (AssertionError, OSError):
        pytest.skip("not a git work tree")
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def test_no_committed_file_names_a_registry() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in committed()
        if (match := REGISTRY.search(path.read_text(encoding="utf-8", errors="replace")))
    ]
    assert named == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-docs.lock"])
def test_the_lock_holds_every_requirement_by_hash_and_nothing_else(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line and not line.lstrip().startswith("#")]
    pins = [line for line in code if not line.startswith(" ")]
    hashes = [line for line in code if line.startswith(" ")]
    assert all(re.match(r"[a-z0-9-]+==[0-9][\w.]* (; .+ )?\\$", pin) for pin in pins)
    assert all(re.match(r"    --hash=sha256:[0-9a-f]{64}( \\)?$", line) for line in hashes)
    locked = {pin.partition("==")[0] for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    product = [
        *project["project"]["dependencies"],
        *project["dependency-groups"]["dev"],
        *project["build-system"]["requires"],
    ]
    wanted = product if name == "requirements.lock" else project["project"]["optional-dependencies"]["docs"]
    names = {re.split(r"[<>=;\s\[]", line)[0].lower().replace("_", "-").replace(".", "-") for line in wanted}
    assert names <= locked
    assert all(re.search(r">=[\w.]+,<[\w.]+", line) for line in wanted)
