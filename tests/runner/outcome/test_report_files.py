"""The files of a report are replaced together, and no other file is overwritten or removed."""

import os
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.report.page import FILES, GENERATOR
from stressweb.report.side_files import folder_name, side_file
from stressweb.runner.outcome.report_files import ReportFiles, remove


def write_report(path: Path, *texts: str, private: bool = True) -> ReportFiles:
    """Write a report with these texts in its side files, and return its files."""
    with ReportFiles(path, private=private) as files:
        side = files.side(room=0)
        side_files = [side_file({"d1": text}, {}) for text in texts]
        for file in side_files:
            side.save(file)
        folder = folder_name(path.stem, [file.name for file in side_files]) if side_files else ""
        named = f'<meta name="{FILES}" content="{folder}">' if side_files else ""
        files.finish(f"{GENERATOR}\n{named}\n{' '.join(texts)}")
    return files


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_the_folder_is_beside_the_report_and_replaced_with_it(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    first = write_report(path, "one", "two")
    assert (first.replaces, first.side_bytes > 0) == (False, True)
    assert first.folder
    assert sorted(first.folder.iterdir())
    assert len(tree(tmp_path)) == 4
    second = write_report(path, "one", "three")
    assert second.replaces
    assert second.folder != first.folder
    assert second.folder
    assert not first.folder.exists()
    assert len(tree(tmp_path)) == 4
    single = write_report(path)
    assert single.folder is None
    assert tree(tmp_path) == ["report.html"]


def test_the_same_run_leaves_the_same_files(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    first = write_report(path, "one")
    assert first.folder
    before = tree(tmp_path), path.read_bytes(), first.folder.stat().st_ino
    again = write_report(path, "one")
    assert (tree(tmp_path), path.read_bytes(), first.folder.stat().st_ino) == before
    assert again.folder == first.folder


def test_an_unfinished_report_leaves_the_earlier_one_and_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(path, "one")
    before = tree(tmp_path), path.read_bytes()
    with ReportFiles(path, private=True) as files:
        files.side(room=0).save(side_file({"d1": "other"}, {}))
        assert (tree(tmp_path), path.read_bytes()) != before
    assert (tree(tmp_path), path.read_bytes()) == before


def test_files_of_others_stay_in_an_old_folder(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    folder = write_report(path, "one", "two").folder
    assert folder
    (folder / "notes.txt").write_text("mine")
    changed = next(folder.glob("*.js"))
    changed.write_text("changed")
    write_report(path, "three")
    assert sorted(file.name for file in folder.iterdir()) == sorted([changed.name, "notes.txt"])


@pytest.mark.parametrize("what", ["changed", "more", "file", "link"])
def test_a_folder_of_that_name_that_is_not_ours_is_kept_and_reported(tmp_path: Path, what: str) -> None:
    path, folder = tmp_path / "report.html", write_report(tmp_path / "report.html", "one").folder
    assert folder
    (file,) = folder.iterdir()
    if what == "changed":
        file.write_text("changed")
    elif what == "more":
        (folder / "notes").write_text("mine")
    else:
        folder.rename(tmp_path / "moved")
        folder.write_text("mine") if what == "file" else folder.symlink_to(tmp_path / "moved")
    before = tree(tmp_path), path.read_bytes()
    with pytest.raises(UserError, match="exists and is not what stressweb report wrote there"):
        write_report(path, "one")
    assert (tree(tmp_path), path.read_bytes()) == before


@pytest.mark.parametrize("name", ["../precious-0123456789abcdef", "precious", "sub/report-0123456789abcdef"])
def test_a_report_cannot_name_any_folder_for_removal(tmp_path: Path, name: str) -> None:
    path = tmp_path / "in" / "report.html"
    precious = path.parent / name
    precious.mkdir(parents=True)
    file = side_file({"d1": "mine"}, {})
    (precious / file.name).write_text(file.text)
    path.write_text(f'{GENERATOR}\n<meta name="{FILES}" content="{name}">')
    write_report(path, "one")
    assert (precious / file.name).exists()


def test_a_link_in_place_of_an_old_folder_is_not_followed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    file = side_file({"d1": "mine"}, {})
    (real / file.name).write_text(file.text)
    (tmp_path / "report-0123456789abcdef").symlink_to(real)
    remove(tmp_path / "report-0123456789abcdef")
    assert (real / file.name).exists()


@pytest.mark.parametrize(("private", "folder_mode", "file_mode"), [(True, 0o700, 0o600), (False, 0o755, 0o644)])
def test_rights_are_those_of_the_place(tmp_path: Path, private: bool, folder_mode: int, file_mode: int) -> None:
    before = os.umask(0o022)
    try:
        folder = write_report(tmp_path / "report.html", "one", private=private).folder
    finally:
        os.umask(before)
    assert folder
    assert folder.stat().st_mode & 0o777 == folder_mode
    assert [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [file_mode]
