"""Law 7: the ledger has what was planned, delivered, met and overcome, joined to steps."""

from urllib.parse import urljoin

import pytest

from stressweb.log.recording import EpisodeRecord
from stressweb.perturbations import MODES, mode
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Observation
from stressweb.plugins.perturbation import Stage
from stressweb.runner.outcome.results import exposed
from tests.support.playing import Player

TASK = "shop/two-of-a-named-product"
CHANGES = [name for name in MODES if mode(name).stage is Stage.PERCEPTION]
"""Modes that change the page, so there is nothing to overcome."""


class Straight(Agent):
    """Goes straight to a page by its address."""

    name = "straight"

    def act(self, observation: Observation) -> Action:
        if not observation.history:
            return Action(kind="NAVIGATE", url=urljoin(observation.url, "/all"))
        return Action(kind="DONE")


def phases(record: EpisodeRecord, mode: str) -> list[str]:
    return [entry.phase for entry in record.ledger if entry.mode == mode]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", MODES)
def test_no_mode_silently_does_nothing(play: Player, name: str) -> None:
    # Chance may spare one short episode, but not six in a row.
    records = (play.recall("naive", TASK, f"{name}@5", stress_seed=stress) for stress in range(6))
    record = next(record for record in records if "delivered" in phases(record, name))
    assert exposed(record.ledger, [name]) == {name: True}
    assert "planned" in phases(record, name)
    # The engine reported no false claim and no page without a script.
    assert phases(record, "engine") == []


@pytest.mark.sample(1, "agents")
@pytest.mark.parametrize("name", [name for name in MODES if name not in CHANGES])
def test_every_hit_is_overcome_by_an_agent_that_succeeds(play: Player, name: str) -> None:
    record = play("resilient", TASK, f"{name}@5")
    assert record.grade is not None
    assert record.grade.success
    hit, overcome = (
        {(entry.element, entry.detail) for entry in record.ledger if (entry.mode, entry.phase) == (name, phase)}
        for phase in ("delivered", "overcome")
    )
    assert hit == overcome


def test_lines_are_joined_to_the_actions_that_they_are_about(play: Player) -> None:
    record = play.recall("naive", TASK, "remap@5")
    delivered = [entry for entry in record.ledger if entry.phase == "delivered"]
    assert delivered
    for entry in delivered:
        action = record.steps[entry.step].action
        assert action is not None
        assert action.kind in ("CLICK", "CHECK", "UNCHECK", "PRESS")
    assert [entry.step for entry in record.ledger] == sorted(entry.step for entry in record.ledger)


@pytest.mark.sample(1, "agents")
@pytest.mark.parametrize("name", MODES)
def test_a_cell_without_delivery_is_not_exposed(play: Player, name: str) -> None:
    record = play("naive", TASK, f"{name}@0")
    assert record.grade is not None
    assert record.grade.success
    assert exposed(record.ledger, [name]) == {name: False}


def test_an_agent_that_does_nothing_met_nothing(play: Player) -> None:
    record = play("null", TASK, "remap@5")
    assert phases(record, "remap") == ["planned"]
    assert exposed(record.ledger, ["remap"]) == {"remap": False}


def test_a_detour_by_address_is_written_down(play: Player) -> None:
    record = play(Straight(), TASK, "clean")
    assert [(entry.phase, entry.detail) for entry in record.ledger] == [
        ("bypass", urljoin(record.steps[0].page.url, "/all"))
    ]


@pytest.mark.sample(1, "agents")
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_page_is_met_by_the_action_after_it(play: Player, name: str) -> None:
    record = play("naive", TASK, f"{name}@3")
    met = [entry.step for entry in record.ledger if entry.phase == "met"]
    assert met == list(range(1, len(record.steps) - 1))
