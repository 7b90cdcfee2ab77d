"""A run in which every episode fails stops with the reason."""

from collections.abc import Sequence

import pytest

from stressweb.log.recording import Cell
from stressweb.runner.execution.backend import Finished
from stressweb.runner.execution.outage import FIRST, OutageGate
from stressweb.runner.plan.budget import Gate, Gates


def ended(status: str, agent: str = "model", *, closed: bool = False) -> Finished:
    cell = Cell(agent=agent, task="shop/one", condition="clean", world=0)
    return Finished(cell, status, f"{agent} is down", ends_run=closed)


def gate(episodes: Sequence[Finished]) -> OutageGate:
    outage_gate = OutageGate()
    for episode in episodes:
        assert not outage_gate.shut
        outage_gate.finished(episode)
    return outage_gate


ERROR, DONE = ended("error"), ended("done")


@pytest.mark.parametrize(
    ("episodes", "reason"),
    [
        ([ERROR] * (FIRST - 1), ""),
        ([ERROR] * FIRST, f"the first {FIRST} episodes all ended in an error, the last: model is down"),
        ([DONE, *[ERROR] * 20], ""),
        ([*[ERROR] * (FIRST - 1), ended("crashed"), *[ERROR] * 9], ""),
        ([ended("error", str(n)) for n in range(FIRST)], f"the first {FIRST} episodes all ended in an error, the last: 4"),
        (
            [episode for _ in range(FIRST) for episode in (ended("done", "naive"), ERROR)],
            f"of model, the first {FIRST} episodes all ended in an error, the last: model is down",
        ),
        ([DONE, DONE, ended("error", closed=True)], "model is down"),
    ],
)  # fmt: skip
def test_a_run_stops_when_an_endpoint_closes_or_its_first_episodes_are_errors(
    episodes: list[Finished], reason: str
) -> None:
    outage_gate = gate(episodes)
    assert outage_gate.reason.startswith(reason) if reason else not outage_gate.reason
    assert outage_gate.shut is bool(reason)


def test_several_gates_are_shut_when_one_is() -> None:
    class Shut(Gate):
        @property
        def shut(self) -> bool:
            return True

    assert (Gates(Gate(), Gate()).shut, Gates(Gate(), Shut()).shut) == (False, True)
    assert not Gates(Gate(), Shut()).overdue


def test_later_episodes_do_not_change_the_reason() -> None:
    outage_gate = gate([ended("error", closed=True)])
    outage_gate.finished(ended("error", "other", closed=True))
    assert outage_gate.reason == "model is down"
