"""A regression stays open, and the nights fail, until later nights show its end or a person accepts a new baseline."""

from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from stressweb.analysis.nights import Night
from stressweb.core.draws import unit
from stressweb.log.recording import Cell
from stressweb.runner.nightly.night import status_of
from stressweb.runner.nightly.output import write
from tests.runner.nightly.synthetic_nights import SHOP, Stage, failing


def regressed(stage: Stage) -> Night:
    """Record a baseline and regress on night 1."""
    stage.night()
    stage.outcome = failing(*SHOP[:7])
    night = stage.night()
    assert (night.agents[0].outcome, status_of(night)) == ("regressed", 1)
    return night


def failures(stage: Stage) -> dict[str, str]:
    """Return the failures in the JUnit file, by name of the case."""
    write(stage.history)
    cases = ET.parse(stage.history.folder / "junit.xml").getroot().iter("testcase")
    return {case.attrib["name"]: case[0].attrib["message"] for case in cases if case.find("failure") is not None}


def test_a_regression_that_lasts_is_red_every_night(stage: Stage) -> None:
    regressed(stage)
    for _ in range(12):
        night = stage.night()
        assert (night.agents[0].outcome, night.agents[0].outcome_text) == ("regressed", "regressed since night 1")
        assert status_of(night) == 1
    assert failures(stage)["open regression of robustness"].startswith("robustness regressed on night 1; evidence that")
    page = Path(stage.history.folder / "nights.html").read_text()
    assert "resilient: regressed since night 1" in page
    assert page.count('<td class="red">regressed since night 1</td>') == 12


def test_a_lucky_night_does_not_close_it(stage: Stage) -> None:
    regressed(stage)
    for _ in range(3):
        stage.outcome = lambda cell: True
        assert status_of(stage.night()) == 1
        stage.outcome = failing(*SHOP[:7])
        assert status_of(stage.night()) == 1


def test_an_agent_that_is_repaired_closes_it_within_four_nights(stage: Stage) -> None:
    regressed(stage)
    stage.outcome = lambda cell: True
    nights = [stage.night() for _ in range(4)]
    assert [status_of(night) for night in nights] == [1, 1, 1, 0]
    (agent,) = nights[-1].agents
    assert (agent.outcome, agent.closed) == ("unchanged", {"robustness": 1})
    assert agent.outcome_text == "unchanged (36); the regression of night 1 is gone"
    # A rerun on the fresh stress seed confirmed it before it closed.
    assert agent.rerun is not None
    assert failures(stage) == {}
    # Afterwards the chart starts from zero.
    assert status_of(stage.night()) == 0
    stage.outcome = failing(*SHOP[:7])
    assert status_of(stage.night()) == 1


def test_a_repair_only_on_the_nights_seed_leaves_it_open(stage: Stage) -> None:
    regressed(stage)
    stage.outcome = failing(*SHOP[:7], stress=1)
    assert [status_of(stage.night()) for _ in range(10)] == [1] * 10


def test_nights_without_the_tasks_that_failed_do_not_close_it(stage: Stage) -> None:
    regressed(stage)
    for _ in range(8):
        night = stage.night(tasks=tuple(SHOP[7:]))
        assert status_of(night) == 1
    (text,) = night.agents[0].open_text()
    assert "7 of the 7 tasks that failed then have not run since" in text


def test_if_its_tasks_have_changed_only_a_new_baseline_closes_it(stage: Stage) -> None:
    regressed(stage)
    stage.version = lambda cell: "2" if cell.task in SHOP[:7] else ""
    stage.outcome = lambda cell: True
    nights = [stage.night() for _ in range(8)]
    assert {status_of(night) for night in nights} == {1}
    (text,) = nights[-1].agents[0].open_text(nights[-1].left_out.tasks)
    assert text.endswith("cannot be compared any more, so no night can show that it is gone: --new-baseline accepts it")
    night = stage.night(new=True)
    assert (status_of(night), night.accepted) == (0, {"resilient": 1})
    assert status_of(stage.night()) == 0


def test_a_new_baseline_accepts_it(stage: Stage) -> None:
    regressed(stage)
    night = stage.night(new=True)
    assert (status_of(night), night.accepted) == (0, {"resilient": 1})
    assert [status_of(stage.night()) for _ in range(3)] == [0] * 3


def test_a_night_that_is_refused_or_not_comparable_leaves_it_open(stage: Stage) -> None:
    regressed(stage)
    stage.version = "2"
    refused = stage.night()
    assert (refused.run, refused.agents[0].outcome, status_of(refused)) == ("", "not comparable", 1)
    assert "open regression of robustness" in failures(stage)
    stage.version = ""
    stage.outcome = lambda cell: None if cell.task in SHOP[:3] else True
    assert (stage.night().agents[0].outcome, status_of(stage.night())) == ("not comparable", 1)
    stage.outcome = lambda cell: True
    assert [status_of(stage.night()) for _ in range(4)] == [1, 1, 1, 0]


def test_an_agent_that_a_night_leaves_out_stays_open(stage: Stage) -> None:
    both = ("resilient", "naive")
    stage.night(agents=both)
    stage.outcome = lambda cell: cell.agent == "resilient" or cell.condition == "clean"
    assert status_of(stage.night(agents=both)) == 1
    night = stage.night(agents=("resilient",))
    assert {agent.agent: agent.outcome for agent in night.agents} == {"resilient": "unchanged", "naive": "not run"}
    assert (status_of(night), night.agents[1].outcome_text) == (1, "not run; regressed since night 1")
    stage.outcome = lambda cell: True
    assert [status_of(stage.night(agents=both)) for _ in range(4)] == [1, 1, 1, 0]


def test_the_agent_may_have_another_name_every_night(stage: Stage) -> None:
    regressed(stage)
    night = stage.night(agents=("resilient(-retry)",))
    assert night.agents[0].outcome_text == "regressed since night 1"


@pytest.mark.audit
def test_a_flaky_agent_that_loses_twenty_points_stays_red(stage: Stage) -> None:
    """Success rates between 0 and 1 per task, with new draws every night; 20 points worse under stress from night 6."""
    nights = 0
    rates = {task: float(np.sqrt(unit("rate", task))) for task in SHOP}
    lost = 0.0

    def passes(cell: Cell) -> bool:
        rate = rates[cell.task] - (lost if cell.condition != "clean" else 0.0)
        return unit("flaky", cell.key, nights, stage.played[-1][0]) < rate

    stage.outcome = passes
    stage.night()
    statuses = []
    for nights in range(1, 41):
        lost = 0.45 if nights > 5 else 0.0
        statuses.append(status_of(stage.night()))
    assert 1 in statuses
    since = statuses.index(1)
    assert statuses[since:] == [1] * (40 - since)
