"""Bundles are reproducible, checked member by member, and graded again to the same figures."""

import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

import stressweb as sw
from stressweb.bundle.archive import bundle, in_json
from stressweb.bundle.card import card
from stressweb.bundle.card_text import markdown
from stressweb.bundle.layout import CARD, CARD_TEXT, MANIFEST, MEMBERS
from stressweb.bundle.unpacked import unpack
from stressweb.core.errors import UserError
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade
from tests.support.zip_files import database, fitted, members, write

pytestmark = pytest.mark.sample(16, "file")

GOLDEN = Path(__file__).parents[2] / "golden"


@pytest.fixture
def golden_bundle(tmp_path: Path) -> Path:
    """The bundle of a copy of the stored run."""
    folder = tmp_path / "golden"
    folder.mkdir()
    shutil.copy(GOLDEN / FILE, folder)
    bundle(folder, tmp_path / "golden.zip", name="golden")
    return tmp_path / "golden.zip"


def refused(path: Path, tmp_path: Path, expected: str) -> None:
    place = tmp_path / "unpacked"
    place.mkdir()
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(UserError) as caught:
        unpack(path, place)
    assert expected in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    after = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.parent != place}
    assert after == before


def test_the_same_run_gives_the_same_archive(golden_bundle: Path, tmp_path: Path) -> None:
    again = sw.open_run(tmp_path / "golden").bundle(tmp_path / "again.zip")
    assert again.read_bytes() == golden_bundle.read_bytes()
    with ZipFile(golden_bundle) as archive:
        assert tuple(archive.namelist()) == MEMBERS
    # A bundle of an unpacked bundle is the same.
    third = sw.open_run(golden_bundle).bundle(tmp_path / "third.zip")
    assert third.read_bytes() == golden_bundle.read_bytes()


def test_a_recipient_gets_the_same_figures(golden_bundle: Path, tmp_path: Path) -> None:
    ours, theirs = sw.open_run(tmp_path / "golden"), sw.open_run(golden_bundle)
    before = golden_bundle.read_bytes()
    assert theirs.grade() == {"changed": [], "altered": {}, "kept": 0}
    assert theirs.results() == ours.results()
    assert theirs.episodes() == ours.episodes()
    assert list(theirs.steps()) == list(ours.steps())
    assert theirs.report() == tmp_path / "golden-report.html"
    assert theirs.report().read_text("utf-8") == ours.report().read_text("utf-8")
    assert theirs.export("csv") == tmp_path / "golden-export-csv"
    assert golden_bundle.read_bytes() == before
    folder = theirs.path
    assert folder.exists()
    del theirs
    assert not folder.exists()


def test_the_card_describes_the_run(tmp_path: Path) -> None:
    cells = [
        Cell(agent=agent, task="shop/x", condition="remap@3", world=7, stress=n)
        for n, agent in enumerate(("model(model=m)", "naive"))
    ]
    page = Shown("http://shop.test/", "<p></p>")
    answers = [Usage(10, 2, 1.0, 1, "m-2026", fingerprint="fp_1"), Usage(20, 3, 1.0, 2, "m-2026", fingerprint="fp_2")]
    steps = [
        StepRecord(page),
        *(StepRecord(page, Action(kind="WAIT"), Outcome(ok=True), 1.0, usage) for usage in answers),
    ]
    meta = {
        "suite": "suite-x",
        "version": "9",
        "browser": "B",
        "prompt": "p",
        "started": "then",
        "parts": {"checks shop/x": "c", "task shop/x": "t"},
    }
    with Store.create(tmp_path / FILE, meta, cells, {cells[0].key: "i"}) as store:
        store.save(
            EpisodeRecord(
                cells[0], "done", "done", steps=steps, grade=Grade({"a": True, "b": False}, {}, None), seconds=2.5
            )
        )
        store.save(EpisodeRecord(cells[1], "error", message="no | <b> browser"))
        run_card = card(store, "one", pictures_left_out=False)
    assert run_card["models"] == [
        {"agent": "model(model=m)", "model": "m-2026", "fingerprint": fingerprint} for fingerprint in ("fp_1", "fp_2")
    ]
    assert run_card["cost"] == {"actions": 2, "milliseconds": 2500, "requests": 3, "tokens_in": 30, "tokens_out": 5}
    assert run_card["seeds"] == {"world": [7], "stress": [0, 1], "epochs": [0]}
    assert run_card["episodes"] == {"planned": 2, "finished": 2, "done": 1, "error": 1}
    assert run_card["errors"] == [{"episode": cells[1].key, "message": "no | <b> browser"}]
    assert [
        (figures["episodes"], figures["errors"], figures["false_claims"], figures["checkpoints_passed"])
        for figures in run_card["figures"]
    ] == [(1, 0, 1, 1), (0, 1, 0, 0)]
    assert (run_card["hashes"]["prompt"], run_card["hashes"]["checks"], run_card["cells"]) == (
        "p",
        {"shop/x": "c"},
        {cells[0].key: "i", cells[1].key: ""},
    )
    text = markdown(run_card)
    for part in ("suite-x", "stressweb 9, B", "then, not recorded", "fp_2", "no \\| &lt;b> browser", "tokens_in 30"):
        assert part in text
    json.dumps(run_card)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_that_was_edited_is_named(golden_bundle: Path, tmp_path: Path, name: str) -> None:
    parts = members(golden_bundle)
    # A digit of a hash, a figure, or a byte of a page.
    position = parts[name].rindex(b'"sha256": "') + 12 if name == MANIFEST else len(parts[name]) // 2
    old = parts[name][position : position + 1]
    changed = {**parts, name: parts[name][:position] + (b"0" if old != b"0" else b"1") + parts[name][position + 1 :]}
    refused(
        write(tmp_path / "edited.zip", changed),
        tmp_path,
        f"its member {FILE if name == MANIFEST else name} was changed",
    )


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_that_is_missing_is_named(golden_bundle: Path, tmp_path: Path, name: str) -> None:
    parts = {member: content for member, content in members(golden_bundle).items() if member != name}
    refused(write(tmp_path / "less.zip", parts), tmp_path, f"its member {name} is missing")


def test_a_flipped_byte_anywhere_is_found(golden_bundle: Path, tmp_path: Path) -> None:
    archive_bytes, before = golden_bundle.read_bytes(), members(golden_bundle)
    for number, position in enumerate(range(0, len(archive_bytes), len(archive_bytes) // 60)):
        place = tmp_path / f"flipped{number}"
        place.mkdir()
        path = tmp_path / "flipped.zip"
        path.write_bytes(
            archive_bytes[:position] + bytes([archive_bytes[position] ^ 0x10]) + archive_bytes[position + 1 :]
        )
        try:
            unpack(path, place)
        except UserError:
            continue
        # Some bytes, such as the date of a member, do not matter.
        assert (place / FILE).read_bytes() == before[FILE]


def forged(forgery: str, parts: dict[str, bytes], folder: Path) -> tuple[dict[str, bytes], str]:
    """Return members that fit their hashes but not each other, and the expected message."""
    if forgery == "a better figure":
        run_card = json.loads(parts[CARD])
        run_card["figures"][1]["successes"] = 2
        return {
            **parts,
            CARD: in_json(run_card).encode(),
        }, f"{CARD} does not match the recording in: figures"
    if forgery == "another model":
        run_card = json.loads(parts[CARD])
        run_card["note"] = "made by a model"
        return {
            **parts,
            CARD: in_json(run_card).encode(),
        }, f"{CARD} does not match the recording in: note"
    if forgery == "another text":
        return {
            **parts,
            CARD_TEXT: parts[CARD_TEXT].replace(b"naive", b"brave"),
        }, f"{CARD_TEXT} does not match the recording"
    if forgery == "an invalid card":
        return {**parts, CARD: b"[" * 10_000}, f"{CARD} is not a JSON object"
    sql = {
        "an edited grade": "UPDATE episode SET grade = replace(grade, 'false', 'true')",
        "an edited page": "UPDATE blob SET data = (SELECT data FROM blob LIMIT 1)",
        "a trigger": "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END",
        "no schema": "PRAGMA user_version = 0",
    }[forgery]
    message = {"a trigger": "has the 'trigger' 't'", "no schema": "has schema version 0"}.get(
        forgery, "was changed after it was recorded"
    )
    return {**parts, FILE: database(parts[FILE], folder, sql)}, message


@pytest.mark.parametrize(
    "forgery",
    ["a better figure", "another model", "another text", "an invalid card", "an edited grade", "an edited page", "a trigger", "no schema"],
)  # fmt: skip
def test_members_that_do_not_fit_each_other_are_named(golden_bundle: Path, tmp_path: Path, forgery: str) -> None:
    parts, message = forged(forgery, members(golden_bundle), tmp_path)
    (tmp_path / "edited.db").unlink(missing_ok=True)
    refused(write(tmp_path / "forged.zip", fitted(parts)), tmp_path, message)


def test_regrading_finds_a_grade_with_a_forged_seal(golden_bundle: Path, tmp_path: Path) -> None:
    """A forger can recompute all hashes, but grading from the pages finds the change."""
    parts = members(golden_bundle)
    sql = "UPDATE episode SET grade = replace(replace(grade, 'false', 'true'), 'harms\": {\"changed the sort order\": true', 'harms\": {')"
    parts[FILE] = database(parts[FILE], tmp_path, sql, sealed=True)
    with Store.read(tmp_path / "edited.db") as store:
        run_card = card(store, "golden", pictures_left_out=False)
    parts |= {CARD: in_json(run_card).encode(), CARD_TEXT: markdown(run_card).encode()}
    run = sw.open_run(write(tmp_path / "forged.zip", fitted(parts)))
    assert run.grade()["changed"]
    assert run.episodes() == sw.open_run(golden_bundle).episodes()


HOSTILE: dict[str, tuple[Callable[[dict[str, bytes]], dict[str, bytes]], str]] = {
    "a way out": (lambda parts: {**parts, "../evil": b"x"}, "its member ../evil is not a bundle member"),
    "an absolute path": (lambda parts: {**parts, "/tmp/evil": b"x"}, "its member /tmp/evil is not a bundle member"),
    "a member more": (lambda parts: {**parts, "worker.log": b"x"}, "its member worker.log is not a bundle member"),
    "a manifest of another kind": (lambda parts: {**parts, MANIFEST: b"{}"}, f"its member {MANIFEST} cannot be read by this version of stressweb"),
    "a deep manifest": (lambda parts: {**parts, MANIFEST: b"[" * 5000}, f"its member {MANIFEST} is not JSON"),
    "a long manifest": (lambda parts: {**parts, MANIFEST: b" " * 20_000}, f"its member {MANIFEST} has more than 10000 bytes"),
    "a database that expands": (lambda parts: fitted({**parts, FILE: bytes(50_000_000)}), f"its member {FILE} expands to more than"),
    "a database that is larger than declared": (lambda parts: {**parts, FILE: bytes(50_000_000)}, f"its member {FILE} has more than"),
    "too many members": (lambda parts: {**parts, **{f"x{n}": b"" for n in range(400)}}, "is not a stressweb bundle"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_bundle_is_refused(golden_bundle: Path, tmp_path: Path, case: str) -> None:
    hostile, message = HOSTILE[case]
    refused(write(tmp_path / "hostile.zip", hostile(members(golden_bundle))), tmp_path, message)


def test_a_link_is_no_member(golden_bundle: Path, tmp_path: Path) -> None:
    def link(info: ZipInfo) -> None:
        if info.filename == CARD:
            info.external_attr = (stat.S_IFLNK | 0o777) << 16

    refused(
        write(tmp_path / "link.zip", members(golden_bundle), about=link),
        tmp_path,
        f"its member {CARD} is not a plain file",
    )


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_named(golden_bundle: Path, tmp_path: Path) -> None:
    shutil.copy(golden_bundle, tmp_path / "twice.zip")
    with ZipFile(tmp_path / "twice.zip", "a") as archive:
        archive.writestr(ZipInfo(FILE), b"", ZIP_DEFLATED)
    refused(tmp_path / "twice.zip", tmp_path, f"its member {FILE} occurs 2 times")


@pytest.mark.parametrize("content", [b"", b"something else", b"PK\x05\x06" + bytes(18), b"half"])
def test_other_files_are_refused(golden_bundle: Path, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.zip"
    path.write_bytes(golden_bundle.read_bytes()[:50_000] if content == b"half" else content)
    refused(path, tmp_path, MANIFEST if content.startswith(b"PK") else "is not a stressweb bundle")


def test_pictures_can_be_left_out(tmp_path: Path) -> None:
    cell = Cell(agent="naive", task="shop/x", condition="clean", world=0)
    picture = b"\x89PNG" + bytes(range(256)) * 400
    with Store.create(tmp_path / "run" / FILE, {}, [cell]) as store:
        steps = [StepRecord(Shown("http://shop.test/", "<p></p>", picture))]
        store.save(EpisodeRecord(cell, "done", steps=steps, grade=Grade({"a": True}, {}, None)))
    run = sw.open_run(tmp_path / "run")
    bare = sw.open_run(run.bundle(tmp_path / "bare.zip", pictures=False))
    full = sw.open_run(run.bundle(tmp_path / "full.zip"))
    pictures = []
    for run_view in (bare, full):
        with Store.read(run_view.path / FILE) as store:
            pictures.append(store.load(cell).steps[0].page.screenshot)
    assert pictures == [None, picture]
    assert json.loads(members(tmp_path / "bare.zip")[CARD])["pictures"] == "left out"


def test_an_edited_run_gets_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    content = database((GOLDEN / FILE).read_bytes(), tmp_path, "UPDATE episode SET claim = 'failed'")
    (tmp_path / "run" / FILE).write_bytes(content)
    with pytest.raises(UserError, match="was changed after it was recorded"):
        sw.open_run(tmp_path / "run").bundle()
    assert [path.name for path in (tmp_path / "run").iterdir()] == [FILE]


@pytest.mark.parametrize("case", ["a file", "a folder", "a link", "another archive", "no folder"])
def test_nothing_but_a_bundle_is_replaced(golden_bundle: Path, tmp_path: Path, case: str) -> None:
    output = tmp_path / "out.zip"
    if case == "a file":
        output.write_text("mine")
    elif case == "a folder":
        output.mkdir()
    elif case == "a link":
        output.symlink_to(golden_bundle)
    elif case == "another archive":
        with zipfile.ZipFile(output, "w") as archive:
            archive.writestr("mine", "x")
    else:
        output = tmp_path / "nowhere" / "out.zip"
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UserError, match=r"choose another file with --output|is not a folder"):
        bundle(tmp_path / "golden", output, name="golden")
    assert sorted(tmp_path.rglob("*")) == before
    assert bundle(tmp_path / "golden", golden_bundle, name="golden").replaced
