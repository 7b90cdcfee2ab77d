"""`stressweb compare`: compares a run with a baseline, as text, JSON and JUnit XML."""

import json
from collections.abc import Sequence
from pathlib import Path

from stressweb.analysis.comparison_text import comparison_lines
from stressweb.core.errors import UserError
from stressweb.core.whole_file import write_atomically
from stressweb.log.run_folder import run_folder
from stressweb.report.junit import cases, check, junit, name_of
from stressweb.runner.api.compare import Compared, compared, replays, side
from stressweb.runner.commands.output import say

MAX_COMMANDS = 10
"""Maximum number of newly failing tasks whose commands are printed; JSON and JUnit list all."""


def compare_runs(
    runs: Sequence[str], baseline: str | None, agents: Sequence[str], runs_dir: Path, output: Path | None,
    *, as_json: bool,
) -> int:  # fmt: skip
    """Compare two runs, print the result and return the exit status, as `status_of` does.

    `runs` are the baseline and the new run, or with `baseline` only the new run. Raises UserError before anything is
    written.
    """
    old, new = _run_names(runs, baseline)
    # Checked before reading two runs.
    if output:
        check(output)
    before, after = side(run_folder(old, runs_dir)), side(run_folder(new, runs_dir))
    comparison = compared(before, after, agents)
    commands = [replays(pair, after.limits) for pair in comparison.comparisons]
    if output:
        suites = {
            name_of(pair): cases(pair, pair_replays)
            for pair, pair_replays in zip(comparison.comparisons, commands, strict=True)
        }
        write_atomically(output, junit(suites))
    if as_json:
        lines = [
            {**pair.model_dump(mode="json"), "replays": pair_replays}
            for pair, pair_replays in zip(comparison.comparisons, commands, strict=True)
        ]
        status = status_of(comparison)
        say(
            json.dumps(
                {"baseline": old, "run": new, "status": status, "agents": lines, "notes": comparison.notes}, indent=2
            )
        )
        return status
    for note in comparison.notes:
        say(f"stressweb: {note}", err=True)
    for pair, pair_replays in zip(comparison.comparisons, commands, strict=True):
        for line in comparison_lines(pair):
            say(line)
        say_failing(pair_replays)
    return status_of(comparison)


def status_of(comparison: Compared) -> int:
    """Return the exit status.

    1 if an agent regressed, 3 if one is not comparable, 4 if one has no verdict because the runs are too small, else 0.
    """
    if any(pair.regressed for pair in comparison.comparisons):
        return 1
    # An agent that is not comparable, or has no verdict, has not passed.
    if not all(pair.comparable for pair in comparison.comparisons):
        return 3
    return 4 if any(pair.undecided for pair in comparison.comparisons) else 0


def say_failing(commands: dict[str, list[str]]) -> None:
    """Print the newly failing tasks, each with the commands that rerun it."""
    for task, task_commands in list(commands.items())[:MAX_COMMANDS]:
        say(f"  newly failing: {task}")
        for command in task_commands:
            say(f"    {command}")
    if len(commands) > MAX_COMMANDS:
        say(f"  and {len(commands) - MAX_COMMANDS} more tasks; --json lists all")


def _run_names(runs: Sequence[str], baseline: str | None) -> tuple[str, str]:
    names = [*([baseline] if baseline else []), *runs]
    if len(names) != 2:
        wanted = "one run besides --baseline" if baseline else "two runs, the baseline first"
        raise UserError(f"compare takes {wanted}, not {len(runs)}: stressweb compare BASELINE NEW")
    return names[0], names[1]
