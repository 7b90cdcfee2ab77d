"""Law 10: the recording of an episode does not depend on other episodes in flight.

Pages, actions, ledger, grade and order of events of every episode, but not its times, are compared with those of a run
with one episode at a time. One kind of page is left out under `chaos`: a mail's text is in a frame as high as the text,
and whether the frame is fitted before or after it is disturbed depends on the machine.
"""

from pathlib import Path
from typing import Any

import pytest

from scripts.same_runs import differences
from stressweb.log.store import FILE, Store
from stressweb.runner.api.run import run
from stressweb.runner.plan.file import read_experiment

pytestmark = pytest.mark.long

EXPERIMENT = """
agents: [%s]
conditions: [clean, %s]
tasks: [%s]
screenshots: false
"""
GESTURES = '"remap@3+popup@3", "failure@3+noise@3"'
FEW = "shop/first-hit"
PLAIN = f"{FEW}, tasks/postpone-one, calendar/week-view, files/upload-the-invoices, network/oldest-unread"
MANY = f"{PLAIN}, mail/find-by-sender-and-day"


def content(folder: Path, experiment_text: str, in_flight: int) -> dict[str, dict[str, Any]]:
    """Return the recordings of a run with `in_flight` episodes at a time, by cell."""
    (folder / "experiment.yaml").write_text(experiment_text)
    experiment = read_experiment(folder / "experiment.yaml")
    name = f"with-{in_flight}"
    for attempt in range(5):
        run(experiment, name=name, runs_dir=folder, workers=1, in_flight=in_flight, resume=attempt > 0)
        with Store.open(folder / name / FILE) as store:
            # With 32 at a time the machine is too slow for some actions, which makes their episodes errors.
            if not store.pending():
                store.check_whole()
                return store.content()
    raise AssertionError(f"errors are left with {in_flight} in flight")


def compare(folder: Path, agents: str, conditions: str, tasks: str, counts: tuple[int, ...]) -> None:
    experiment_text = EXPERIMENT % (agents, conditions, tasks)
    alone = content(folder, experiment_text, 1)
    for count in counts:
        in_flight_content = content(folder, experiment_text, count)
        assert in_flight_content.keys() == alone.keys()
        for key, episode in alone.items():
            # Whole episodes are compared; the differences are for the message.
            if in_flight_content[key] != episode:
                pytest.fail(f"{key} differs with {count} in flight: {[*differences(episode, in_flight_content[key])]}")


def test_an_episode_is_the_same_alone_and_among_four(tmp_path: Path) -> None:
    compare(tmp_path, "resilient", f"{GESTURES}, chaos@3", FEW, (4,))


@pytest.mark.audit
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("conditions", "tasks"), [(GESTURES, MANY), ("chaos@1, chaos@5", PLAIN)])
def test_an_episode_is_the_same_among_two_eight_and_thirty_two(tmp_path: Path, conditions: str, tasks: str) -> None:
    compare(tmp_path, "naive, resilient", conditions, tasks, (2, 8, 32))
