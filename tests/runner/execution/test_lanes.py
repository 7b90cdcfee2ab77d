"""How many episodes run at a time: what is asked for, or what cores, agents and memory allow."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.execution.lanes import MODELS, Lanes, chosen, free_memory, most
from runner.execution.local import Local
from runner.execution.start import Place, lanes_of
from runner.plan.experiment import Experiment
from stressweb.core.errors import UserError

GB = 1_000_000_000
amounts = st.none() | st.integers(1, 64)


def test_a_desk_with_two_cores() -> None:
    """As scripted agents keep them busy, and as many as models wait for; each bounded by the memory."""
    assert chosen(None, None, waits=False, cores=2, memory=16 * GB) == (1, 3)
    assert chosen(None, None, waits=True, cores=2, memory=16 * GB) == (1, 32)
    assert chosen(2, None, waits=True, cores=2, memory=16 * GB) == (2, 16)
    assert chosen(None, None, waits=True, cores=2, memory=2 * GB) == (1, 10)
    # Agents with a browser process of their own for each episode.
    assert chosen(None, None, waits=True, cores=2, memory=2 * GB, own_browsers=True) == (1, 5)
    assert str(Lanes(2, 3)) == "2 workers, 3 episodes each"
    assert str(Lanes(1)) == "1 worker"


@given(amounts, amounts, st.booleans(), st.booleans(), st.integers(1, 256), st.none() | st.integers(0, 1000 * GB))
def test_what_is_chosen_fits_and_what_is_asked_for_is_kept(
    workers: int | None, in_flight: int | None, waits: bool, own: bool, cores: int, memory: int | None
) -> None:
    try:
        found = chosen(workers, in_flight, waits=waits, cores=cores, memory=memory, own_browsers=own)
    except UserError as error:
        assert in_flight is not None
        assert memory is not None
        assert in_flight > most(workers or -(-cores // 4), memory, own_browsers=own)
        # What the message proposes is accepted.
        proposed = int(str(error).rpartition("at most ")[2])
        again = chosen(workers, proposed, waits=waits, cores=cores, memory=memory, own_browsers=own)
        assert again.in_flight == proposed
        return
    assert found.workers == (workers or -(-cores // 4))
    assert in_flight in (None, found.in_flight)
    assert found.in_flight >= 1
    if in_flight is None and waits:
        assert found.in_flight <= max(1, round(MODELS / found.workers))
    if memory is not None and found.in_flight > 1:
        assert found.in_flight <= most(found.workers, memory, own_browsers=own)


def test_more_than_the_memory_allows_is_one_line() -> None:
    said = (
        "--in-flight 200: 2 workers with 200 episodes in flight each need about 61.0 GB of memory, and 8.0 GB are free"
    )
    with pytest.raises(UserError, match=re.escape(f"{said}; give at most 23")):
        chosen(2, 200, waits=True, cores=2, memory=8 * GB)


def test_the_memory_of_this_machine_is_known_or_is_not() -> None:
    found = free_memory()
    assert found is None or 10_000_000 < found < 1 << 50


@pytest.mark.parametrize(("command", "own"), [((), False), (("mine=true",), True)])
def test_a_run_of_programs_reckons_with_a_browser_for_each_episode(command: tuple[str, ...], own: bool) -> None:
    class Asked(Local):
        def lanes(
            self, workers: int | None, in_flight: int | None, *, waits: bool, own_browsers: bool = False
        ) -> Lanes:
            assert own_browsers is own
            return Lanes(1)

    experiment = Experiment(agents=("naive",), agent_commands=command, tasks=("shop/first-hit",))
    assert lanes_of(experiment, experiment.plan(), Place(), Asked()) == (1, 1)
