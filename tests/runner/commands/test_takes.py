"""`stressweb run` with agents that do not take the work: one line, before anything starts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.core.agent_spec import CLIENT
from stressweb.runner import registry
from tests.runner.commands.command_line import Result

TAKES = {name: registry.AGENTS.get(name).takes for name in registry.AGENTS.working() if name != CLIENT}
CASE = "cases/shop/profile"


def refused(call: Callable[..., Result], agent: str, task: str) -> str:
    """Return the line with which a run is refused."""
    status, out, err = call("run", "--task", task, "--agent", agent, "--mode", "clean")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not Path("runs").exists()
    # It offers agents that the run can start.
    assert CLIENT not in err
    return err


@pytest.mark.parametrize("agent", [name for name, kinds in TAKES.items() if "cases" not in kinds])
def test_an_agent_for_tasks_takes_no_test_cases(call: Callable[..., Result], agent: str) -> None:
    line = refused(call, agent, CASE)
    assert line.startswith(f"stressweb: agent '{agent}' takes no test cases, such as {CASE}; ")


@pytest.mark.parametrize("agent", [name for name, kinds in TAKES.items() if "tasks" not in kinds])
def test_a_tester_takes_no_tasks(call: Callable[..., Result], agent: str) -> None:
    line = refused(call, agent, "shop/checkout")
    assert line.startswith(f"stressweb: agent '{agent}' takes only test cases, and shop/checkout is a task; ")
