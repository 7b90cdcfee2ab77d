"""The gallery shows recorded episodes: every mode at every severity, and worlds side by side."""

import re
import subprocess
from pathlib import Path

import pytest

from stressweb.perturbations import MODES
from stressweb.report.gallery import ModeRow, Picture, SiteShown, gallery
from stressweb.runner.registry import Library
from stressweb.runner.verify.gallery import SEVERITIES, task_of
from tests.support.command_line import stressweb

ROOT = Path(__file__).resolve().parents[3]

JPEG = b"\xff\xd8\xff\xe0" + b"0" * 20


def page(name: str = "shop", caption: str = "action 1: link 'Cart'") -> str:
    rows = (
        ModeRow(
            "remap", "Selected controls need a double click.", (("remap@1", None), ("remap@2", Picture(JPEG, caption)))
        ),
    )
    return gallery([SiteShown(name, "Buy it.", (Picture(JPEG, ""),), rows)], "suite")


def test_an_unmet_mode_is_a_note_without_picture() -> None:
    text = page()
    assert text.count("<img ") == 2
    assert text.count("The episode did not meet the mode.") == 1
    assert "<b>remap@2</b> action 1: link &#39;Cart&#39;" in text
    # The page loads nothing from elsewhere.
    assert not re.search(r"(?:src|href)=[\"'](?!data:|#)", text)


def test_texts_of_a_site_are_escaped() -> None:
    assert "<script>alert" not in page(caption="<script>alert(1)</script>")


def test_the_task_that_is_shown_meets_modes() -> None:
    library = Library()
    for site in ("shop", "mail"):
        task = task_of(site, library)
        assert task.startswith(f"{site}/")
        assert len(library.goal(task, 0).ways[0]) >= 3


def run_gallery(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return stressweb(folder, "gallery", *arguments)


def test_an_unknown_site_is_one_line(tmp_path: Path) -> None:
    done = run_gallery(tmp_path, "shpo")
    assert done.returncode == 2
    assert "unknown site 'shpo'; did you mean shop?" in done.stderr
    assert [*tmp_path.iterdir()] == []


@pytest.mark.audit
def test_every_mode_is_shown_at_every_severity(tmp_path: Path) -> None:
    done = run_gallery(tmp_path, "mail", "--seeds", "2")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "gallery.html").read_text()
    for mode in MODES:
        assert all(f"<b>{mode}@{severity}</b>" in text for severity in SEVERITIES)
    assert text.count("<img ") + text.count("did not meet the mode.") == 2 + len(MODES) * len(SEVERITIES)
    assert text.count("did not meet the mode.") < len(MODES)
    # Worlds look different, and modes change a page.
    pictures = re.findall(r'src="(data:image/[^"]+)"', text)
    assert len(set(pictures[:2])) == 2
    assert len(set(pictures)) > len(MODES)
    assert [*(tmp_path / "runs").iterdir()] == []
