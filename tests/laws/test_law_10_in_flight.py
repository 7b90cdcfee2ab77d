"""Law 10: what an episode records does not depend on what else is in flight.

The pages, actions, ledger, grade and order of events of every episode are compared with those of a run that has one
episode at a time, all but the times.
"""

from pathlib import Path
from typing import Any

import pytest

from runner.api import run
from runner.plan.file import read_experiment
from stressweb.log.store import FILE, Store

pytestmark = pytest.mark.long

EXPERIMENT = """
agents: [naive, resilient]
conditions: [clean, "remap@3+popup@3", "failure@3+noise@3", chaos@3]
tasks: [%s]
screenshots: false
"""
FEW = "shop/first-hit, tasks/postpone-one"
MANY = f"{FEW}, mail/find-by-sender-and-day, calendar/week-view, files/upload-the-invoices, network/oldest-unread"


def content(folder: Path, tasks: str, in_flight: int) -> dict[str, dict[str, Any]]:
    """Return what a run of so many episodes at a time has recorded, by cell."""
    (folder / "experiment.yaml").write_text(EXPERIMENT % tasks)
    experiment = read_experiment(folder / "experiment.yaml")
    run(experiment, name=f"with-{in_flight}", runs_dir=folder, workers=1, in_flight=in_flight)
    with Store.open(folder / f"with-{in_flight}" / FILE) as store:
        store.check_whole()
        return store.content()


def compare(folder: Path, tasks: str, counts: tuple[int, ...]) -> None:
    alone = content(folder, tasks, 1)
    for count in counts:
        together = content(folder, tasks, count)
        assert together.keys() == alone.keys()
        for key, episode in alone.items():
            assert together[key] == episode, f"{key} differs with {count} in flight"


def test_an_episode_is_the_same_alone_and_among_eight(tmp_path: Path) -> None:
    compare(tmp_path, FEW, (8,))


@pytest.mark.audit
@pytest.mark.timeout(900)
def test_an_episode_is_the_same_among_two_eight_and_thirty_two(tmp_path: Path) -> None:
    compare(tmp_path, MANY, (2, 8, 32))
