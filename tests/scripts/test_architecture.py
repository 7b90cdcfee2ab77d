"""The architecture diagram: imports are read from the code, and transitive ones are left out."""

from pathlib import Path

from scripts.docs.architecture import architecture, imported, reduced

MODULES = {
    "runner/world/world.py": "import stressweb.perturbations.addons\nfrom stressweb.core import draws\n",
    "runner/registry.py": "import importlib\nfound = importlib.import_module(f'stressweb.checkpoints.{1}')\n",
    "stressweb/__main__.py": "from stressweb.runner import registry\n",
    "perturbations/addons.py": "def late():\n    from stressweb.core import draws\n",
    "checkpoints/shop.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import stressweb.core.draws\n",
    "stressweb/core/draws.py": "import json\n",
}


def tree(root: Path) -> Path:
    for name, text in MODULES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def test_imports_are_read_from_rooms_and_from_modules_beside_them(tmp_path: Path) -> None:
    assert imported(tree(tmp_path)) == {
        "runner/registry": {"checkpoints"},
        "runner/world": {"perturbations", "stressweb/core"},
        "perturbations": {"stressweb/core"},
        "checkpoints": set(),
        "stressweb/core": set(),
    }


def test_an_import_that_follows_from_others_is_left_out(tmp_path: Path) -> None:
    assert architecture(tree(tmp_path)).splitlines() == [
        "```mermaid",
        "flowchart TB",
        "  subgraph runner",
        "    registry; world",
        "  end",
        "  perturbations",
        "  checkpoints",
        "  subgraph stressweb",
        "    core",
        "  end",
        "  registry --> checkpoints",
        "  world --> perturbations",
        "  perturbations --> core",
        "```",
    ]


def test_rooms_that_import_each_other_keep_their_arrows() -> None:
    circle = {"a": {"b", "c"}, "b": {"a", "c"}, "c": set()}
    assert reduced(circle) == circle
    assert reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}
