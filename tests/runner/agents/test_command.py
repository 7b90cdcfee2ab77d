"""A command that cannot start is one line before the run, not a crash of each episode."""

import os
import sys
from pathlib import Path

import pytest

from stressweb.core.agent_names import split_title
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
        (f"env -u HOME {PYTHON} other.py", "there is no file 'other.py'"),
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


@pytest.mark.parametrize(
    ("command", "title"),
    [
        ("python a.py", "a"),
        ("python -u agents/a.py --model b.py", "a"),
        ("python3.12 -X dev a.py", "a"),
        ("env A=b python -u a.py", "a"),
        ("env -u HOME python a.py", "a"),
        ("env -u HOME python -m pkg.agent", "pkg.agent"),
        ("env MODEL=x ./agent config.py", "agent"),
        ("uv run a.py", "a"),
        ("uv run --with pkg a.py", "a"),
        ("node b.mjs", "b"),
        ("./c.sh --flag", "c"),
        ("bin/agent --flag x.py", "agent"),
        ("python -m pkg.agent --flag", "pkg.agent"),
        ("python -c pass", "pass"),
        ("python -m", "python"),
        ("python -u", "python"),
        ("./1.py", "command"),
        # It is NAME=COMMAND: variables need `env`.
        ("A=b python a.py", "A"),
    ],
)
def test_a_command_without_a_name_is_called_after_what_it_runs(command: str, title: str) -> None:
    assert split_title(spec_of(command).label)[0] == title
