"""`stressweb list cases --output`: test cases as files, including the user's own."""

from pathlib import Path

import pytest

from stressweb.cases.own_case import OwnCase
from stressweb.cases.own_file import read_own_cases
from stressweb.core.errors import UserError
from stressweb.runner import registry
from stressweb.runner.commands import list_cases
from stressweb.runner.commands.case_files import Export
from stressweb.runner.commands.list import show

pytestmark = pytest.mark.usefixtures("isolated_plugins")


def exported(path: Path, seed: int = 0, *, pinata: bool = False) -> list[OwnCase]:
    Export(path, seed, pinata=pinata).write("food")
    return [placed.case for placed in read_own_cases(path, registry.site_names())]


def cases_of_world(seed: int) -> list[OwnCase]:
    library = registry.Library()
    cases = [library.goal(task, seed).case for task in library.cases("food") if "#B" not in task]
    return [OwnCase.of(case, seed) for case in cases if case]


@pytest.mark.audit
def test_the_files_contain_the_cases_of_a_world(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = cases_of_world(0), cases_of_world(1)
    assert len(first) > 30
    assert [case.steps for case in first] != [case.steps for case in second]
    assert exported(tmp_path / "a.csv") == exported(tmp_path / "a.yaml") == first
    assert exported(tmp_path / "b.csv", 1) == second
    read = capsys.readouterr()
    assert read.out.splitlines() == [str(tmp_path / name) for name in ("a.csv", "a.yaml", "b.csv")]
    assert f"{len(first)} test cases of world 0" in read.err
    bugs = [task for task in registry.Library().cases("food") if "#B" in task]
    # They would pass on a site without the bug.
    assert f"left out: {len(bugs)} cases of food that fail because of a bug in the site" in read.err
    blocks = exported(tmp_path / "food.csv", 1, pinata=True)
    expected = [(case.title, case.steps, case.truth.verdict, case.truth.step) for case in second]
    assert [(case.title, case.steps, case.truth.verdict, case.truth.step) for case in blocks] == expected


def test_exported_cases_can_be_loaded_beside_the_originals(tmp_path: Path) -> None:
    Export(tmp_path / "food.csv", 0).write("food")
    registry.load([str(tmp_path / "food.csv")])
    library = registry.Library()
    proven = [task for task in library.cases("food") if "/my-" not in task and "#B" not in task]
    own = [task for task in library.cases("food") if "/my-" in task]
    assert own == [task.replace("/food/", "/food/my-") for task in proven]
    for task, copy in zip(proven, own, strict=True):
        assert library.goal(copy, 0).text == library.goal(task, 0).text


def test_invalid_exports_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a\.txt must end with one of \.csv, \.yaml, \.yml"):
        Export(tmp_path / "a.txt", 0).write("food")
    with pytest.raises(UserError, match=r"--pinata writes CSV, and output .* is YAML; name it a\.csv"):
        Export(tmp_path / "a.yaml", 0, pinata=True).write("food")
    with pytest.raises(UserError, match="is not a folder"):
        Export(tmp_path / "none" / "a.csv", 0).write("food")
    with pytest.raises(UserError, match="--output belongs to `list cases`, not to `list tasks`"):
        show("tasks", output=tmp_path / "a.csv", as_json=False)
    with pytest.raises(UserError, match=r"--pinata needs a file; add --output FILE\.csv"):
        show("cases", pinata=True, as_json=False)
    assert [*tmp_path.iterdir()] == []


def test_a_users_own_cases_are_listed_and_written_too(tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text(
        "site,case,title,seed,action,expected,verdict\nfood,own,Own,7,Open http://a.b,,pass\nfood,other,,,Look,,\n"
    )
    registry.load([str(mine)])
    own = [placed.case for placed in read_own_cases(mine, registry.site_names())]
    assert exported(tmp_path / "a.yaml")[-2:] == own
    with pytest.raises(UserError, match="cases/food/other has no stated truth, and a block"):
        Export(tmp_path / "food.csv", 0, pinata=True).write("food")
    assert [line for line in list_cases.lines("food") if line["kind"] != "rejected"][-2:] == [
        {"case": "cases/food/own", "kind": "own, passing", "fails at": None, "why": ""},
        {"case": "cases/food/other", "kind": "own, unknown", "fails at": None, "why": ""},
    ]
    kinds = {line["kind"]: line["cases"] for line in list_cases.lines(None) if line["site"] == "food"}
    assert (kinds["own, passing"], kinds["own, unknown"]) == (1, 1)
