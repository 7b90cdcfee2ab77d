"""Names of stressweb's packages: a file of the same name can hide a package, or be hidden by it."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder with the packages."""
PACKAGES = ("stressweb", "runner", "sites", "perturbations", "checkpoints")


def hidden_package() -> str:
    """Return what hides one of the packages from this process, and the cure, in one line; "" if nothing does."""
    for name in PACKAGES:
        try:
            spec = importlib.util.find_spec(name)
        # importlib raises this for modules that were created by hand.
        except ValueError:
            continue
        place = Path(spec.origin).resolve() if spec and spec.origin else None
        if place and place != ROOT / name / "__init__.py":
            culprit = place.parent if place.name == "__init__.py" else place
            return f"{culprit} hides stressweb's own package {name!r} from Python; {cure(culprit)}"
    return ""


def namesake(folder: Path, name: str) -> Path | None:
    """Return the file or folder that `import name` would find in a folder; None if there is none."""
    for place, module in (
        (folder / f"{name}.py", folder / f"{name}.py"),
        (folder / name, folder / name / "__init__.py"),
    ):
        if module.is_file():
            # The project's own tree does not count.
            return None if module.resolve() == ROOT / name / "__init__.py" else place
    return None


def cure(culprit: Path) -> str:
    """Return the cure for a file or a folder with the name of a package."""
    return f"rename {culprit.name}, or start the command where Python does not look into {culprit.parent}"
