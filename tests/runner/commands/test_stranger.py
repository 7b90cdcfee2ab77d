"""Untrusted run files: every hostile file gets one line and status 2, in bounded time and memory.

The tests write each file, seal it like a good one, and pass it to `grade`, `report` and `run --resume`.
"""

import contextlib
import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.sealing import hash_of, seal
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from stressweb.runner.registry import task_ids
from tests.support.plans import plan as planned

pytestmark = [pytest.mark.long, pytest.mark.sample(5, "file")]
TASK = task_ids()[0]
PLAN = planned(agents=("naive",), tasks=(TASK,), conditions=("clean", "remap@3"))
CELL = PLAN.cells()[0]
MEMORY = 2_000_000_000
SECONDS = 200
"""Limit of processor time for all commands and files together."""
COMMANDS = ("grade one", "report one", "run --resume --run one")
CALLS = f"""
import contextlib, io, json, os, sys
from stressweb.runner.commands.cli import cli, guarded

for folder in sys.argv[1:]:
    os.chdir(folder)
    for command in {COMMANDS!r}:
        with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
            status = guarded(lambda: cli.main(command.split(), standalone_mode=False))
        print(json.dumps([folder, command, status, said.getvalue()]))
"""
"""Program that passes every run to every command; it runs in a process with limited memory and time."""

type Hostile = Callable[[sqlite3.Connection], object]
type Answers = dict[str, dict[str, tuple[int, str]]]


def good_run(place: Path) -> Path:
    """Return the folder of a good run, in a folder from which the commands find it as `one`."""
    path = place / "runs" / "one" / FILE
    page = Shown("http://shop.test/", "<html><body>Shop</body></html>")
    with Store.create(path, {"plan": PLAN.model_dump(), "parts": {}}, PLAN.cells()) as store:
        steps = [StepRecord(page), StepRecord(page, Action(kind="DONE"), Outcome(ok=True))]
        ledger = [Entry(step=1, mode="remap", phase="delivered", element="button 'Buy'")]
        store.save(
            EpisodeRecord(CELL, "done", "done", "Done.", steps, {}, {}, ledger, Grade({"saw it": True}, {}, None))
        )
    return path.parent


def change(folder: Path, hostile: Hostile) -> None:
    connection = sqlite3.connect(folder / FILE)
    with connection:
        hostile(connection)
        # An invalid text cannot be sealed.
        with contextlib.suppress(sqlite3.OperationalError):
            for (key,) in connection.execute("SELECT cell FROM episode").fetchall():
                connection.execute("UPDATE episode SET seal = ? WHERE cell = ?", (seal(connection, key), key))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run_commands(*folders: Path) -> dict[Path, dict[str, tuple[int, str]]]:
    """Return the status and the message of each command on each run."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("STRESSWEB_")}
    done = subprocess.run(
        [sys.executable, "-c", CALLS, *(str(folder.parent.parent) for folder in folders)],
        env={**environ, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
        preexec_fn=bounded,
    )
    assert done.returncode == 0, done.stderr
    answers: dict[Path, dict[str, tuple[int, str]]] = {}
    for place, command, status, message in map(json.loads, done.stdout.splitlines()):
        answers.setdefault(Path(place) / "runs" / "one", {})[command] = status, message
    return answers


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def assert_refused(answers: dict[str, tuple[int, str]], expected: str, *, resumed: bool = True) -> None:
    for command, (status, message) in answers.items():
        if resumed or "--resume" not in command:
            assert (status, message.count("\n")) == (2, 1), message
            assert message.startswith("stressweb: ")
            assert expected in message
            assert message.strip().isprintable()
            assert len(message) < 600


def statements(*sql: str) -> Hostile:
    def hostile(connection: sqlite3.Connection) -> None:
        for statement in sql:
            connection.execute(statement)

    return hostile


def virtual(connection: sqlite3.Connection) -> None:
    """Add a virtual table to the schema, even if this SQLite lacks the module."""
    connection.execute("PRAGMA writable_schema = ON")
    sql = "CREATE VIRTUAL TABLE words USING fts5(text)"
    connection.execute("INSERT INTO sqlite_schema VALUES ('table', 'words', 'words', 0, ?)", (sql,))


def bomb(connection: sqlite3.Connection) -> None:
    """Store a page of 32 KB that expands to 1 GB, with the right hash."""
    size = 1_000_000_000
    compressed = zstandard.ZstdCompressor(level=1).compress(bytes(size))
    assert len(compressed) < 100_000
    digest = hash_of(bytes(size))
    connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, compressed))
    connection.execute("UPDATE step SET state = ?", (digest,))


def column(table: str, name: str, value: object) -> Hostile:
    return lambda connection: connection.execute(f"UPDATE {table} SET {name} = ?", (value,))


def cell(**labels: str) -> Hostile:
    """Give one episode another label, in every table with the label."""

    def hostile(connection: sqlite3.Connection) -> None:
        key = Cell.model_construct(**{**CELL.model_dump(), **labels}).key
        encoded = json.dumps({**CELL.model_dump(), **labels})
        connection.execute("UPDATE cell SET key = ?, data = ? WHERE key = ?", (key, encoded, CELL.key))
        for table in ("episode", "step", "ledger"):
            connection.execute(f"UPDATE {table} SET cell = ?", (key,))

    return hostile


ENDLESS = "WITH RECURSIVE n(x) AS (VALUES('a') UNION ALL SELECT x || 'a' FROM n) SELECT x AS name, x AS value FROM n"
DEEP = "[" * 100_000 + "]" * 100_000
FILES: dict[str, tuple[Hostile, str]] = {
    "a recursive view": (statements("DROP TABLE meta", f"CREATE VIEW meta AS {ENDLESS}"), "it has the 'view' 'meta'"),
    "a trigger": (
        statements(
            "CREATE TRIGGER more AFTER UPDATE ON episode BEGIN "
            "INSERT INTO blob SELECT randomblob(16), zeroblob(1000000) FROM step, step, step; END"
        ),
        "it has the 'trigger' 'more'",
    ),
    "a virtual table": (virtual, "it has the 'table' 'words'"),
    "an index on an expression": (
        statements("CREATE INDEX slow ON blob(hex(zeroblob(length(data))))"),
        "it has the 'index' 'slow'",
    ),
    "a check": (
        statements(
            "DROP TABLE meta",
            "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL CHECK (length(hex(value)) > 0)) WITHOUT ROWID",
        ),
        "its table meta is defined otherwise",
    ),
    "a page that expands": (bomb, "has 1000000000 bytes; the limit is 32000000"),
    "deep JSON in a grade": (column("episode", "grade", DEEP), "nested deeper than 32 levels"),
    "deep JSON about the run": (column("meta", "value", DEEP), "nested deeper than 32 levels"),
    "a step of another kind": (column("step", "action", '{"kind": "EXPLODE"}'), "does not record"),
    "a grade of another shape": (column("episode", "grade", '{"passed": "all"}'), "does not record"),
    "40,000 commas": (cell(condition=f"remap@3({',' * 40_000})"), "a key that is too long in the table cell"),
    "commas in a shorter label": (cell(condition=f"remap@3({',' * 4_000})"), "at most 2000 characters"),
    "a label that steers the terminal": (cell(task="shop/\x1b]0;title\x07"), "does not record"),
    "a label under another key": (
        lambda connection: connection.execute("UPDATE cell SET data = replace(data, 'naive', 'null')"),
        "is another one",
    ),
    "a number that is a text": (column("episode", "steps", "many"), "a value in episode.steps is no integer"),
    "an invalid text": (
        statements(f"UPDATE episode SET message = CAST(x'ff' AS TEXT) WHERE cell = '{CELL.key}'"),
        "Could not decode to UTF-8",
    ),
    "an unknown status": (column("episode", "status", "won"), "an unknown status in the table episode"),
    "steps of no episode": (column("step", "cell", "none"), "an unknown episode in the table step"),
}


PAGES = {
    "a page that expands",
    "deep JSON in a grade",
    "a step of another kind",
    "a grade of another shape",
    "an invalid text",
}
"""Files with damaged episodes, which `--resume` does not read."""


def add(connection: sqlite3.Connection) -> None:
    added_cell = Cell(agent="model(model=theirs)", task=TASK, condition="clean", world=0)
    connection.execute("INSERT INTO cell VALUES (?, 9, ?, '')", (added_cell.key, added_cell.model_dump_json()))


def exchange(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE cell SET position = 1 - position")


def drop(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM cell WHERE position = 1")


ENDLESS_PLAN = json.dumps({**PLAN.model_dump(), "epochs": 10**12})
OTHERS: dict[str, Hostile] = {
    "nothing": lambda connection: None,
    "anything about the run": column("meta", "value", "5"),
    "an episode more": add,
    "episodes in another order": exchange,
    "an episode less": drop,
    "endless episodes": column("meta", "value", ENDLESS_PLAN),
}
"""Files for which the commands give different messages."""


def add_link(folder: Path, ending: str) -> None:
    precious = folder.parent.parent / "precious"
    precious.write_text("mine")
    (folder / f"{FILE}{ending}").symlink_to(precious)


def replace_by_pipe(folder: Path) -> None:
    (folder / FILE).unlink()
    os.mkfifo(folder / FILE)


BESIDE = ("-wal", "-shm", "-journal")
PIPE = "a named pipe"


@pytest.fixture(scope="module")
def answers(chosen_params: set[str], tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """Answers of the commands by kind of file; fails if a command changes a hostile file."""
    changes = {what: hostile for what, (hostile, _) in FILES.items() if what in chosen_params}
    endings = [ending for ending in BESIDE if ending in chosen_params]
    runs = {what: good_run(tmp_path_factory.mktemp("stranger")) for what in (*changes, *OTHERS, *endings, PIPE)}
    for what, hostile in {**changes, **OTHERS}.items():
        change(runs[what], hostile)
    before = {what: files(runs[what]) for what in changes}
    for ending in endings:
        add_link(runs[ending], ending)
    replace_by_pipe(runs[PIPE])
    by_run = run_commands(*runs.values())
    assert {what: files(runs[what]) for what in changes} == before
    for ending in endings:
        assert (runs[ending].parent.parent / "precious").read_text() == "mine"
    return {what: by_run[run] for what, run in runs.items()}


@pytest.mark.sample(2)
@pytest.mark.parametrize("what", FILES)
def test_a_hostile_file_gets_one_line(answers: Answers, what: str) -> None:
    assert_refused(answers[what], FILES[what][1], resumed=what not in PAGES)


def test_a_run_with_invalid_metadata_gets_one_line(answers: Answers) -> None:
    grade, report, resume = answers["anything about the run"].values()
    assert (grade[0], grade[1].count("\n")) == (2, 1)
    assert "parts is not an object" in grade[1]
    # Without a plan the modes of a condition are unknown, so no figure can be trusted.
    for status, message in (report, resume):
        assert (status, message.count("\n")) == (2, 1)
        assert "holds no plan that this version of stressweb can read" in message


def test_a_good_run_is_accepted(answers: Answers) -> None:
    grade, report, resume = answers["nothing"].values()
    assert grade[0] == 1, "its grade is synthetic, so grading changes it"
    assert report[0] == 0
    assert "no browser found" in resume[1], "no browser starts in so little memory; all that is checked before fits"


@pytest.mark.sample(1)
@pytest.mark.parametrize("what", ["an episode more", "episodes in another order", "an episode less"])
def test_only_the_episodes_of_the_plan_are_run(answers: Answers, what: str) -> None:
    status, resumed = answers[what][COMMANDS[2]]
    assert "does not hold exactly the episodes of its plan; it cannot be continued" in resumed
    assert status == 2


def test_a_plan_of_endless_episodes_is_not_written_out(answers: Answers) -> None:
    status, resumed = answers["endless episodes"][COMMANDS[2]]
    assert "does not hold exactly the episodes of its plan" in resumed
    assert status == 2


@pytest.mark.sample(1)
@pytest.mark.parametrize("ending", BESIDE)
def test_a_link_beside_the_file_is_never_followed(answers: Answers, ending: str) -> None:
    assert_refused(answers[ending], "was not written by stressweb")


def test_a_named_pipe_is_not_waited_for(answers: Answers) -> None:
    assert_refused(answers[PIPE], "is not a regular file")
