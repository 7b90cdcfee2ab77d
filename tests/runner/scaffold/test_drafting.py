"""A drafted site: mistakes go back to the model a limited number of times, and only a verified site is accepted."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stressweb.plugins.scripted_model import ScriptedModel
from stressweb.runner.scaffold.answer import WrongAnswerError, files_in, forbidden_code
from stressweb.runner.scaffold.folder import files_of
from tests.support.command_line import stressweb

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
WHOLE = files_of("shed")
LISTED = "".join(
    f"- id: shed/{name}\n  family: {family}\n  goal: {goal}\n"
    for name, family, goal in (
        ("borrow-the-cheapest", "borrow", "Borrow the cheapest tool of a kind."),
        ("lend-a-tool", "lend", "Offer a tool."),
        ("give-one-back", "borrow", "Give a tool back."),
    )
)
SPEC = {name: text for name, text in WHOLE.items() if name != "tasks.yaml"}


def answer(files: Mapping[str, str]) -> str:
    return "Here it is.\n\n" + "\n\n".join(f"FILE {name}\n```\n{text}```" for name, text in files.items())


def draft(folder: Path, *answers: str, attempts: int = 2) -> tuple[subprocess.CompletedProcess[str], list[Any]]:
    """Draft `shed` in a folder with a model that gives these answers; return the process and the requests."""
    (folder / "about.txt").write_text("Neighbours lend each other tools.\n")
    with ScriptedModel(*answers) as model:
        asked = ("--model", "small", "--base-url", model.url, "--attempts", str(attempts))
        done = stressweb(folder, "new", "shed", "--from", "about.txt", *asked, timeout=1200)
        return done, [exchange.body for exchange in model.exchanges]


@pytest.mark.audit
@pytest.mark.timeout(1300)
def test_a_site_is_accepted_when_it_verifies(tmp_path: Path) -> None:
    careless = WHOLE["checks.py"].replace('run.ever(lambda state: state.path == "/loans")', "True")
    answers = (
        "I would list tasks.",
        answer({"tasks.yaml": LISTED.partition("- id: shed/give")[0]}),
        answer({"tasks.yaml": LISTED}),
        answer({"tasks.yaml": WHOLE["tasks.yaml"].replace("- press: borrow", "- click: borrow")}),
        answer({"tasks.yaml": WHOLE["tasks.yaml"]}),
        answer({**SPEC, "logic.py": "import os\n"}),
        answer({**SPEC, "site.yaml": WHOLE["site.yaml"].replace("  borrow: [Borrow, Take it home, Borrow it]\n", "")}),
        answer({"site.yaml": WHOLE["site.yaml"], "checks.py": careless}),
        answer({"checks.py": WHOLE["checks.py"]}),
    )
    done, requests = draft(tmp_path, *answers, attempts=3)
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert len(requests) == len(answers)
    last_messages = [body["messages"][-1]["content"] for body in requests]
    for number, problem in (
        (1, "the answer has no file"),
        (2, "there are 2 tasks; list 3 to 12"),
        (4, "click"),
        (6, "logic.py: line 1: imports os"),
        (7, "unknown label 'borrow'"),
        (8, "doing nothing passes something"),
    ):
        assert problem in last_messages[number], last_messages[number]
    assert {name for name in WHOLE if (tmp_path / "shed" / name).read_text() == WHOLE[name]} == {*WHOLE}
    for kind in ("site", "tasks"):
        assert f"$schema={kind}.schema.json" in (tmp_path / "shed" / f"{kind}.yaml").read_text().splitlines()[0]
        assert json.loads((tmp_path / "shed" / f"{kind}.schema.json").read_text())["$defs"]
    log = [json.loads(line) for line in (tmp_path / "shed" / "draft.jsonl").read_text().splitlines()]
    assert [entry["stage"] for entry in log] == ["tasks"] * 3 + ["trajectories"] * 2 + ["site"] * 4
    assert [bool(entry["problems"]) for entry in log] == [True, True, False, True, False, True, True, True, False]
    assert not (tmp_path / "shed.draft").exists()


@pytest.mark.audit
def test_a_draft_that_stays_wrong_is_not_accepted(tmp_path: Path) -> None:
    broken = {**SPEC, "site.yaml": WHOLE["site.yaml"].replace("  borrow: [Borrow, Take it home, Borrow it]\n", "")}
    done, requests = draft(
        tmp_path,
        answer({"tasks.yaml": LISTED}),
        answer({"tasks.yaml": WHOLE["tasks.yaml"]}),
        answer(broken),
        attempts=1,
    )
    assert done.returncode == 1
    assert len(requests) == 4, "the last answer repeats, and is sent back once"
    assert "no draft was accepted" in done.stdout
    assert "unknown label 'borrow'" in done.stdout
    assert not (tmp_path / "shed").exists()
    assert (tmp_path / "shed.draft" / "shed" / "site.yaml").read_text() == broken["site.yaml"]
    # A second draft does not overwrite the first.
    again, requests = draft(tmp_path, "nothing")
    assert (again.returncode, requests) == (2, [])
    assert "shed.draft contains an earlier draft" in again.stderr


def test_without_a_model_nothing_is_written(tmp_path: Path) -> None:
    done = stressweb(tmp_path, "new", "shed", "--from", "about.txt", timeout=100)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--from needs a language model: pass --model NAME" in done.stderr
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("FILE site.yaml\n```\na: 1\n", "has no file"),
        (answer({"../site.yaml": "a: 1\n"}), "there may be site.yaml"),
        (answer({"corpora/../../x.yaml": "a: 1\n"}), "there may be site.yaml"),
        (answer({"notes.txt": "a\n"}), "there may be site.yaml"),
        (answer({"checks.py": "x = 1\n"}), "lacks site.yaml"),
        (answer({"site.yaml": "a: 1\n", "checks.py": "import subprocess\n"}), "checks.py: line 1: imports subprocess"),
        (answer({"site.yaml": "a" * 300_000 + "\n"}), "has 300001 characters"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused(text: str, problem: str) -> None:
    with pytest.raises(WrongAnswerError, match=problem):
        files_in(text, {"site.yaml": True, "checks.py": False, "corpora": False})


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "from os import path",
        "from . import x",
        "open('/etc/hosts')",
        "exec('1')",
        "().__class__",
        "x = __builtins__",
        "getattr(1, 'real')",
        "def f(:\n",
    ],
)
def test_python_that_a_site_needs_not_is_refused(source: str) -> None:
    assert [*forbidden_code(source)]


def test_the_python_of_a_site_is_allowed() -> None:
    assert [problem for name, text in WHOLE.items() if name.endswith(".py") for problem in forbidden_code(text)] == []
