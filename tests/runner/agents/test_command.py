"""A command that cannot start is one line before the run, not a crash of each episode."""

import os
import sys
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.runner.agents import build
from stressweb.runner.agents.command import spec_of

PYTHON = Path(sys.executable).name
PROGRAMS = ("sh", "bash", "env", PYTHON)


def ready(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = folder / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).touch(mode=0o755)
    monkeypatch.chdir(folder)
    build(spec_of(command)).ready({**os.environ, "PATH": str(programs)})


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("nothing my_agent.py", "there is no program 'nothing'"),
        (f"{PYTHON} my_agnet.py", "there is no file 'my_agnet.py'; did you mean my_agent.py?"),
        (f"{PYTHON} -u -X dev my_agent.js", None),
        (f"{PYTHON} -u agents/my_agent.py --fast", "there is no file 'agents/my_agent.py'"),
        (f"env MODEL=small {PYTHON} other.py", "there is no file 'other.py'"),
        ("bash start.sh my_agent.py", "there is no file 'start.sh'"),
        (f"{PYTHON} my_agent.py missing.py", None),
        (f"{PYTHON} -m my_agent missing.py", None),
        (f"{PYTHON} -c pass missing.py", None),
        ("sh -c 'exec my_agent.py'", None),
    ],
)
def test_what_a_command_runs_must_exist(
    command: str, line: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_agent.py").touch()
    if line is None:
        ready(command, tmp_path, monkeypatch)
        return
    with pytest.raises(UserError) as refused:
        ready(command, tmp_path, monkeypatch)
    assert str(refused.value) == f"agent-command {command!r}: {line}"
