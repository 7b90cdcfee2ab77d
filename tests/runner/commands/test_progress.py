"""Progress of a run: a bar on a terminal, otherwise a line every few seconds."""

import io
import threading
from typing import Any

import pytest
from rich.console import Console

from stressweb.core.price import Price
from stressweb.log.recording import Cell
from stressweb.plugins.agent import Usage
from stressweb.runner.commands.progress import Tally, progress
from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.lanes import Lanes
from stressweb.runner.plan.budget import Budget, Spending, priced
from tests.support.waiting import until

ONE, TWO = (
    Cell(agent=f"model(model={name})", task=f"shop/{name}", condition="clean", world=0) for name in ("one", "two")
)
RUNS_TWO = "shop/two · model(model=two) · clean"


def test_a_line_has_counts_time_and_the_running_episode() -> None:
    times = iter([10.0, 12.0, 73.0, 74.0])
    tally = Tally(clock=lambda: next(times))
    tally.expect(4, 1, Lanes(8))
    assert tally.line == "stressweb: 1 of 4 episodes done, 0 failed, 0 errors, 2 s; starting 8 workers"
    tally.started(ONE)
    tally.started(TWO)
    tally.finished(Finished(ONE, "error"))
    pace = "1.0 a minute, about 126 s left"
    assert tally.line == f"stressweb: 2 of 4 episodes done, 0 failed, 1 error, 63 s, {pace}; {RUNS_TWO}"
    tally.started(ONE)
    assert tally.line.endswith("shop/one · model(model=one) · clean · +1")


def test_a_failed_episode_and_what_it_cost_are_counted() -> None:
    tally = Tally(clock=iter([0.0, 60.0]).__next__)
    spending = Spending(Budget(), priced({"one": Price(input=2, output=0)}, {ONE.agent: "one"}))
    tally.expect(3, 0, Lanes(1), spending)
    for success in (True, False):
        spending.add(ONE.agent, Usage(tokens_in=1_000_000))
        tally.finished(Finished(ONE, "done", success=success))
    line = tally.line
    assert "2 of 3 episodes done, 1 failed, 0 errors, 60 s, 2.0 a minute, about 30 s left" in line
    assert "2,000,000 tokens, 4.00 USD; " in line


def test_the_last_phase_is_named() -> None:
    tally = Tally()
    tally.expect(1, 0, Lanes(1))
    assert tally.doing == "starting 1 worker"
    tally.started(ONE)
    tally.finished(Finished(ONE, "done"))
    assert tally.doing == "finishing"


def test_redirected_output_gets_lines_while_episodes_run(capsys: pytest.CaptureFixture[str]) -> None:
    printed = ""
    reads_of_total = [0]

    class CountedTally(Tally):
        def __getattribute__(self, name: str) -> Any:
            reads_of_total[0] += name == "total"
            return super().__getattribute__(name)

    def has_lines(times: int) -> bool:
        nonlocal printed
        printed += capsys.readouterr().err
        return printed.count("\n") >= times

    with progress(quiet=False, every_s=0.01, tally=CountedTally()) as tally:
        tally.phase("checking")
        until(lambda: reads_of_total[0] > 3)
        assert capsys.readouterr().err == "", "errors in the plan must stay a single line"
        tally.expect(2, 0, Lanes(1))
        until(lambda: has_lines(1))
        tally.started(ONE)
        until(lambda: "shop/one" in printed or has_lines(1000))
        tally.finished(Finished(ONE, "done"))
    assert all(line.startswith("stressweb: ") for line in printed.splitlines())
    assert "stressweb: 0 of 2 episodes done, 0 failed, 0 errors, 0 s; starting 1 worker\n" in printed


def test_a_program_gets_none(capsys: pytest.CaptureFixture[str]) -> None:
    threads = threading.active_count()
    with progress(quiet=True, every_s=0.001) as tally:
        tally.expect(1, 0, Lanes(1))
        assert threading.active_count() == threads, "no thread prints progress"
    assert capsys.readouterr() == ("", "")


def test_a_bar_moves_before_anything_is_known_and_shows_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    terminal = Console(file=screen, force_terminal=True, width=100)
    with progress(quiet=False, console=terminal) as tally:
        tally.phase("checking tasks")
        until(lambda: screen.getvalue().count("checking tasks") > 2)
        tally.expect(4, 0, Lanes(2))
        until(lambda: "starting 2 workers" in screen.getvalue())
        tally.started(ONE)
        until(lambda: "shop/one · model(model=one) · clean" in screen.getvalue())
        tally.finished(Finished(ONE, "error"))
        until(lambda: "1/4" in screen.getvalue() and "1 error" in screen.getvalue())


def test_controls_that_fail_are_no_failures_and_those_that_pass_are() -> None:
    null, talker = (ONE.model_copy(update={"agent": name}) for name in ("null", "talker"))
    tally = Tally(clock=iter([0.0, 60.0, 61.0]).__next__)
    tally.must_fail(("null", "talker"))
    tally.expect(4, 0, Lanes(1))
    for cell, success in ((null, False), (null, False), (talker, True), (ONE, False)):
        tally.finished(Finished(cell, "done", success=success))
    assert "4 of 4 episodes done, 2 failed, 2 failed as they must, 0 errors" in tally.line
    tally.must_fail(())
    tally.expect(2, 0, Lanes(1))
    assert "0 of 2 episodes done, 0 failed, 0 errors" in tally.line, "each run of a command has its own counts"
