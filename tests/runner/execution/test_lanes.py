"""The number of episodes at a time: from the options, or from cores, agents and memory."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import UserError
from stressweb.runner.execution.lanes import MODELS, Lanes, chosen, free_memory, most
from stressweb.runner.execution.local import Local
from stressweb.runner.execution.start import Place, lanes_of
from stressweb.runner.plan.experiment import Experiment

GB = 1_000_000_000
amounts = st.none() | st.integers(1, 64)


def test_a_machine_with_two_cores() -> None:
    """A few scripted agents fill the cores, many models wait; memory limits both."""
    assert chosen(None, None, waits=False, cores=2, memory=16 * GB) == (1, 3)
    assert chosen(None, None, waits=True, cores=2, memory=16 * GB) == (1, 32)
    assert chosen(2, None, waits=True, cores=2, memory=16 * GB) == (2, 16)
    assert chosen(None, None, waits=True, cores=2, memory=2 * GB) == (1, 10)
    # Agents with a separate browser process for each episode.
    assert chosen(None, None, waits=True, cores=2, memory=2 * GB, own_browsers=True) == (1, 5)
    assert str(Lanes(2, 3)) == "2 workers, 3 episodes each"
    assert str(Lanes(1)) == "1 worker"


@given(amounts, amounts, st.booleans(), st.booleans(), st.integers(1, 256), st.none() | st.integers(0, 1000 * GB))
def test_defaults_fit_the_memory_and_options_are_kept(
    workers: int | None, in_flight: int | None, waits: bool, own: bool, cores: int, memory: int | None
) -> None:
    try:
        lanes = chosen(workers, in_flight, waits=waits, cores=cores, memory=memory, own_browsers=own)
    except UserError as error:
        assert in_flight is not None
        assert memory is not None
        assert in_flight > most(workers or -(-cores // 4), memory, own_browsers=own)
        # The proposed number is accepted.
        proposed = int(str(error).rpartition("at most ")[2])
        again = chosen(workers, proposed, waits=waits, cores=cores, memory=memory, own_browsers=own)
        assert again.in_flight == proposed
        return
    assert lanes.workers == (workers or -(-cores // 4))
    assert in_flight in (None, lanes.in_flight)
    assert lanes.in_flight >= 1
    if in_flight is None and waits:
        assert lanes.in_flight <= max(1, round(MODELS / lanes.workers))
    if memory is not None and lanes.in_flight > 1:
        assert lanes.in_flight <= most(lanes.workers, memory, own_browsers=own)


def test_more_than_the_memory_allows_is_one_line() -> None:
    message = (
        "--in-flight 200: 2 workers with 200 episodes in flight each need about 61.0 GB of memory, and 8.0 GB are free"
    )
    with pytest.raises(UserError, match=re.escape(f"{message}; give at most 23")):
        chosen(2, 200, waits=True, cores=2, memory=8 * GB)


def test_free_memory_is_plausible_or_unknown() -> None:
    memory = free_memory()
    assert memory is None or 10_000_000 < memory < 1 << 50


@pytest.mark.parametrize(("command", "own"), [((), False), (("mine=true",), True)])
def test_a_run_of_programs_plans_a_browser_for_each_episode(command: tuple[str, ...], own: bool) -> None:
    class CheckedLocal(Local):
        def lanes(
            self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False
        ) -> Lanes:
            assert own_browsers is own
            return Lanes(1)

    experiment = Experiment(agents=("naive",), agent_commands=command, tasks=("shop/first-hit",))
    assert lanes_of(experiment, experiment.plan(), Place(), CheckedLocal()) == (1, 1)
