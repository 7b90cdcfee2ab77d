"""The scripted agents under the modes that ship, through the real proxy, on a site of one page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from scripts.waited import Observer, Recorder, perform, settle
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.perturbations import MODES
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Brief
from stressweb.runner.agents import make
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.next_action import next_action
from tests.support.toy import Toy
from tests.support.toy_steps import STEPS, WANTED

pytestmark = pytest.mark.sample(2, "file")


type Run = Callable[[str, str], tuple[str, list[str]]]


@pytest.fixture
def run(world: World, visit: Callable[[EpisodeWorld], Page]) -> Run:
    """Run an agent under a condition; return the kind of its last action and the forms that the site received."""

    def _run(spec: str, condition: str) -> tuple[str, list[str]]:
        episode = world.open(Toy(), parse(condition, MODES)[0], Seeds(0, 1, "toy/save"))
        page = visit(episode)
        agent = make(spec)
        agent.start(Brief(goal="", start_url=episode.start_url, steps=STEPS))
        observer = Observer(agent.wants, recorder=Recorder(episode))
        history: list[tuple[Action, Outcome]] = []
        while len(history) < 100 and not (history and history[-1][0].final):
            settle(page, episode)
            action = next_action(agent, observer.read(page, history))
            episode.begin(len(history) + 1)
            history.append((action, perform(page, action)))
        sent = [row["body"] for change in episode.final().values() for row in change.added]
        assert episode.faults() == []
        episode.close()
        return history[-1][0].kind, sent

    return _run


@pytest.mark.parametrize("condition", ["remap@3", "failure@3"])
def test_naive_claims_more_than_it_did(run: Run, condition: str) -> None:
    kind, sent = run("naive", condition)
    assert kind == "DONE"
    assert sent != [WANTED]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "condition", [*(f"{name}@5" for name in MODES), "popup(rate=1)", "remap@5+failure@5+noise@5+popup@5"]
)
@pytest.mark.parametrize("pointer", ["selector", "coordinates", "tree"])
def test_resilient_does_it_once(run: Run, condition: str, pointer: str) -> None:
    assert run(f"resilient(pointer={pointer})", condition) == ("DONE", [WANTED])


@pytest.mark.audit
def test_resilient_without_an_answer_to_pop_ups_fails_and_says_so(run: Run) -> None:
    assert run("resilient(-popups)", "popup(rate=1)") == ("FAIL", [])


def test_resilient_without_another_gesture_fails_and_says_so(run: Run) -> None:
    assert run("resilient(-gesture)", "remap@5") == ("FAIL", [])
