"""`stressweb compare`: a run against a baseline, in words, as JSON and as JUnit XML."""

import json
from collections.abc import Sequence
from pathlib import Path

from runner.api.compare import Compared, compared, replays, side
from runner.commands.output import say
from stressweb.analysis.comparison_text import comparison_lines
from stressweb.core.errors import UserError
from stressweb.core.whole_file import write_atomically
from stressweb.log.run_folder import run_folder
from stressweb.report.junit import cases, check, junit, name_of

SHOWN = 10
"""Tasks that newly fail, of which the terminal shows the command; JSON and JUnit have all."""


def compare_runs(
    runs: Sequence[str], baseline: str | None, agents: Sequence[str], runs_dir: Path, output: Path | None,
    *, as_json: bool,
) -> int:  # fmt: skip
    """Compare two runs, print the result and return the exit status, as `status_of` does.

    `runs` are baseline and new run, or the new run alone if `baseline` names the other. Raises UserError before
    anything is written.
    """
    old, new = _named(runs, baseline)
    # Reports a file that cannot be written before two runs are read.
    if output:
        check(output)
    before, after = side(run_folder(old, runs_dir)), side(run_folder(new, runs_dir))
    found = compared(before, after, agents)
    commands = [replays(one, after.limits) for one in found.comparisons]
    if output:
        suites = {name_of(one): cases(one, again) for one, again in zip(found.comparisons, commands, strict=True)}
        write_atomically(output, junit(suites))
    if as_json:
        lines = [
            {**one.model_dump(mode="json"), "replays": again}
            for one, again in zip(found.comparisons, commands, strict=True)
        ]
        status = status_of(found)
        say(
            json.dumps({"baseline": old, "run": new, "status": status, "agents": lines, "notes": found.notes}, indent=2)
        )
        return status
    for note in found.notes:
        say(f"stressweb: {note}", err=True)
    for one, again in zip(found.comparisons, commands, strict=True):
        for line in comparison_lines(one):
            say(line)
        say_failing(again)
    return status_of(found)


def status_of(found: Compared) -> int:
    """Return the exit status of comparisons.

    1 for a regression, 3 if any is not comparable, 4 if any has no verdict because the runs are too small, else 0.
    """
    if any(one.regressed for one in found.comparisons):
        return 1
    # An agent that could not be compared has not passed, nor has one of which too little is known.
    if not all(one.comparable for one in found.comparisons):
        return 3
    return 4 if any(one.undecided for one in found.comparisons) else 0


def say_failing(commands: dict[str, list[str]]) -> None:
    """Print the tasks that newly fail, each with the commands that run it again."""
    for task, again in list(commands.items())[:SHOWN]:
        say(f"  newly failing: {task}")
        for command in again:
            say(f"    {command}")
    if len(commands) > SHOWN:
        say(f"  and {len(commands) - SHOWN} tasks more; --json lists all")


def _named(runs: Sequence[str], baseline: str | None) -> tuple[str, str]:
    given = [*([baseline] if baseline else []), *runs]
    if len(given) != 2:
        wanted = "one run beside --baseline" if baseline else "two runs, the baseline first"
        raise UserError(f"compare takes {wanted}; {len(runs)} given: stressweb compare BASELINE NEW")
    return given[0], given[1]
