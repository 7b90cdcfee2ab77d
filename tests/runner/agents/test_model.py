"""The agent `model`: invalid answers, the requests it sends, and checks before a run."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stressweb.core.errors import EndpointClosedError, InfrastructureError, UserError
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Brief, Observation, Usage
from stressweb.plugins.observation_source import SourceValues
from stressweb.plugins.scripted_model import Reply, ScriptedModel, act, fail, raw, say
from stressweb.runner.agents import make, parse
from stressweb.runner.agents.model import Model
from stressweb.runner.registry import SOURCES
from tests.support.isolated_plugins import isolate_plugins
from tests.support.made_up_sources import Links

OBSERVATION = Observation("http://shop.test/", "<html><body><h1>Lamps</h1></body></html>", tree='- heading "Lamps"')
BRIEF = Brief(goal="Buy a lamp.", start_url="http://shop.test/", seed=7)
CLICK = Action(kind="CLICK", selector="a", reasoning="because")

type Ask = Callable[..., tuple[Model, ScriptedModel]]


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """Start an agent whose model gives these replies, on loopback and without a key."""

    def _ask(*replies: Reply, spec: str = "model(model=small,retries=0)") -> tuple[Model, ScriptedModel]:
        server = ScriptedModel(*replies)
        servers.append(server)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        agent = make(spec)
        assert isinstance(agent, Model)
        agent.start(BRIEF)
        return agent, server

    servers: list[ScriptedModel] = []
    yield _ask
    for server in servers:
        server.__exit__()


def test_an_answer_is_an_action(ask: Ask) -> None:
    agent, server = ask(say(act("CLICK", selector="a")))
    assert agent.act(OBSERVATION) == CLICK
    assert (agent.usage.tokens_in, agent.usage.tokens_out, agent.usage.tries) == (100, 7, 1)
    (body,) = server.bodies
    assert (body["model"], body["temperature"], body["seed"]) == ("small", 0.0, 7)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert server.exchanges[0].path == "/v1/chat/completions"


def test_an_invalid_answer_goes_back_to_the_model(ask: Ask) -> None:
    agent, server = ask(say("I would click."), say(act("CLICK", selector="a")))
    assert agent.act(OBSERVATION) == CLICK
    *_, mine, correction = server.bodies[1]["messages"]
    assert (mine["role"], mine["content"]) == ("assistant", "I would click.")
    assert correction["role"] == "user"
    assert "it is not JSON" in correction["content"]
    assert (agent.usage.tokens_in, agent.usage.tokens_out, agent.usage.tries) == (200, 14, 2)
    (rejected,) = agent.usage.rejected
    assert rejected.startswith("it is not JSON")
    assert rejected.endswith("I would click.")


def test_three_invalid_answers_in_a_row_are_the_agents_failure(ask: Ask) -> None:
    agent, server = ask(say("a"), say(None), say('{"action_type": "TAP"}'), say(act("DONE")))
    action = agent.act(OBSERVATION)
    assert action.kind == "FAIL"
    assert (action.message or "").startswith("3 answers in a row were no action, the last because action_type is 'TAP'")
    assert agent.usage.unanswered == agent.usage.rejected[0]
    assert agent.usage.unanswered.startswith("it is not JSON")
    assert agent.usage.unanswered.endswith(": a")
    assert len(server.exchanges) == 3
    assert len(agent.usage.rejected) == 3
    assert agent.usage.tokens_out == 21


def test_invalid_answers_do_not_add_up_over_steps(ask: Ask) -> None:
    agent, server = ask(say("a"), say("b"), say(act("WAIT")), say("c"), say("d"), say(act("DONE")))
    assert [agent.act(OBSERVATION).kind for _ in range(2)] == ["WAIT", "DONE"]
    assert [len(body["messages"]) for body in server.bodies] == [2, 4, 6, 2, 4, 6]
    assert len(agent.usage.rejected) == 2, "usage is that of the last decision"


WRAPPED = f"<think>Which?</think> I click: {act('CLICK', selector='a')}"


def test_an_answer_in_other_text_is_taken_and_counted(ask: Ask) -> None:
    agent, server = ask(say(WRAPPED), say(act("CLICK", selector="a")))
    assert agent.act(OBSERVATION) == CLICK
    assert (agent.usage.unwrapped, agent.usage.rejected) == (("thoughts, text around it",), ())
    assert agent.act(OBSERVATION) == CLICK
    assert agent.usage.unwrapped == (), "usage is that of the last decision"
    assert len(server.exchanges) == 2


def test_a_strict_agent_refuses_an_answer_in_other_text(ask: Ask) -> None:
    agent, server = ask(say(WRAPPED), say(act("CLICK", selector="a")), spec="model(model=small,strict=on)")
    assert agent.act(OBSERVATION) == CLICK
    assert (len(agent.usage.rejected), agent.usage.unwrapped) == (1, ())
    assert "it is not JSON" in server.bodies[1]["messages"][-1]["content"]


def test_a_tool_call_is_accepted_and_an_invalid_one_goes_back_as_text(ask: Ask) -> None:
    def call(name: str) -> Reply:
        function = {"name": name, "arguments": '{"selector": "a", "reasoning": "because"}'}
        message = {"content": None, "tool_calls": [{"function": function}]}
        return raw(json.dumps({"choices": [{"message": message}]}).encode())

    agent, server = ask(call("TAP"), call("CLICK"))
    assert agent.act(OBSERVATION) == CLICK
    assert server.bodies[1]["messages"][-2]["content"].startswith('{"name": "TAP"')
    assert agent.usage.unwrapped == ("tool call",)


def test_an_answer_that_is_cut_off_goes_back_with_the_reason(ask: Ask) -> None:
    choice = {"finish_reason": "length", "message": {"content": act("CLICK", selector="a")[:20]}}
    agent, server = ask(raw(json.dumps({"choices": [choice]}).encode()), say(act("CLICK", selector="a")))
    assert agent.act(OBSERVATION) == CLICK
    assert "it was cut off at the largest length of an answer" in server.bodies[1]["messages"][-1]["content"]
    assert agent.usage.rejected[0].startswith("it was cut off")


def test_the_cost_of_a_failed_decision_is_known(ask: Ask) -> None:
    agent, _ = ask(say("no"), fail(400, "images are not supported"), fail(402, "no credits left"))
    with pytest.raises(EndpointClosedError, match="status 402: no credits left"):
        agent.act(replace(OBSERVATION, screenshots=(b"now",)))
    assert (agent.usage.tries, agent.usage.tokens_in, agent.usage.dropped) == (3, 100, ("screenshots",))
    assert len(agent.usage.rejected) == 1


def test_a_model_that_does_not_answer_is_infrastructure(ask: Ask) -> None:
    agent, _ = ask(fail(500))
    with pytest.raises(InfrastructureError, match="did not answer in 1 tries"):
        agent.act(OBSERVATION)


def test_a_question_that_never_fits_is_the_agents_failure(ask: Ask) -> None:
    agent, _ = ask(fail(400, "maximum context length is 5 tokens"))
    action = agent.act(OBSERVATION)
    assert action.kind == "FAIL"
    assert "exceeds the model's context length" in (action.message or "")


def test_requests_are_the_same_for_the_same_observation_and_seed(ask: Ask) -> None:
    history = ((CLICK, Outcome(ok=True)),)
    seen = replace(OBSERVATION, history=history, screenshots=(b"now", b"before"))
    sent = []
    for _ in range(2):
        agent, server = ask(say(act("DONE")))
        agent.act(seen)
        sent.append(json.dumps(server.bodies))
    assert sent[0] == sent[1]


@pytest.mark.parametrize(
    ("options", "wants", "there", "missing"),
    [
        ("", {"screenshots"}, ("<h1>Lamps", "image_url"), ("- heading",)),
        (",observation=tree,screenshots=off", {"tree"}, ("- heading",), ("<h1>", "image_url", "pictures")),
        (",-screenshots", set(), ("<h1>Lamps",), ("image_url", "pictures")),
        (",budget=3", {"screenshots"}, ("more characters]",), ("<h1>Lamps",)),
        (",response_format=object", {"screenshots"}, ('"json_object"',), ("json_schema",)),
        (",response_format=text", {"screenshots"}, (), ("response_format",)),
        (
            ",temperature=0.7,-seed,max_tokens=9",
            {"screenshots"},
            ('"temperature": 0.7', '"max_tokens": 9'),
            ('"seed"',),
        ),
    ],
)
def test_options_decide_what_is_observed_and_sent(
    ask: Ask, options: str, wants: set[str], there: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    agent, server = ask(say(act("DONE")), spec=f"model(model=small{options})")
    assert agent.wants == wants
    agent.act(replace(OBSERVATION, screenshots=(b"now",)))
    sent = json.dumps(server.bodies)
    assert [word for word in there if word not in sent] == []
    assert [word for word in missing if word in sent] == []


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("model(budget=-1)", "budget is -1, outside 0 to"),
        ("model(temperature=3)", "temperature is 3, outside 0 to 2"),
        ("model(temperature=nan)", "temperature is nan, outside 0 to 2"),
        ("model(timeout=0)", "timeout is 0, outside"),
        ("model(retries=99)", "retries is 99, outside"),
        ("model(observation=pixels)", "unknown observation source 'pixels'; there are dom, boxes, tree, screenshots"),
        ("model(response_format=xml)", "valid: schema|object|text"),
        ("model(key=1)", "unknown option 'key=1'"),
    ],
)
def test_a_wrong_option_is_named_with_what_is_valid(spec: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        make(spec)
    assert message in str(caught.value)


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> None:
    """An observation source of a plug-in."""
    isolate_plugins(monkeypatch)
    SOURCES.add("links", Links, "here")


@pytest.mark.usefixtures("links")
def test_it_sees_the_readings_of_a_plugged_in_source(ask: Ask) -> None:
    agent, server = ask(say(act("DONE")), spec="model(model=small,observation=links,screenshots=off)")
    assert agent.wants == {"links"}
    agent.act(replace(OBSERVATION, sources=SourceValues({"links": [["Lamps", "/a"], ["Chairs", "/b"]]})))
    system, user = server.bodies[0]["messages"]
    description = "its links (The text and the target of every link)"
    assert f"and the current page: {description}. You answer" in system["content"]
    (part,) = user["content"]
    assert part["text"].endswith(f"Page, {description}:\nLamps: /a\nChairs: /b")
    assert "<h1>" not in part["text"]


@pytest.mark.usefixtures("links")
def test_a_source_that_the_model_cannot_be_shown_is_named_with_the_nearest() -> None:
    with pytest.raises(
        UserError, match=r"^unknown observation source 'link'; did you mean links\? There are dom, boxes"
    ):
        make("model(model=small,observation=link)")


def test_screenshots_as_observation_are_sent(ask: Ask) -> None:
    agent, server = ask(say(act("DONE")), spec="model(model=small,observation=screenshots,screenshots=off)")
    assert agent.wants == {"screenshots"}
    agent.act(replace(OBSERVATION, screenshots=(b"now",)))
    text, _, picture = server.bodies[0]["messages"][1]["content"]
    assert text["text"].endswith("Page, pictures of it:\n1 picture")
    assert picture["type"] == "image_url"


def test_a_run_needs_a_model_name_a_key_and_a_server() -> None:
    with pytest.raises(UserError, match="needs the name of a model: pass --model NAME"):
        make("model").ready({"OPENAI_API_KEY": "sk-0123456789"})
    with pytest.raises(UserError, match=r"no key for api\.openai\.com"):
        make("model(model=small)").ready({})
    with ScriptedModel(say("x")) as server:
        make("model(model=small)").ready({"OPENAI_BASE_URL": server.url})
        assert (server.probed, server.exchanges) == (1, [])


def test_scripted_agents_need_and_cost_nothing() -> None:
    for name in ("naive", "resilient", "null", "talker"):
        agent = make(name)
        agent.ready({})
        assert agent.usage == Usage()


@pytest.mark.parametrize(
    ("spec", "becomes"),
    [
        ("model", "model(model=m)"),
        (" model ( -screenshots, budget=9 ) ", "model(model=m,-screenshots,budget=9)"),
        ("model(model=other)", "model(model=other)"),
        ("naive", "naive"),
        ("resilient(-gesture)", "resilient(-gesture)"),
    ],
)
def test_a_model_on_the_command_line_is_an_option_of_agents_that_take_it(spec: str, becomes: str) -> None:
    assert parse(spec, {"model": "m"}).label == becomes


def test_usages_add_up() -> None:
    first = Usage(10, 2, 0.5, 1, "a", "r1", ("seed",), ("x",), ("thoughts",), "x")
    second = Usage(5, 1, 0.25, 2, "b", "", ("seed", "screenshots"), (), ("thoughts",))
    both = Usage(15, 3, 0.75, 3, "b", "r1", ("seed", "screenshots"), ("x",), ("thoughts", "thoughts"), "x")
    assert first + second == both
    assert first + Usage() == Usage() + first == first
    assert first + (both - first) == both
    assert both - both == Usage()


def test_the_instructions_know_no_site_and_no_task(ask: Ask) -> None:
    agent, server = ask(say(act("DONE")))
    agent.act(OBSERVATION)
    system, user = server.bodies[0]["messages"]
    assert re.search(r"(?i)shop|lamp", system["content"]) is None
    assert "Buy a lamp." in user["content"][0]["text"]


def test_the_documents_have_every_option_with_its_default() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "agents.md").read_text("utf-8")
    defaults = dict(re.findall(r"^\| `(\w+)` \| (?:`(.*?)`)? *\|", text, re.MULTILINE))
    for option in inspect.signature(Model.__init__).parameters.values():
        if option.kind is inspect.Parameter.KEYWORD_ONLY:
            default = option.default
            switch = "on" if default else "off"
            assert defaults[option.name] == (switch if isinstance(default, bool) else str(default)), option.name
