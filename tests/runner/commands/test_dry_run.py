"""`stressweb run --dry-run`: the plan, its statistical power, and a warning if its name is taken."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from stressweb.analysis.power import tasks_needed
from tests.runner.commands.command_line import Result


def test_a_dry_run_says_what_its_plan_can_detect(call: Callable[..., Result]) -> None:
    _, out, _ = call("run", "--dry-run", "--mode", "remap,noise,sham", "--limit", "12", "--epochs", "3")
    # The first two tasks of a site may be of one family.
    assert re.search(r"12 tasks( of 1\d families)? with 3 episodes of each in each condition", out)
    assert "adjusted for 2 conditions" in out
    for repeats in (1, 3, 5):
        needed = [f"{tasks_needed(loss, repeats, 2):,}" for loss in (0.05, 0.10, 0.15)]
        assert re.search(rf"{repeats} episodes?\s+" + r"\s+".join(needed), out)
    _, out, _ = call("run", "--dry-run", "--mode", "clean", "--limit", "1")
    assert "Power" not in out


def test_a_name_that_is_taken_is_warned_of(call: Callable[..., Result], existing: Path) -> None:
    options = ("run", "--dry-run", "--limit", "1", "--mode", "clean", "--agent", "naive")
    status, out, err = call(*options, "--run", "old")
    assert (status, err.count("\n")) == (0, 1)
    assert "run runs/old exists already, so this command would fail without --dry-run; choose another name" in err
    assert out
    assert call(*options, "--run", "new")[2] == ""
    assert call("run", "--dry-run", "--run", "old", "--resume")[2] == ""


OPTIONS = ("run", "--dry-run", "--limit", "2", "--mode", "remap", "--agent", "naive")


def test_a_dry_run_prints_its_summary_and_the_episodes_only_if_asked(call: Callable[..., Result]) -> None:
    plain = call(*OPTIONS)[1].splitlines()
    assert plain[0].startswith("4 episodes in 2 blocks, plan ")
    assert plain[-1] == "Use --verbose to list the episodes, or --json to print the whole plan"
    assert not any("  naive  " in line for line in plain)
    listed = call(*OPTIONS, "--verbose")[1].splitlines()
    assert [line.split()[1:3] for line in listed[:4]] == [["naive", "clean"], ["naive", "remap@3"]] * 2
    assert listed[4:] == ["", *plain[:-1]], "the summary comes last"
    assert len(json.loads(call(*OPTIONS, "--json")[1])["cells"]) == 4


def test_verbose_belongs_to_a_dry_run(call: Callable[..., Result]) -> None:
    status, out, err = call("run", "--limit", "1", "--verbose")
    assert (status, out) == (2, "")
    assert err == "stressweb: --verbose prints the episodes of a plan; use it with --dry-run\n"
