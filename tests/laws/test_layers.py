"""Layers: packages and rooms import only what lies below them."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from scripts.rooms import BELOW, in_the_repository
from stressweb.runner.registry import site_names

ROOT = Path(__file__).parents[2]
WINGS = {"sites", "perturbations", "checkpoints"}
ALL = {"stressweb", "runner", *WINGS}
ALLOWED = {
    "stressweb": {"stressweb"},
    "sites": {"sites", "stressweb"},
    "perturbations": {"perturbations", "stressweb"},
    "checkpoints": {"checkpoints", "stressweb"},
    "runner/agents": {"stressweb", "runner.agents"},
    "runner": ALL,
}
"""By their place in the repository: `runner.agents` is `stressweb.runner.agents`."""

ROOMS = {
    "stressweb": (
        "core", "html", "plugins", "walking", "cases", "sources", "perception", "log", "bundle", "analysis", "report",
        "__main__",
    ),
    "runner": (
        "agents", "registry", "browser", "world", "episode", "external", "plan", "execution", "host", "outcome", "causes", "export",
        "view", "api", "nightly", "scaffold", "verify", "commands",
    ),
    "sites/kit": (
        "folder", "refusals", "wording", "look", "spec", "data", "serving", "logic", "fields", "parts", "widgets", "mixins",
        "loading", "catalogue",
    ),
}  # fmt: skip
"""The rooms of a package, from the ground up; a module beside them is a room of its own."""


def breaches(folder: str, source: str, allowed: set[str]) -> list[str]:
    imported_names = (name for name in imports_of(source) if name.partition(".")[0] in ALL)
    return [
        f"{folder}: {name}"
        for name in imported_names
        if not any(name == ok or name.startswith(f"{ok}.") for ok in allowed)
    ]


@cache
def imports_and_texts(source: str) -> list[ast.Import | ast.ImportFrom | ast.Constant]:
    """Return these nodes of a file; cached, because several tests read the same files."""
    kinds = ast.Import | ast.ImportFrom | ast.Constant
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]


def imports_of(source: str) -> list[str]:
    """Return what a file imports, by its place in the repository."""
    nodes = imports_and_texts(source)
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    taken = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    whole = [node for node in taken if in_the_repository(str(node.module)) in ALL]
    # A name imported from a whole package is one of its rooms.
    rooms = [f"{node.module}.{alias.name}" for node in whole for alias in node.names]
    modules = [str(node.module) for node in taken if node not in whole]
    return [in_the_repository(name) for name in (*plain, *rooms, *modules)]


def top_level(source: str) -> list[str]:
    """Return a file's imports of our packages by their folders, as which no wheel has them."""
    nodes = imports_and_texts(source)
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    taken = [str(node.module) for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    return [name for name in (*plain, *taken) if name.partition(".")[0] in BELOW]


def test_everything_is_imported_below_stressweb() -> None:
    folders = (*BELOW, "stressweb", "tests", "scripts", "examples", "integrations")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    assert len(files) > 1000
    assert {str(file): names for file in files if (names := top_level(file.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("import runner", True),
        ("import sites.kit as kit", True),
        ("def late():\n    from checkpoints import shop", True),
        ("from runner.plan.file import read", True),
        ("from stressweb import sites", False),
        ("import stressweb.runner.plan", False),
        ("from . import runner\nfrom .sites import kit", False),
        ("import runners, sitemap", False),
    ],
)
def test_an_import_by_a_folder_is_detected(source: str, seen: bool) -> None:
    assert bool(top_level(source)) == seen


@pytest.mark.parametrize("name", BELOW)
def test_a_package_cannot_be_imported_by_its_folder(name: str) -> None:
    # A second copy of each class would not be an instance of the first.
    with pytest.raises(ModuleNotFoundError, match=f"import stressweb.{name}"):
        importlib.import_module(name)


DOORS = ("stressweb.perturbations", "stressweb.checkpoints", "stressweb.sites", "stressweb.sites.kit")
"""The public modules of the wings; others import names from these modules only."""
INSIDE = re.compile(rf"stressweb\.({'|'.join(WINGS)})\.[\w.]*")


def behind_the_door(source: str) -> list[str]:
    """Return a file's imports from inside a wing: modules, and names that no public module offers."""
    nodes = imports_and_texts(source)
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    taken = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    modules = (*plain, *(str(node.module) for node in taken))
    wing_modules = [name for name in modules if in_the_repository(name).partition(".")[0] in WINGS]
    # import_module takes a module's name as a string.
    wing_modules += [
        str(node.value) for node in nodes if isinstance(node, ast.Constant) and INSIDE.fullmatch(str(node.value))
    ]
    names = [(str(node.module), alias.name) for node in taken if node.module in DOORS for alias in node.names]
    return [name for name in wing_modules if name not in DOORS] + [
        f"{door}.{name}" for door, name in names if not offers(door, name)
    ]


def offers(door: str, name: str) -> bool:
    module = importlib.import_module(door)
    # An imported submodule is an attribute of its package.
    return hasattr(module, name) and not isinstance(getattr(module, name), ModuleType)


def test_wings_are_entered_by_the_front_door() -> None:
    files = [file for package in ("runner", "stressweb") for file in (ROOT / package).rglob("*.py")]
    assert {str(file): inner_names for file in files if (inner_names := behind_the_door(file.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("from stressweb.perturbations.page.parts import key_maker", True),
        ("import stressweb.perturbations.addons", True),
        ("from stressweb.perturbations import addons", True),
        ("def late():\n    from stressweb.sites.kit.catalogue import KitSite", True),
        ("from stressweb.checkpoints import shop", True),
        ("import_module('stressweb.checkpoints.shop')", True),
        ("import_module(f'stressweb.perturbations.{name}')", True),
        ("open('perturbations/popup.js')", False),
        ("from stressweb.perturbations import key_maker, MODES", False),
        ("import stressweb.sites\nfrom stressweb.sites.kit import KitSite", False),
    ],
)
def test_an_import_from_inside_a_wing_is_detected(source: str, seen: bool) -> None:
    import stressweb.perturbations.addons  # noqa: F401 - makes it an attribute of its package, as in a long run

    assert bool(behind_the_door(source)) == seen


@pytest.mark.parametrize("door", DOORS)
def test_every_name_of_a_wing_is_there(door: str) -> None:
    module = importlib.import_module(door)
    assert [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] == []
    with pytest.raises(AttributeError, match=f"module '{door}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


@pytest.mark.parametrize("folder", ALLOWED)
def test_a_folder_imports_what_lies_below_it(folder: str) -> None:
    # stressweb/__init__.py lists the whole API and imports each name on first use: see the next test. __main__.py is the
    # command line's.
    doors = [ROOT / "stressweb" / name for name in ("__init__.py", "__main__.py")]
    files = [file for file in (ROOT / folder).rglob("*.py") if file not in doors]
    assert files
    assert [breach for file in files for breach in breaches(folder, file.read_text("utf-8"), ALLOWED[folder])] == []


@pytest.mark.starts
def test_the_front_door_imports_nothing_before_it_is_used() -> None:
    program = "import sys; before = set(sys.modules); import stressweb; print(*sorted(set(sys.modules) - before))"
    completed = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    ours = [name for name in completed.stdout.split() if name.partition(".")[0] in ALL]
    assert ours == ["stressweb"]


def test_every_name_of_the_front_door_is_there() -> None:
    import stressweb

    assert set(stressweb.__all__) == {name for name in stressweb.__all__ if getattr(stressweb, name) is not None}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        stressweb.nothing  # noqa: B018


@pytest.mark.parametrize("package", ROOMS)
def test_a_room_imports_rooms_below_it(package: str) -> None:
    rooms = ROOMS[package]
    # The links in `stressweb` lead to packages beside it.
    entries = [path for path in (ROOT / package).iterdir() if not path.is_symlink()]
    files = {path.stem for path in entries if path.suffix == ".py" and path.stem != "__init__"}
    assert files | {path.name for path in entries if (path / "__init__.py").exists()} == set(rooms)
    name = package.replace("/", ".")
    for floor, room in enumerate(rooms):
        allowed = {f"{name}.{lower_room}" for lower_room in rooms[: floor + 1]} | (ALL - {name.partition(".")[0]})
        # Which sites ship, and where.
        allowed |= {"sites.folder_of"} if room == "catalogue" else set()
        own = ROOT / package / room
        code = list(own.rglob("*.py")) if own.is_dir() else [own.with_suffix(".py")]
        assert code
        assert [breach for file in code for breach in breaches(room, file.read_text("utf-8"), allowed)] == []


def test_an_arrow_upwards_is_detected() -> None:
    assert breaches("stressweb", "from stressweb.runner.world.world import World", ALLOWED["stressweb"])
    assert breaches("sites", "import stressweb.perturbations.noise", ALLOWED["sites"])
    assert breaches(
        "runner/agents", "from stressweb.runner.browser.actions.perform import act", ALLOWED["runner/agents"]
    )


WORDS = {"notes", "tasks"}
"""Sites whose names are words that the kit uses: a session has notes, and every site has tasks."""


def known(source: str, names: Collection[str]) -> list[str]:
    """Return a file's references to sites: imports from their folders, and strings that name them."""
    tree = ast.parse(source)
    # A string that is an expression statement is documentation.
    docs = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in docs]
    telling = {*names} - WORDS
    naming_texts = [text for text in texts if isinstance(text, str) and set(re.split(r"[^a-z0-9]+", text)) & telling]
    # The standard library has a `calendar`, too.
    parts = [name.split(".") for name in imports_of(source) if name.partition(".")[0] not in sys.stdlib_module_names]
    taken = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("stressweb.sites", None)
        for alias in node.names
    ]
    return (
        naming_texts
        + [".".join(path) for path in parts if set(path) & set(names)]
        + [path for path in taken if path in names]
    )


def test_the_kit_knows_no_site() -> None:
    names = site_names()
    files = list((ROOT / "sites" / "kit").rglob("*.py"))
    assert names
    assert files
    assert {file.name: mentions for file in files if (mentions := known(file.read_text("utf-8"), names))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "from stressweb.sites.shop import logic",
        "import stressweb.sites.shop.logic",
        "from stressweb.sites import shop",
        "from .. import shop",
        "if world.site == 'shop':\n    pass",
        "path = 'sites/shop/site.yaml'",
        "host = f'shop.{ending}'",
    ],
)
def test_a_site_that_the_kit_knows_is_detected(source: str) -> None:
    assert known(source, ["shop"])
    assert known("def shops() -> None:\n    'Serve a shop.'\n" + source.replace("shop", "its"), ["shop"]) == []
