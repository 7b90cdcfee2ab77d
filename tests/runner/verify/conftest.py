"""A site that `stressweb new` writes, and copies with one defect."""

from pathlib import Path

import pytest

from stressweb.runner.scaffold.folder import new_site
from stressweb.sites.kit import KitSite
from tests.runner.verify.demo_site import Break


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
