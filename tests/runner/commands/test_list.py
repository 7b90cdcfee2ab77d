"""`stressweb list`: headings, and a line with a description for each entry."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.runner.commands.basic_commands import list_command
from stressweb.runner.registry import chain_ids
from tests.runner.commands.command_line import Result

KINDS = next(parameter.type.choices for parameter in list_command.params if parameter.name == "what")  # type: ignore[attr-defined]


# Chains take seconds, because their goals are drawn from up to four sites each; the next test lists them, too.
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "what", [pytest.param(kind, marks=pytest.mark.audit if kind == "chains" else ()) for kind in KINDS]
)
def test_every_list_has_headings_and_a_line_for_each_entry(call: Callable[..., Result], what: str) -> None:
    status, out, err = call("list", what, "--json")
    assert (status, err) == (0, "")
    entries = json.loads(out)
    heading, *lines = call("list", what)[1].splitlines()
    assert len(lines) == len(entries) > 0
    for line, entry in zip(lines, entries, strict=True):
        name, *others = map(str, (value for value in entry.values() if isinstance(value, str | int)))
        assert line.startswith(f"{name} ")
        assert all(other in line for other in others)
    for entry in entries:
        description = (
            entry.get("about") or entry.get("does") or entry.get("reads") or entry.get("goal") or entry["tasks"]
        )
        assert len(description if isinstance(description, list) else description.split()) >= 2, (
            "every entry has a description"
        )
        assert entry.get("checkpoints", 1) >= 1
    # Each column starts below its heading.
    starts = [
        column for column in range(2, len(heading)) if heading[column] != " " and heading[column - 2 : column] == "  "
    ]
    assert len(starts) == len(entries[0]) - 1
    assert all(line[column - 2 : column] == "  " and line[column] != " " for line in lines for column in starts)


def test_tasks_and_chains_of_one_site(call: Callable[..., Result]) -> None:
    def names(*options: str) -> list[list[str]]:
        entries = json.loads(call("list", *options, "--json")[1])
        return [entry.get("tasks") or [entry["task"]] for entry in entries]

    ride = names("tasks", "--site", "ride")
    assert ride
    assert all(task.startswith("ride/") for (task,) in ride)
    chains = names("chains", "--site", "ride")
    assert 0 < len(chains) < len(chain_ids())
    assert all(any(task.startswith("ride/") for task in chain) for chain in chains)


def test_an_environment_variable_without_effect_is_no_mistake(
    call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STRESSWEB_SITE", "ride")
    monkeypatch.setenv("STRESSWEB_OUTPUT", "out.zip")
    assert call("list", "agents")[0] == 0
    assert call("list", "agents", "--site", "ride")[0] == 2


@pytest.mark.usefixtures("isolated_plugins")
def test_a_site_in_a_folder_has_a_description(call: Callable[..., Result], tmp_path: Path) -> None:
    assert call("new", "shed")[0] == 0
    sites = {
        entry["site"]: entry["about"] for entry in json.loads(call("list", "sites", "--load", "shed", "--json")[1])
    }
    assert sites["shed"] == "a site of yours: shed"
    (tmp_path / "shed" / "__init__.py").write_text('"""A shed\nfull of tools."""\n')
    sites = {
        entry["site"]: entry["about"] for entry in json.loads(call("list", "sites", "--load", "shed", "--json")[1])
    }
    assert sites["shed"] == "A shed full of tools."


# An audit, because it draws the goals of all sites twice.
@pytest.mark.audit
@pytest.mark.usefixtures("isolated_plugins")
def test_tasks_of_a_site_with_broken_checkpoints_are_listed_beside_the_others(
    call: Callable[..., Result], tmp_path: Path
) -> None:
    assert call("new", "barn")[0] == 0
    checks = tmp_path / "barn" / "checks.py"
    checks.write_text(checks.read_text("utf-8").replace("    yield", "    raise KeyError\n    yield", 1))
    status, out, _ = call("list", "tasks", "--load", "barn", "--json")
    assert status == 0
    (broken,) = [entry["task"] for entry in json.loads(out) if entry["checkpoints"] is None]
    assert broken.startswith("barn/")
    heading, *lines = call("list", "tasks", "--load", "barn")[1].splitlines()
    column = heading.index("checkpoints")
    assert {line[column:].split()[0] for line in lines if line.startswith(f"{broken} ")} == {"-"}
