"""Law 8: chains are solvable in the browser, clean and disturbed; an episode reaches the hosts of its chain alone."""

import pytest

from stressweb.perturbations import MODES
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation
from stressweb.runner.registry import chain_ids
from tests.support.playing import Player, two_of

STRESSED = [f"{mode}@3" for mode in MODES]


@pytest.mark.audit
@pytest.mark.parametrize("chain", chain_ids())
def test_a_chain_is_solved(play: Player, chain: str, seed: int) -> None:
    """The agent sees the goal, the steps' words and the page; every part of the chain is graded."""
    for label in ("clean", *two_of(STRESSED, seed, chain)):
        record = play("resilient", chain, label)
        assert record.grade is not None
        assert record.grade.success, (label, record.message, record.grade)
        goal = play.goal(chain)
        assert {name.partition(".")[0] for name in record.grade.passed} == {str(part.number) for part in goal.parts}
        bypasses = [entry for entry in record.ledger if entry.phase == "bypass"]
        assert not bypasses, f"{label}: going to a part's site is no bypass"


class Astray(Agent):
    """Navigates to its URLs one after the other, then claims done."""

    name = "astray"

    def __init__(self, *urls: str) -> None:
        """Take the URLs."""
        self._urls = list(urls)

    def act(self, observation: Observation) -> Action:
        """Navigate to the next URL."""
        return Action(kind="NAVIGATE", url=self._urls.pop(0)) if self._urls else Action(kind="DONE", message="there")


def test_other_hosts_are_refused(play: Player) -> None:
    """An episode may visit the sites of its chain; addresses other than their first pages count as bypasses."""
    chain = "chains/a-date-and-a-letter"
    goal = play.goal(chain)
    foreign = f"http://{play.library.world('shop', 0).host}/"
    inside = goal.parts[1].address + "sent"
    with pytest.raises(AssertionError, match="blocked"):
        play(Astray(foreign), chain)
    record = play(Astray(goal.parts[1].address, inside), chain)
    assert [entry.detail for entry in record.ledger if entry.phase == "bypass"] == [inside]
