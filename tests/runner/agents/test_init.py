import pytest

from stressweb.core.errors import UserError
from stressweb.plugins.agent import Brief, Observation
from stressweb.runner import agents
from stressweb.runner.agents.naive import Naive
from stressweb.runner.agents.planner import Planner
from stressweb.runner.agents.resilient import Resilient
from tests.support.next_action import next_action


def test_names_are_those_of_the_folder() -> None:
    assert {"naive", "null", "resilient", "talker", "wander"} <= set(agents.REGISTRY.names())


def test_a_name_alone_gives_every_ability() -> None:
    agent = agents.make("resilient")
    assert isinstance(agent, Resilient)
    assert all(getattr(agent, ability) for ability in agents.abilities("resilient"))
    assert agent.wants == {"boxes"}


def test_abilities_are_switched_off_and_options_set() -> None:
    agent = agents.make(" resilient( -gesture, pointer=tree, retry=off ) ")
    assert isinstance(agent, Resilient)
    assert (agent.verify, agent.retry, agent.gesture, agent.search) == (True, False, False, True)
    assert agent.wants == {"tree"}


def test_an_agent_has_the_options_of_its_base_that_it_passes_on() -> None:
    agent = agents.make("planner(-marks, model=small, budget=9)")
    assert isinstance(agent, Planner)
    assert (agent.marks, agent.model, agent.wants) == (False, "small", frozenset({"screenshots"}))
    assert agents.make("planner(model=small)").wants == {"screenshots", "boxes"}
    with pytest.raises(UserError, match=r"unknown option 'mark=on'; did you mean -marks\?"):
        agents.make("planner(mark=on)")


def test_abilities_are_what_can_be_switched_off() -> None:
    assert agents.abilities("resilient") == ["verify", "retry", "gesture", "popups", "search"]
    assert agents.abilities("null") == []


def test_the_tree_pointer_wants_only_the_tree() -> None:
    assert agents.make("resilient(pointer=tree)").wants == {"tree"}


def test_each_call_gives_a_fresh_agent() -> None:
    assert isinstance(agents.make("naive"), Naive)
    assert agents.make("naive") is not agents.make("naive")


@pytest.mark.parametrize(
    ("spec", "named", "choices"),
    [
        ("naif", "naif", "did you mean naive?"),
        ("resiliant", "resiliant", "did you mean resilient?"),
        ("resilient(-serch)", "-serch", "did you mean -search? There are -verify"),
        ("resilient(-luck)", "-luck", "-verify, -retry, -gesture, -popups, -search, pointer=selector"),
        ("resilient(-pointer)", "-pointer", "-verify"),
        ("resilient(pointer=eye)", "eye", "selector|coordinates|tree"),
        ("resilient(retry=maybe)", "maybe", "on|off"),
        ("null(-verify)", "-verify", "there are none"),
        ("resilient(-verify", "resilient(-verify", "did you mean resilient?"),
        ("", "''", "stressweb list agents"),
    ],
)
def test_a_mistake_is_named_with_the_choices(spec: str, named: str, choices: str) -> None:
    with pytest.raises(UserError) as caught:
        agents.make(spec)
    assert named in str(caught.value)
    assert choices in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "kind"), [("null", "FAIL"), ("talker", "DONE")])
def test_the_controls_end_at_once(name: str, kind: str) -> None:
    agent = agents.make(name)
    agent.start(Brief(goal="Buy a cup.", start_url="http://shop.test/"))
    action = next_action(agent, Observation(url="http://shop.test/", html="<html></html>"))
    assert action.kind == kind
    assert action.message
