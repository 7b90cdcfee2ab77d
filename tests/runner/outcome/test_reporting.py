"""`stressweb report`: the path of the file, protection of other files, and errors."""

import json
import os
import re
import resource
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.run_folder import new_folder
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from stressweb.runner.commands.cli import cli, guarded
from stressweb.runner.registry import task_ids
from tests.runner.damaged import damaged_runs
from tests.support.plans import plan as planned
from tests.support.report_sizes import leave_out_details, use_side_files
from tests.support.small_reports import block

pytestmark = pytest.mark.sample(14, "file")

type Result = tuple[int, str, str]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run `stressweb report` in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STRESSWEB_")]:
        monkeypatch.delenv(name)

    def _call(*arguments: str) -> Result:
        status = guarded(lambda: cli.main(["report", *arguments], standalone_mode=False))
        out, err = capfd.readouterr()
        return status, out, err

    return _call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of four episodes: one is missing and one ended in an error."""
    plan = planned(agents=("naive",), tasks=(task_ids()[0], "gone/task"), conditions=("clean", "remap@3"))
    path = tmp_path / "runs" / "old" / FILE
    cells = plan.cells()
    page = Shown("http://shop.test/", "<html><body>Shop</body></html>")
    with Store.create(path, {"plan": plan.model_dump(), "version": "0.1.0"}, cells) as store:
        for number, cell in enumerate(cells[:3]):
            steps = [StepRecord(page), StepRecord(page, Action(kind="DONE"), Outcome(ok=True))]
            grade = Grade({"saw it": number == 0}, {}, verdict=number == 0)
            ledger = [Entry(step=1, mode="remap", phase="delivered", element="button 'Buy'")] if number else []
            record = EpisodeRecord(cell, "done", "done", "All done.", steps, {}, {}, ledger, grade, seconds=1.0)
            if number == 2:
                record = EpisodeRecord(cell, message="the browser crashed", steps=steps)
            store.save(record)
    return path.parent


def test_it_goes_into_the_folder_of_the_run_and_its_path_is_printed(call: Callable[..., Result], folder: Path) -> None:
    status, out, err = call("old")
    assert (status, out) == (0, "runs/old/report.html\n")
    first, second = err.splitlines()
    assert first == "run runs/old is not finished: 1 of 4 episodes are missing"
    assert second == f"open it in your browser: {(folder / 'report.html').as_uri()} (--open does this for you)"
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "naive said it was done in 1 of 1 episode under remap@3; it was not." in text
    assert "1 of 4 episodes are missing" in text
    assert "<h1>old</h1>" in text
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", FILE]


def test_an_earlier_report_is_replaced_with_a_message(call: Callable[..., Result], folder: Path) -> None:
    call("old")
    first = (folder / "report.html").read_bytes()
    (folder / "report.html").write_bytes(first + b"<!-- older -->")
    status, out, err = call("old")
    assert (status, out) == (0, "runs/old/report.html\n")
    assert "replaced the earlier report\n" in err
    assert (folder / "report.html").read_bytes() == first


def test_another_file_is_left_as_it_is(call: Callable[..., Result], folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("<p>mine</p>")
    status, out, err = call("old", "--output", "mine.html")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "mine.html exists and is not a stressweb report; choose another file with --output" in err
    assert (tmp_path / "mine.html").read_text() == "<p>mine</p>"
    (folder / "report.html").write_text("notes")
    assert call("old")[0] == 2
    assert (folder / "report.html").read_text() == "notes"


def test_it_goes_where_it_is_asked_to(call: Callable[..., Result], folder: Path, tmp_path: Path) -> None:
    status, out, _ = call(str(folder), "--output", "there.html")
    assert (status, out) == (0, "there.html\n")
    assert (tmp_path / "there.html").stat().st_mode & 0o777 == 0o666 & ~umask()
    assert not (folder / "report.html").exists()


def test_in_the_folder_of_the_run_only_its_owner_can_read_it(call: Callable[..., Result], folder: Path) -> None:
    status, _, err = call("old")
    assert status == 0, err
    assert (folder / "report.html").stat().st_mode & 0o777 == 0o600


def test_a_link_in_its_place_is_not_replaced(call: Callable[..., Result], folder: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (folder / "report.html").symlink_to(tmp_path / "precious")
    status, out, err = call("old")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "report.html exists and is not a stressweb report" in err
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize("mask", [0o000, 0o777])
def test_only_its_owner_can_read_a_new_run_folder(tmp_path: Path, mask: int) -> None:
    (tmp_path / "runs").mkdir()
    before = os.umask(mask)
    try:
        folder = new_folder(tmp_path / "runs", "one", "remap")
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700


def umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def test_json_has_the_rows_and_what_is_missing(call: Callable[..., Result], folder: Path) -> None:
    status, out, err = call("old", "--json")
    output = json.loads(out)
    assert (status, err) == (0, "")
    assert output["report"] == "runs/old/report.html"
    assert (output["episodes"], output["missing"], output["errors"], output["replaced"]) == (3, 1, 1, False)
    assert output["bytes"] == (folder / "report.html").stat().st_size
    assert [(row["condition"], row["successes"], row["errors"]) for row in output["rows"]] == [
        ("clean", 1, 1),
        ("remap@3", 0, 0),
    ]
    assert json.loads(call("old", "--json")[1])["replaced"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("new", "unknown run 'new'; there are old in runs"),
        ("old --output nowhere/report.html", "nowhere/report.html cannot be written: nowhere is not a folder"),
        ("old --output runs", "runs cannot be written: Is a directory"),
        ("", "Missing argument 'RUN'"),
    ],
)
def test_a_mistake_gets_one_line(call: Callable[..., Result], folder: Path, arguments: str, message: str) -> None:
    before = (folder / FILE).read_bytes()
    status, out, err = call(*arguments.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert (folder / FILE).read_bytes() == before
    assert [path.name for path in folder.iterdir()] == [FILE]


@damaged_runs
def test_a_damaged_run_stays_as_it_is(
    call: Callable[..., Result], folder: Path, damage: Callable[[bytes], bytes], message: str
) -> None:
    data = damage((folder / FILE).read_bytes())
    (folder / FILE).write_bytes(data)
    status, out, err = call("old")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert (folder / FILE).read_bytes() == data
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_an_unreadable_episode_is_reported_in_one_line(call: Callable[..., Result], folder: Path) -> None:
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("DROP TABLE closing")
    connection.close()
    status, out, err = call("old")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "is not a run database of stressweb: the table closing is missing" in err
    assert not (folder / "report.html").exists()


def test_a_write_that_fails_leaves_the_earlier_report(call: Callable[..., Result], folder: Path) -> None:
    call("old")
    before = (folder / "report.html").read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
    try:
        status, _, err = call("old")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (status, err.count("\n")) == (2, 1)
    assert "report.html cannot be written: File too large" in err
    assert (folder / "report.html").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", FILE]


@pytest.mark.parametrize(
    ("meta", "mode", "swallowed"),
    [
        ({"swallowing": ["molasses", "remap"]}, "molasses", True),
        ({"swallowing": ["molasses", 3, None, ["remap"]]}, "molasses", True),
        ({"swallowing": []}, "remap", False),
        ({}, "remap", True),
        ({}, "popup", False),
        ({}, "molasses", False),
        ({"swallowing": "molasses"}, "molasses", False),
    ],
)
def test_the_recorded_modes_decide_about_swallowed_clicks(
    call: Callable[..., Result], tmp_path: Path, meta: dict[str, object], mode: str, swallowed: bool
) -> None:
    """Includes removed modes; for earlier runs, which recorded none, the current modes decide."""
    cell = Cell(agent="naive", task=task_ids()[0], condition=f"{mode}@3", world=0, stress=0)
    page = Shown("http://shop.test/", "<html><body><button>Buy</button></body></html>")
    click = StepRecord(page, Action(kind="CLICK", selector="button"), Outcome(ok=True))
    ledger = [Entry(step=1, mode=mode, phase="delivered", element="button 'Buy'")]
    plan = planned(tasks=(task_ids()[0],), conditions=("clean", f"{mode}@3")).model_dump()
    with Store.create(tmp_path / "runs" / "old" / FILE, {"plan": plan, "version": "0.1.0", **meta}, [cell]) as store:
        store.save(
            EpisodeRecord(cell, "done", "done", "", [StepRecord(page), click], {}, {}, ledger, Grade({}, {}, None))
        )
    status, _, err = call("old")
    assert status == 0, err
    html = (tmp_path / "runs" / "old" / "report.html").read_text(encoding="utf-8")
    assert ("clicked, no effect" in block(html, "d1")) == swallowed


def test_a_large_run_has_a_folder_and_a_single_file_on_request(
    call: Callable[..., Result], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_side_files(monkeypatch)
    status, out, err = call("old")
    assert (status, out) == (0, "runs/old/report.html\n")
    (beside,) = folder.glob("report-*")
    assert f"the details of the episodes are in runs/old/{beside.name}; keep it next to the report" in err
    assert len(list(beside.iterdir())) == 3
    output = json.loads(call("old", "--json")[1])
    assert (output["folder"], output["folder_bytes"] > 0) == (f"runs/old/{beside.name}", True)
    output = json.loads(call("old", "--json", "--single-file")[1])
    assert (output["folder"], output["folder_bytes"]) == (None, 0)
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", FILE]


def test_of_a_very_large_run_some_episodes_are_written_in_detail_and_all_if_asked(
    call: Callable[..., Result], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_out_details(monkeypatch)
    status, _, err = call("old")
    assert status == 0
    assert "the run is large: the report has the details of 1 of 3 episodes; use --all to write all of them" in err
    text = (folder / "report.html").read_text(encoding="utf-8")
    # The list has all episodes, and marks those with details.
    assert sorted(re.findall(r' data-details="(\w+)"', text)) == ["elsewhere", "elsewhere", "here"]
    assert "the report has the details of 1 of its 3 episodes" in text
    (beside,) = folder.glob("report-*")
    assert len(list(beside.iterdir())) == 1
    output = json.loads(call("old", "--all", "--json")[1])
    assert (output["episodes"], output["detailed"], output["folder"]) == (3, 3, None)
    assert "data-details" not in (folder / "report.html").read_text(encoding="utf-8")
    output = json.loads(call("old", "--single-file", "--json")[1])
    assert (output["detailed"], output["folder"]) == (1, None)
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert [number for number in "123" if f'id="d{number}"' in text] == ["1"]
