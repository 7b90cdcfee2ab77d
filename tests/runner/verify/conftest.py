"""A site that `stressweb new` writes, and copies with one defect."""

from collections.abc import Callable
from pathlib import Path

import pytest

from runner.scaffold.folder import new_site
from runner.verify.walks import TaskWalks
from sites.kit import KitSite

type Break = Callable[..., KitSite]


@pytest.fixture
def broken(tmp_path: Path) -> Break:
    """Write the site with texts replaced: `broken(("site.yaml", "old", "new"), ...)`; a file without old text is added."""

    def write(*changes: tuple[str, str, str]) -> KitSite:
        new_site("demo", tmp_path)
        for name, old, new in changes:
            path = tmp_path / "demo" / name
            text = path.read_text("utf-8") if path.exists() else ""
            assert old in text, f"{name} does not hold {old!r}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(old, new, 1) if old else text + new, "utf-8")
        return KitSite(tmp_path / "demo")

    return write


def walks(site: KitSite, task: str, seed: int = 0) -> TaskWalks:
    """Return the walks of a task of the site."""
    world = site.world(seed)
    (site_task,) = (candidate for candidate in site.tasks() if candidate.id == f"demo/{task}")
    return TaskWalks(site_task.goal(world), world, site.checklist())
