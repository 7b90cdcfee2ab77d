"""The programs in docs/bring.md run unchanged."""

import re
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from stressweb.core.task_id import site_of
from tests.runner.external.site_tasks import TASKS
from tests.support.programs import Programs

TEXT = Path("docs/bring.md").read_text("utf-8")
PROGRAM = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
NODE_PROGRAM = re.search(r"```js\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.sample(1)
@pytest.mark.parametrize("task", TASKS, ids=site_of)
def test_the_first_program_of_bring_runs_on_every_site(programs: Programs, task: str) -> None:
    assert PROGRAM
    record = programs.run(programs.python(PROGRAM[1], head=""), task=task)
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
