"""An agent in its thread: time limits, accepted actions, and the party to blame for a failure."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.blocking import run
from scripts.waited import AgentThread
from stressweb.core.errors import EndpointError
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation, Usage
from stressweb.runner.episode import agent_thread as threads
from stressweb.runner.episode.agent_thread import AgentError, Heartbeat, left_behind
from tests.support.waiting import until

BRIEF = Brief(goal="Buy a lamp.", start_url="http://shop.test/")
OBSERVATION = Observation("http://shop.test/", "<html></html>")


class Doing(Agent):
    """Agent that calls a function in each turn."""

    name = "doing"

    def __init__(self, do: Callable[[], Any]) -> None:
        self.do = do

    def act(self, observation: Observation) -> Action:
        action: Action = self.do()
        return action


def decided(do: Callable[[], Any], seconds: float | None = None, **attributes: Any) -> tuple[Action, Usage]:
    agent = Doing(do)
    vars(agent).update(attributes)
    with AgentThread(agent, seconds, Heartbeat()) as thread:
        thread.start(BRIEF)
        action, usage = thread.act(OBSERVATION)
    return action, usage


def test_actions_and_costs_come_back_as_they_are() -> None:
    action = Action(kind="CLICK", selector="a", message="why")
    usage = Usage(10, 2, 0.4, 3, "small-1", "req-1", ("images",), ("not JSON",))
    assert decided(lambda: action, usage=usage) == (action, usage)
    assert not left_behind()


def test_an_agent_keeps_its_thread_for_the_whole_episode() -> None:
    seen: list[int] = []

    def scroll() -> Action:
        seen.append(threading.get_ident())
        return Action(kind="SCROLL")

    agent = Doing(scroll)
    with AgentThread(lambda: agent, None, Heartbeat()) as thread:
        thread.start(BRIEF)
        for _ in range(3):
            thread.act(OBSERVATION)
    assert len(set(seen)) == 1
    assert seen[0] != threading.get_ident()


@given(
    st.one_of(st.none(), st.integers(), st.text(), st.binary(), st.dictionaries(st.text(), st.text()), st.booleans())
)
def test_returning_no_action_is_the_agents_failure(returned: object) -> None:
    with pytest.raises(AgentError, match=r"act returned .*, not an Action"):
        decided(lambda: returned)


@pytest.mark.parametrize(
    "action",
    [
        Action(kind="SCROLL").model_copy(update={"kind": "FLY"}),
        Action.model_construct(kind="CLICK", selector=None, x=None),
        Action(kind="SCROLL").model_copy(update={"delta": float("nan")}),
        Action(kind="SCROLL").model_copy(update={"delta": "far"}),
        Action.model_construct(kind="TYPE", text="\ud800"),
    ],
)
def test_an_invalid_action_is_the_agents_failure(action: Action) -> None:
    with pytest.raises(AgentError):
        decided(lambda: action)


def wait_for(released: threading.Event) -> Action:
    released.wait(30)
    return Action(kind="DONE")


@pytest.mark.parametrize(
    ("seconds", "attributes", "message"),
    [
        (0.2, {}, "the agent exceeded the time limit of 0.2 seconds"),
        (None, {"decision_seconds": 0.2}, "the agent took more than its 0.2 seconds for one decision"),
    ],
)
def test_an_agent_that_hangs_is_left_behind_with_its_stack(
    seconds: float | None, attributes: dict[str, float], message: str
) -> None:
    released = threading.Event()
    started = time.monotonic()
    with pytest.raises(AgentError, match=message) as caught:
        decided(lambda: wait_for(released), seconds, **attributes)
    assert time.monotonic() - started < 5
    assert "in wait_for" in caught.value.traceback
    assert left_behind()
    released.set()
    until(lambda: not left_behind())


def test_the_time_of_an_episode_is_for_all_its_decisions() -> None:
    def scroll() -> Action:
        time.sleep(0.15)
        return Action(kind="SCROLL")

    agent = Doing(scroll)
    with AgentThread(agent, 1.0, Heartbeat()) as thread:
        thread.start(BRIEF)
        thread.act(OBSERVATION)
        with pytest.raises(AgentError, match="exceeded the time limit of 1 seconds"):
            [thread.act(OBSERVATION) for _ in range(20)]


def test_time_that_ends_while_an_endpoint_is_down_is_not_the_agents() -> None:
    released = threading.Event()
    with pytest.raises(
        EndpointError, match="no connection; the time limit passed while the agent waited for its endpoint"
    ):
        decided(lambda: wait_for(released), 0.2, outage="no connection")
    released.set()


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), "long", None])
def test_an_invalid_limit_is_refused(seconds: object) -> None:
    with pytest.raises(AgentError, match=r"decision_seconds is .*, not a number above 0"):
        decided(lambda: Action(kind="DONE"), decision_seconds=seconds)


def test_the_heartbeat_gets_every_turn() -> None:
    class RecordedHeartbeat(Heartbeat):
        def __init__(self) -> None:
            self.heard: list[object] = []

        def deciding(self, seconds: float) -> None:
            self.heard.append(seconds)

        def decided(self) -> None:
            self.heard.append("decided")

    watch = RecordedHeartbeat()
    agent = Doing(lambda: 1 // 0)
    agent.decision_seconds = 7.0
    with AgentThread(agent, None, watch) as thread:
        thread.start(BRIEF)
        with pytest.raises(AgentError, match="ZeroDivisionError"):
            thread.act(OBSERVATION)
    assert watch.heard == [600.0, "decided", 7.0, "decided"]


def test_a_key_in_a_message_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "local-0123456789")

    def ask() -> Action:
        raise LookupError("refused: local-0123456789")

    with pytest.raises(AgentError, match=r"^LookupError: refused: \[key\]$") as caught:
        decided(ask)
    assert "local-0123456789" not in caught.value.traceback
    assert "refused: [key]" in caught.value.traceback


class Costly(Agent):
    """Reports the cost of a decision that fails; reports the previous cost if `stale`."""

    name = "costly"

    def __init__(self, *, stale: bool = False) -> None:
        self._stale, self._turns = stale, 0

    def act(self, observation: Observation) -> Action:
        self._turns += 1
        if self._turns == 1 or not self._stale:
            self.usage = Usage(tries=self._turns)
        if self._turns == 1:
            return Action(kind="WAIT")
        raise EndpointError("no money")


@pytest.mark.parametrize(("stale", "tries"), [(False, 2), (True, 0)])
def test_the_cost_of_a_failed_decision_is_counted_once(stale: bool, tries: int) -> None:
    with AgentThread(Costly(stale=stale), None, Heartbeat()) as thread:
        assert thread.unfinished() == Usage()
        thread.start(Brief(goal="", start_url=""))
        assert thread.act(Observation("", ""))[1] == Usage(tries=1)
        with pytest.raises(EndpointError):
            thread.act(Observation("", ""))
        assert thread.unfinished() == Usage(tries=tries)


class Says(Agent):
    """Agent that always returns the same action."""

    name = "says"

    def __init__(self, action: Action) -> None:
        self._action = action

    def act(self, observation: Observation) -> Action:
        return self._action


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        (Action(kind="FILL", selector="a", text="b"), {"kind", "selector", "text"}),
        (Action(kind="SCROLL"), {"kind"}),
        (Action(kind="SCROLL", delta=400.0), {"kind", "delta"}),
        (Action.model_construct(kind="WAIT", seconds=2.0), {"kind", "seconds"}),
        (Action.model_construct({"kind"}, kind="WAIT", seconds=2.0), {"kind", "seconds"}),
    ],
)
def test_an_action_has_exactly_the_fields_of_the_agent(action: Action, fields: set[str]) -> None:
    with AgentThread(Says(action), None, Heartbeat()) as thread:
        thread.start(Brief(goal="", start_url=""))
        assert thread.act(Observation("", ""))[0].model_fields_set == fields


class Waits(Agent):
    """Agent that decides in coroutines."""

    name = "waits"

    def __init__(self, seconds: float = 0.0, *, blocks: bool = False) -> None:
        self.seconds, self.blocks = seconds, blocks

    async def start(self, brief: Brief) -> None:
        await asyncio.sleep(0)
        self.brief = brief

    async def act(self, observation: Observation) -> Action:
        return await self.decide()

    async def decide(self) -> Action:
        if self.seconds < 0:
            raise LookupError("no idea")
        if self.blocks:
            time.sleep(self.seconds)
        else:
            await asyncio.sleep(self.seconds)
        return Action(kind="DONE", message=f"seed {self.brief.seed}")


WAITED = Brief(goal="Buy a lamp.", start_url="http://shop.test/", seed=5)


def test_an_agent_may_decide_in_coroutines_on_its_threads_loop() -> None:
    with AgentThread(Waits(0.01), 5.0, Heartbeat()) as thread:
        thread.start(WAITED)
        for _ in range(2):
            assert thread.act(OBSERVATION)[0] == Action(kind="DONE", message="seed 5")
    assert not left_behind()


def test_an_error_in_a_coroutine_is_the_agents_with_its_traceback() -> None:
    with AgentThread(Waits(-1), 5.0, Heartbeat()) as thread:
        thread.start(WAITED)
        with pytest.raises(AgentError, match="LookupError: no idea") as caught:
            thread.act(OBSERVATION)
    assert "in decide" in caught.value.traceback


def test_a_coroutine_that_waits_too_long_is_ended_where_it_waits() -> None:
    with AgentThread(Waits(60), 0.3, Heartbeat()) as thread:
        thread.start(WAITED)
        with pytest.raises(AgentError, match=r"the time limit of 0\.3 seconds") as caught:
            thread.act(OBSERVATION)
    assert "await asyncio.sleep(self.seconds)" in caught.value.traceback or "in decide" in caught.value.traceback
    assert not left_behind(), "a coroutine can be ended, unlike a thread"


def test_an_agent_that_blocks_its_loop_delays_no_other() -> None:
    async def both() -> tuple[float, Action]:
        started = time.monotonic()
        async with threads.AgentThread(Waits(1.5, blocks=True), 0.3, Heartbeat()) as blocked:
            await blocked.start(WAITED)
            late = asyncio.ensure_future(blocked.act(OBSERVATION))
            async with threads.AgentThread(Waits(0.01), 5.0, Heartbeat()) as second:
                await second.start(WAITED)
                action, _ = await second.act(OBSERVATION)
            taken = time.monotonic() - started
            with pytest.raises(AgentError, match=r"the time limit of 0\.3 seconds") as caught:
                await late
            assert "time.sleep(self.seconds)" in caught.value.traceback or "in decide" in caught.value.traceback
        return taken, action

    taken, action = run(both())
    assert action.kind == "DONE"
    assert taken < 0.3
