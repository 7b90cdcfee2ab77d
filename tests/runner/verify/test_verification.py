"""A new site verifies unchanged; episodes are judged; findings name the place in the site's files."""

import json
import re
from pathlib import Path

import pytest

from stressweb.cases.case_file import NAME, read_cases
from stressweb.core.errors import UserError
from stressweb.runner.commands.verify import verify
from stressweb.runner.scaffold.folder import new_site
from stressweb.runner.verify.episodes import Played, undeserved_passes, unsolved_tasks
from stressweb.runner.verify.findings import Places
from stressweb.runner.verify.part_names import PARTS
from stressweb.sites import folder_of
from stressweb.sites.kit import KitSite
from tests.runner.verify.graded_episodes import graded
from tests.support.command_line import stressweb

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.audit
def test_a_new_site_verifies_unchanged(tmp_path: Path) -> None:
    creation = stressweb(tmp_path, "new", "demo")
    assert creation.returncode == 0, creation.stderr
    assert "next: stressweb verify demo" in creation.stdout
    done = stressweb(tmp_path, "verify", "demo", "--seeds", "1", "--json")
    output = json.loads(done.stdout)
    assert (done.returncode, output["findings"]) == (0, 0), (output, done.stderr)
    tried = {part["part"]: part["tried"] for part in output["parts"]}
    assert [*tried] == [part for part in PARTS if part != "cases"]
    assert tried["solvable"].startswith("21 episodes"), "three tasks, clean and under six modes"
    assert tried["unearned"].startswith("9 episodes")
    assert [*(tmp_path / "runs").iterdir()] == [], "episodes without findings are not kept"


@pytest.mark.audit
def test_a_broken_site_is_detected(tmp_path: Path) -> None:
    new_site("demo", tmp_path)
    checks = tmp_path / "demo" / "checks.py"
    checks.write_text(checks.read_text().replace('"looked at the loans", ', '"looked at the loans", True or '))
    done = stressweb(tmp_path, "verify", "demo", "--seeds", "1")
    assert done.returncode == 1
    assert "FAIL tasks " in done.stdout
    line = (tmp_path / "demo" / "tasks.yaml").read_text().splitlines().index("- id: demo/give-one-back") + 1
    assert f"tasks.yaml:{line}: demo/give-one-back: world 0: doing nothing passes something" in done.stdout
    assert "FAIL unearned " in done.stdout
    assert [path.name for path in (tmp_path / "runs").iterdir()], "the episodes are kept"


@pytest.mark.parametrize(
    ("fields", "messages"),
    [
        ({}, []),
        ({"success": False, "checkpoints_passed": 2}, ["resilient fails in world 2, remap@3: done, 2 of 3 checkpoints, 9 steps"]),
        ({"success": False, "disputed": True}, ["resilient fails in world 2, remap@3: done, 3 of 3 checkpoints, checkpoints and database disagree, 9 steps"]),
        ({"success": False, "harmed": True}, ["resilient fails in world 2, remap@3: done, 3 of 3 checkpoints, does harm, 9 steps"]),
        ({"claim": "failed"}, ["resilient succeeds in world 2, remap@3, but does not claim it"]),
        ({"status": "error", "success": False}, ["resilient fails in world 2, remap@3: error, 3 of 3 checkpoints, 9 steps"]),
    ],
)  # fmt: skip
def test_failures_of_resilient_are_found(fields: dict[str, object], messages: list[str]) -> None:
    played = Played(Path(), [graded(), graded(**fields)])
    assert [message for _, message in unsolved_tasks(played)] == messages


@pytest.mark.parametrize(
    ("fields", "is_found"),
    [
        ({"agent": "null", "success": False, "checkpoints_passed": 0}, False),
        ({"agent": "null", "success": False, "checkpoints_passed": 1}, True),
        ({"agent": "talker", "success": False, "checkpoints_passed": 0, "harmed": True}, True),
        ({"agent": "wander", "success": False, "checkpoints_passed": 2}, False),
        ({"agent": "wander"}, True),
        ({"agent": "wander", "success": False, "status": "error"}, True),
    ],
)
def test_undeserved_passes_are_found(fields: dict[str, object], is_found: bool) -> None:
    assert bool([*undeserved_passes(Played(Path(), [graded(**fields)]))]) is is_found


def test_findings_name_the_place(tmp_path: Path) -> None:
    new_site("demo", tmp_path)
    folder = tmp_path / "demo"
    places = Places(KitSite(folder))
    tasks, pages = (folder / name for name in ("tasks.yaml", "site.yaml"))
    lines = {name: path.read_text().splitlines() for name, path in (("tasks", tasks), ("site", pages))}
    assert (
        places.task("demo/lend-a-tool")
        == f"{tasks}:{lines['tasks'].index('- id: demo/lend-a-tool') + 1}: demo/lend-a-tool"
    )
    assert places.page("/loans?x=1") == f"{pages}:{lines['site'].index('  loans:') + 1}: /loans?x=1"
    assert places.page("/") == f"{pages}:{lines['site'].index('  home:') + 1}: /"
    # A resource's page has no line of its own.
    assert places.page("/tools/new") == f"{pages}: /tools/new"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Demo", "must be 2 to 31 lower-case letters and digits"),
        ("../demo", "must be 2 to 31 lower-case letters and digits"),
        ("shop", "there is already a site 'shop'"),
        ("taken", "taken already exists"),
    ],
)
def test_a_site_never_overwrites_another(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(UserError, match=says):
        new_site(name, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert not [*(tmp_path / "taken").iterdir()]


def test_only_the_named_parts_are_proven(tmp_path: Path) -> None:
    new_site("demo", tmp_path)
    done = stressweb(tmp_path, "verify", "demo", "--seeds", "1", "--part", "pages", "--part", "tasks")
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["tasks", "pages", "no"], done.stderr
    assert done.stdout.splitlines()[-1] == "demo: no findings in 1 world (pages, tasks)"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--part", "cases"], "site demo has no cases.yaml, so there is no part 'cases'; make it with --cases"),
        (["--part", "pages", "--cases"], "--cases proves test cases alone; leave --part out"),
    ],
)
def test_a_part_that_would_not_be_proven_is_refused(tmp_path: Path, arguments: list[str], line: str) -> None:
    new_site("demo", tmp_path)
    done = stressweb(tmp_path, "verify", "demo", *arguments)
    assert (done.returncode, done.stderr, done.stdout) == (2, f"stressweb: {line}\n", "")


@pytest.mark.parametrize("worlds", [1, 2])
def test_cases_are_not_proven_in_fewer_than_three_worlds(tmp_path: Path, worlds: int) -> None:
    before = read_cases(folder_of("food"))
    with pytest.raises(UserError, match=f"--seeds {worlds}: test cases are proven in at least 3 worlds"):
        verify("food", worlds, tmp_path, None, as_json=False, cases=True)
    assert read_cases(folder_of("food")) == before


@pytest.mark.audit
def test_a_site_of_ones_own_gets_proven_cases(tmp_path: Path) -> None:
    new_site("demo", tmp_path)
    done = stressweb(tmp_path, "verify", "demo", "--cases", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cases"] > json.loads(done.stdout)["passing"] == 3
    path = tmp_path / "demo" / NAME
    text = path.read_text("utf-8")
    parts = json.loads(stressweb(tmp_path, "verify", "demo", "--seeds", "1", "--json").stdout)["parts"]
    (cases,) = (part for part in parts if part["part"] == "cases")
    assert cases["findings"] == []
    # A case that fails at another step than the file has it.
    ((operator, step), *_) = re.findall(r"(dead_button)@(\d+)", text)
    path.write_text(text.replace(f"{operator}@{step}", f"{operator}@{int(step) + 1}"), "utf-8")
    broken = stressweb(tmp_path, "verify", "demo", "--seeds", "1")
    assert broken.returncode == 1
    assert "FAIL cases " in broken.stdout
    line = next(number for number, text in enumerate(path.read_text("utf-8").splitlines(), 1) if operator in text)
    assert f"{path}:{line}: demo/" in broken.stdout
    assert f"{operator} makes no failure of step {int(step) + 1} there" in broken.stdout


def test_an_unknown_site_is_one_line(tmp_path: Path) -> None:
    done = stressweb(tmp_path, "verify", "shpo")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "unknown site 'shpo'; did you mean shop?" in done.stderr
