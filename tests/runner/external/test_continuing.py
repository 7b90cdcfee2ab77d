"""A recorded run may be untrusted: its program runs only if the user names it too."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store
from stressweb.runner.execution.start import Place, checked
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.registry import Library

COMMAND = "mine=python my_agent.py"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Place of a recorded run of a program, to be resumed in the folder of the program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_agent.py").touch()
    plan = Experiment(agent_commands=(COMMAND,), tasks=("shop/first-hit",)).plan()
    (tmp_path / "theirs").mkdir()
    Store.create(tmp_path / "theirs" / FILE, {"plan": plan.model_dump(mode="json")}, plan.cells()).close()
    return Place(name="theirs", runs_dir=tmp_path, resume=True)


def continued(place: Place, **fields: tuple[str, ...]) -> list[str]:
    """Resume the run with an experiment of these fields, and return the names of its agents."""
    plan = checked(Experiment(**fields), place, (), Library())
    return [agent.name for agent in plan.agents]


@pytest.mark.parametrize("fields", [{}, {"agent_commands": ("mine=python other.py",)}, {"agents": ("naive",)}])
def test_a_program_that_the_user_does_not_name_does_not_run(place: Place, fields: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(UserError) as caught:
        continued(place, **fields)
    assert str(caught.value) == (
        "run theirs runs a program, 'python my_agent.py'; give --agent-command again to continue it"
    )


def test_a_program_that_the_user_names_runs(place: Place) -> None:
    assert continued(place, agent_commands=(COMMAND,)) == ["command"]
