"""The programs in docs/bring.md and docs/testers.md run unchanged."""

import json
import re
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from stressweb.core.browser_program import find_browser, launch_args
from stressweb.core.task_id import site_of
from tests.runner.external.site_tasks import TASKS
from tests.support.command_line import stressweb
from tests.support.programs import Programs

TEXT = Path("docs/bring.md").read_text("utf-8")
PROGRAM, OWN_BROWSER_PROGRAM, *_ = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
TESTER, TESTER_CLASS, *_ = re.findall(r"```python\n(.*?)```", Path("docs/testers.md").read_text("utf-8"), re.DOTALL)
NODE_PROGRAM = re.search(r"```js\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.sample(1)
@pytest.mark.parametrize("task", TASKS, ids=site_of)
def test_the_first_program_of_bring_runs_on_every_site(programs: Programs, task: str) -> None:
    record = programs.run(programs.python(PROGRAM, head=""), task=task)
    assert (record.status, record.claim, record.message) == ("done", "done", "")
    assert [step.action.kind for step in record.steps if step.action] == ["CLICK", "DONE"]


def test_the_program_for_node_runs_unchanged(programs: Programs, tmp_path: Path) -> None:
    # Playwright for Python includes Node.js and the package for it.
    node, cli = compute_driver_executable()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "playwright-core").symlink_to(Path(cli).parent)
    assert NODE_PROGRAM
    (tmp_path / "my_agent.mjs").write_text(NODE_PROGRAM[1], "utf-8")
    record = programs.run(f"{node} {tmp_path / 'my_agent.mjs'}")
    assert (record.status, record.claim, record.message) == ("done", "done", "")
    assert [step.action.kind for step in record.steps if step.action] == ["CLICK", "DONE"]


def test_the_program_with_its_own_browser_runs(programs: Programs) -> None:
    browser = f"launch(executable_path={str(find_browser().path)!r}, args={[*launch_args()]!r}, "
    program = OWN_BROWSER_PROGRAM.replace("launch(", browser)
    record = programs.run(programs.python(program, head=""), own_browser=True)
    assert (record.status, record.claim, record.message) == ("done", "done", "")
    assert [step.action.kind for step in record.steps if step.action] == ["CLICK", "DONE"]


def test_the_tester_of_the_documents_gives_its_verdict(programs: Programs) -> None:
    record = programs.run(programs.python(TESTER, head=""), task="cases/shop/first-hit")
    assert record.status == "done", record.message
    assert record.grade is not None
    assert record.grade.judgement is not None
    # The case passes, and the program calls every case failing.
    assert not record.grade.judgement.right


def test_the_tester_class_of_the_documents_runs_cases(tmp_path: Path) -> None:
    (tmp_path / "testing.py").write_text(TESTER_CLASS, "utf-8")
    chosen = ("--task", "cases/shop/first-hit", "--mode", "clean", "--json")
    completed = stressweb(tmp_path, "run", "--agent", "testing:MyTester", *chosen)
    assert completed.returncode == 0, completed.stderr
    (row,) = json.loads(completed.stdout)["rows"]
    # The case passes; clean runs twice, since nothing says that the agent is deterministic.
    assert (row["agent"], row["testing"]["right"]) == ("my-tester", 2)
