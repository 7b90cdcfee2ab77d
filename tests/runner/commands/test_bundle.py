"""`stressweb bundle`, and the commands that read a bundle."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from stressweb.bundle.layout import MEMBERS
from stressweb.log.store import FILE
from tests.runner.commands.command_line import Result
from tests.support.edited_runs import edit

pytestmark = pytest.mark.sample(5, "file")

type Call = Callable[..., Result]


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """A copy of the stored run, among the runs."""
    folder = tmp_path / "runs" / "golden"
    folder.mkdir(parents=True)
    shutil.copy(Path(__file__).parents[2] / "golden" / FILE, folder)
    return folder


@pytest.fixture
def tampered(golden: Path, call: Call) -> Path:
    """A bundle with an edited figure on its card."""
    assert call("bundle", "golden", "--output", "good.zip")[0] == 0
    with ZipFile("good.zip") as good, ZipFile("bad.zip", "w") as bad:
        for member in good.infolist():
            content = good.read(member)
            bad.writestr(member, content.replace(b'"successes": 0', b'"successes": 2'))
    return Path("bad.zip")


def files() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def test_a_bundle_is_graded_reported_and_exported_as_its_run(call: Call, golden: Path) -> None:
    status, out, err = call("bundle", "golden", "--json")
    output = json.loads(out)
    assert (status, err, output["bundle"]) == (0, "", "runs/golden/golden.zip")
    assert output["card"]["episodes"] == {"planned": 8, "finished": 8, "done": 8}
    bundle = Path(output["bundle"]).rename("theirs.zip")
    shutil.rmtree("runs/golden/none", ignore_errors=True)
    (our_status, rows, our_notes), (their_status, again, their_notes) = (
        call("grade", "golden", "--json"),
        call("grade", "theirs.zip", "--json"),
    )
    assert (our_status, their_status) == (0, 0)
    assert json.loads(rows)["rows"] == json.loads(again)["rows"]
    assert json.loads(again)["run"] == "theirs.zip"
    # The stored run has older checks than today's, and both commands report this.
    assert "graded with today's checks; task shop/first-hit has changed since the run: its checks" in our_notes
    assert our_notes == their_notes
    assert call("report", "theirs.zip")[:2] == (0, "theirs-report.html\n")
    assert call("export", "theirs.zip")[:2] == (0, "theirs-export-csv\n")
    assert call("grade", "theirs.zip")[1].endswith("theirs.zip   next: stressweb report theirs.zip\n")
    assert bundle.exists()


def test_the_command_reports_the_bundle(call: Call, golden: Path) -> None:
    status, out, err = call("bundle", "golden", "--output", "one.zip", "--without-pictures")
    assert (status, out) == (0, "one.zip\n")
    assert err.startswith("8 episodes, 0.1 MB, SHA-256 ")
    assert call("bundle", "golden", "--output", "one.zip")[2].startswith("replaced the earlier bundle\n")
    with ZipFile("one.zip") as archive:
        assert tuple(archive.namelist()) == MEMBERS


def test_a_run_that_is_not_finished_is_named(call: Call, existing: Path) -> None:
    status, _, err = call("bundle", "old")
    assert status == 0
    assert err.startswith("run runs/old is not finished: 1 of 1 episodes are missing\n")


@pytest.mark.parametrize("command", ["grade", "report", "export"])
def test_a_bundle_that_was_tampered_with_gets_one_line(call: Call, tampered: Path, command: str) -> None:
    before = files()
    status, out, err = call(command, str(tampered))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("stressweb: bundle bad.zip cannot be trusted: its member run-card.json was changed")
    assert files() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bundle", "godlen"), "unknown run 'godlen'; did you mean golden?"),
        (
            ("bundle", "golden", "--output", "notes.txt"),
            "notes.txt exists and is not a stressweb bundle; choose another",
        ),
        (("bundle", "golden", "--output", "no/one.zip"), "no/one.zip cannot be written: no is not a folder"),
        (("bundle", "golden", "--to", "one.zip"), "No such option"),
        (("grade", "notes.txt"), "notes.txt is not a stressweb bundle: make one with `stressweb bundle RUN`"),
        (("run", "--resume", "--run", "notes.txt"), "notes.txt"),
    ],
)
def test_a_mistake_gets_one_line_and_changes_nothing(
    call: Call, golden: Path, arguments: tuple[str, ...], message: str
) -> None:
    Path("notes.txt").write_text("mine")
    before = files()
    status, out, err = call(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert files() == before


def test_an_edited_run_is_not_bundled(call: Call, golden: Path) -> None:
    edit(golden / FILE, "UPDATE episode SET claim = 'failed'")
    before = files()
    status, _, err = call("bundle", "golden")
    assert (status, err.count("\n")) == (2, 1)
    assert "was changed after it was recorded: its seal does not fit" in err
    assert files() == before
