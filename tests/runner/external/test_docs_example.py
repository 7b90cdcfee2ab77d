"""The programs that docs/bring.md shows run as they stand there."""

import re
from pathlib import Path

import pytest

from stressweb.core.task_id import site_of
from tests.runner.external.conftest import Programs

PROGRAM = re.search(r"```python\n(.*?)```", Path("docs/bring.md").read_text("utf-8"), re.DOTALL)
TASKS = [
    "calendar/week-view", "files/upload-the-invoices", "food/favourite-the-best", "mail/find-by-sender-and-day",
    "network/oldest-unread", "notes/write-a-document", "reservation/best-of-a-cuisine", "ride/quote-without-booking",
    "shop/first-hit", "tasks/longest-overdue",
]  # fmt: skip


@pytest.mark.sample(1)
@pytest.mark.parametrize("task", TASKS, ids=site_of)
def test_the_first_program_of_bring_runs_on_every_site(programs: Programs, task: str) -> None:
    assert PROGRAM
    record = programs.run(programs.python(PROGRAM[1], head=""), task=task)
    assert (record.status, record.claim, record.message) == ("done", "done", "")
    assert [step.action.kind for step in record.steps if step.action] == ["CLICK", "DONE"]
