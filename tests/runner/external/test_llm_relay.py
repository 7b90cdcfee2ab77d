"""The relay for language models: a program's requests reach the user's endpoint, and answers come back unchanged."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from openai import AsyncOpenAI

from stressweb.core.errors import EndpointClosedError, EndpointError
from stressweb.core.price import Price
from stressweb.log.exchange_file import ExchangeFile, begin
from stressweb.log.exchanges import Exchanges
from stressweb.log.limits import Limits
from stressweb.plugins.scripted_model import Exchange, Reply, ScriptedModel, completion, fail, hang, raw, say
from stressweb.runner.agents.llm.provider import PROVIDERS, upstreams
from stressweb.runner.external import llm_account
from stressweb.runner.external.gate import Gate, Guest
from stressweb.runner.external.llm_account import Account
from stressweb.runner.external.offer import llm_key, llm_url
from tests.support.own_loop import run_in_thread

TOKEN = "t0ken-of-the-episode"
KEY = "sk-planted-4f1d0c7a9b3e5577"
PRICES = {"small-2026": Price(input=1000, output=1000)}
QUESTION = {"model": "small", "messages": [{"role": "user", "content": "Which way?"}]}


@dataclass
class Program:
    """A program in an episode, with the addresses from its environment."""

    guest: Guest
    url: str
    anthropic_url: str

    @property
    def account(self) -> Account:
        return self.guest.account

    async def post(self, body: object = None, path: str = "chat/completions", **more: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {llm_key(TOKEN)}"} | more.pop("headers", {})
        async with httpx.AsyncClient(timeout=more.pop("timeout", 20), trust_env=False) as client:
            return await client.post(f"{self.url}/{path}", json=body or QUESTION, headers=headers)


type Scenario = Callable[[Program], Awaitable[None]]


def play(
    scenario: Scenario,
    environ: Mapping[str, str],
    limits: Limits | None = None,
    exchanges: Exchanges | None = None,
    seconds: float = 600,
) -> Account:
    """Run a scenario of requests through the relay; return the account."""

    @contextlib.asynccontextmanager
    async def taking_part() -> AsyncIterator[Program]:
        async with Gate() as gate:
            guest = Guest(None)
            guest.account = Account(upstreams(environ), limits or Limits(), "mine=command(x)", seconds, exchanges)
            with gate.admitting(TOKEN, guest):
                urls = [llm_url(gate.address, TOKEN, PROVIDERS[name]) for name in ("openai", "anthropic")]
                yield Program(guest, *urls)

    async def main() -> Account:
        async with taking_part() as program:
            await scenario(program)
            return program.account

    return run_in_thread(main())


def events(*values: object, before_second: threading.Event | None = None) -> Reply:
    """Answer with a stream of events; the second one waits for a signal, if there is one."""
    lines = [f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode() for value in values]

    def reply(exchange: Exchange) -> None:
        exchange.send(200, b"", {"Content-Type": "text/event-stream; charset=utf-8"}, length=sum(map(len, lines)))
        for number, line in enumerate(lines):
            if number == 1 and before_second is not None:
                assert before_second.wait(10)
            exchange.write(line)

    return reply


def chunk(text: str | None, **more: Any) -> dict[str, Any]:
    choices = [] if text is None else [{"index": 0, "delta": {"content": text}}]
    return {"id": "chatcmpl-7", "object": "chat.completion.chunk", "model": "small-2026", "choices": choices} | more


COST = {"prompt_tokens": 100, "completion_tokens": 7}
STREAM = (chunk("Left", usage=None), chunk(" turn", usage=None), chunk(None, usage=COST), "[DONE]")


def test_a_question_reaches_the_endpoint_with_the_users_key_and_the_answer_comes_back() -> None:
    with ScriptedModel(say("Left.", "req-9"), key=KEY) as server:

        async def ask(program: Program) -> None:
            answer = await program.post(headers={"x-custom": "kept"})
            assert (answer.status_code, answer.json()) == (200, completion("Left."))
            assert answer.headers["x-request-id"] == "req-9"

        account = play(ask, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY})
        (exchange,) = server.exchanges
    assert exchange.body == QUESTION
    assert exchange.path == "/v1/chat/completions"
    assert exchange.headers["x-custom"] == "kept"
    assert TOKEN not in json.dumps(exchange.headers)
    usage = account.usage
    assert (usage.tokens_in, usage.tokens_out, usage.tries, usage.model) == (100, 7, 1, "small-2026")
    assert usage.seconds > 0


def test_a_key_of_the_programs_own_is_passed_on_as_it_is() -> None:
    with ScriptedModel(say("Left.")) as server:

        async def ask(program: Program) -> None:
            await program.post(headers={"authorization": "Bearer of-its-own"})

        play(ask, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY})
        assert server.exchanges[0].headers["authorization"] == "Bearer of-its-own"


def test_without_a_key_of_the_user_none_is_sent() -> None:
    with ScriptedModel(say("Left.")) as server:
        play(lambda program: cast("Awaitable[None]", program.post()), {"OPENAI_BASE_URL": server.url})
        assert "authorization" not in {name.lower() for name in server.exchanges[0].headers}


def test_a_stream_comes_as_it_is_written_and_is_counted() -> None:
    """The OpenAI client streams without asking for the cost."""
    first_read = threading.Event()
    with ScriptedModel(events(*STREAM, before_second=first_read)) as server:

        async def ask(program: Program) -> None:
            async with AsyncOpenAI(base_url=program.url, api_key=llm_key(TOKEN)) as client:
                texts = []
                async for part in await client.chat.completions.create(**QUESTION, stream=True):  # type: ignore[call-overload]
                    texts.append(part.choices[0].delta.content)
                    first_read.set()
                assert texts == ["Left", " turn"]

        account = play(ask, {"OPENAI_BASE_URL": server.url})
        assert server.bodies == [QUESTION | {"stream": True, "stream_options": {"include_usage": True}}]
    assert (account.usage.tokens_in, account.usage.tokens_out, account.usage.model) == (100, 7, "small-2026")


def test_a_client_that_asks_for_the_cost_of_a_stream_gets_it() -> None:
    body = QUESTION | {"stream": True, "stream_options": {"include_usage": True}}
    with ScriptedModel(events(*STREAM)) as server:

        async def ask(program: Program) -> None:
            answer = await program.post(body)
            expected = [value if isinstance(value, str) else json.dumps(value) for value in STREAM]
            assert answer.text == "".join(f"data: {text}\n\n" for text in expected)

        play(ask, {"OPENAI_BASE_URL": server.url})
        assert server.bodies == [body]


def test_an_endpoint_that_knows_no_options_of_streams_is_asked_without() -> None:
    with ScriptedModel(fail(422, "extra fields not permitted: stream_options"), events(*STREAM)) as server:

        async def ask(program: Program) -> None:
            answer = await program.post(QUESTION | {"stream": True})
            assert answer.status_code == 200
            assert answer.text.endswith("data: [DONE]\n\n")

        play(ask, {"OPENAI_BASE_URL": server.url})
        assert ["stream_options" in body for body in server.bodies] == [True, False]


@pytest.mark.parametrize(
    "reply",
    [
        fail(400, "no such parameter", code="bad"),
        fail(404, "The model does not exist", code="model_not_found"),
        fail(429, "slow down", {"Retry-After": "3"}),
        fail(500, "oops"),
        raw(b"<html>Bad gateway</html>", 502),
        raw(b"", 503),
    ],
)
def test_an_error_comes_back_as_it_is(reply: Reply) -> None:
    with ScriptedModel(reply) as server:
        direct = httpx.post(f"{server.url}/chat/completions", json=QUESTION, trust_env=False)

        async def ask(program: Program) -> None:
            answer = await program.post()
            assert (answer.status_code, answer.content) == (direct.status_code, direct.content)
            for name in ("content-type", "retry-after"):
                assert answer.headers.get(name) == direct.headers.get(name)

        account = play(ask, {"OPENAI_BASE_URL": server.url})
    assert (account.usage.tries, account.usage.tokens_in) == (1, 0)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (fail(400, "no such parameter"), None),
        (fail(404, "The model does not exist", code="model_not_found"), None),
        (fail(429, "slow down", {"Retry-After": "3"}), EndpointError),
        (fail(429, "slow down", {"Retry-After": "3600"}), EndpointClosedError),
        (fail(500, "oops"), EndpointError),
        (fail(401, "Incorrect API key provided"), EndpointClosedError),
        (fail(402, "Insufficient credits"), EndpointClosedError),
    ],
)
def test_the_party_to_blame_if_the_program_cannot_go_on(reply: Reply, outcome: type[Exception] | None) -> None:
    with ScriptedModel(say("Left."), reply) as server:

        async def ask(program: Program) -> None:
            await program.post()
            program.account.check_outage()
            await program.post()

        account = play(ask, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY})
    if outcome is None:
        account.check_outage()
    else:
        with pytest.raises(outcome) as raised:
            account.check_outage()
        assert type(raised.value) is outcome


def test_an_error_that_repeats_the_key_of_the_user_is_passed_on_without_it() -> None:
    with ScriptedModel(fail(401, f"Incorrect API key provided: {KEY}")) as server:

        async def ask(program: Program) -> None:
            assert (await program.post()).json()["error"]["message"] == "Incorrect API key provided: [key]"

        play(ask, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY})
        assert server.exchanges[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_wrong_key_of_the_programs_own_is_its_own_failure() -> None:
    with ScriptedModel(fail(401, "Incorrect API key provided")) as server:

        async def ask(program: Program) -> None:
            await program.post(headers={"authorization": "Bearer of-its-own"})

        play(ask, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}).check_outage()


def test_an_answer_after_an_outage_ends_it() -> None:
    with ScriptedModel(fail(503), say("Left.")) as server:

        async def ask(program: Program) -> None:
            await program.post()
            with pytest.raises(EndpointError):
                program.account.check_outage()
            await program.post()

        play(ask, {"OPENAI_BASE_URL": server.url}).check_outage()


def test_an_endpoint_that_is_not_there_is_an_outage() -> None:
    async def ask(program: Program) -> None:
        answer = await program.post()
        assert answer.status_code == 502
        assert answer.json()["error"]["code"] == "no_answer"

    account = play(ask, {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    with pytest.raises(EndpointError, match="connection"):
        account.check_outage()


def test_an_endpoint_that_hangs_is_an_outage_once_it_was_waited_for() -> None:
    with ScriptedModel(hang) as server:

        async def ask(program: Program) -> None:
            with pytest.raises(httpx.ReadTimeout):
                await program.post(timeout=0.1)
            # Cancelled at once: that is the program's own choice.
            await _until(lambda: program.account.usage.tries == 1)
            program.account.check_outage()
            with pytest.raises(httpx.ReadTimeout):
                await program.post(timeout=0.7)
            await _until(lambda: program.account.usage.tries == 2)

        account = play(ask, {"OPENAI_BASE_URL": server.url}, seconds=1.0)
    with pytest.raises(EndpointError, match="did not answer in"):
        account.check_outage()


def test_an_answer_that_breaks_off_breaks_off() -> None:
    def broken(exchange: Exchange) -> None:
        exchange.send(200, b'data: {"choices', {"Content-Type": "text/event-stream"}, length=1000)
        exchange.break_off()

    with ScriptedModel(broken) as server:

        async def ask(program: Program) -> None:
            with pytest.raises(httpx.RemoteProtocolError):
                await program.post(QUESTION | {"stream": True})

        account = play(ask, {"OPENAI_BASE_URL": server.url})
    with pytest.raises(EndpointError, match="broke off"):
        account.check_outage()


MESSAGE = {
    "type": "message",
    "model": "haiku-2026",
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 7},
}
MESSAGE_STREAM = (
    {"type": "message_start", "message": MESSAGE | {"usage": {"input_tokens": 100, "output_tokens": 1}}},
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Left"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
)
RESPONSE_STREAM = (
    {"type": "response.output_text.delta", "delta": "Left"},
    {
        "type": "response.completed",
        "response": {"model": "small-2026", "usage": {"input_tokens": 100, "output_tokens": 7}},
    },
)


@pytest.mark.parametrize("reply", [raw(json.dumps(MESSAGE).encode()), events(*MESSAGE_STREAM)])
@pytest.mark.parametrize(
    ("variable", "header", "prefix"),
    [("ANTHROPIC_API_KEY", "x-api-key", ""), ("ANTHROPIC_AUTH_TOKEN", "authorization", "Bearer ")],
)
def test_anthropic_requests_are_relayed_too(reply: Reply, variable: str, header: str, prefix: str) -> None:
    with ScriptedModel(reply) as server:

        async def ask(program: Program) -> None:
            async with httpx.AsyncClient(trust_env=False) as client:
                headers = {header: prefix + llm_key(TOKEN), "anthropic-version": "2023-06-01"}
                answer = await client.post(f"{program.anthropic_url}/v1/messages", json=QUESTION, headers=headers)
                assert answer.status_code == 200
                assert "Left" in answer.text or answer.json() == MESSAGE

        account = play(ask, {"ANTHROPIC_BASE_URL": server.url.removesuffix("/v1"), variable: KEY})
        (exchange,) = server.exchanges
    assert exchange.path == "/v1/messages"
    assert {name.lower(): value for name, value in exchange.headers.items()}[header] == prefix + KEY
    assert exchange.body == QUESTION
    assert (account.usage.tokens_in, account.usage.tokens_out, account.usage.model) == (100, 7, "haiku-2026")


def test_the_newer_interface_is_counted_too() -> None:
    with ScriptedModel(events(*RESPONSE_STREAM)) as server:

        async def ask(program: Program) -> None:
            await program.post({"model": "small", "input": "Which way?", "stream": True}, "responses")

        usage = play(ask, {"OPENAI_BASE_URL": server.url}).usage
    assert (usage.tokens_in, usage.tokens_out, usage.model) == (100, 7, "small-2026")


def test_a_spent_limit_ends_the_episode_before_the_next_question() -> None:
    limits = Limits(cost_limit=0.1, prices=PRICES)
    with ScriptedModel(say("Left.")) as server:

        async def ask(program: Program) -> None:
            assert (await program.post()).status_code == 200
            assert not program.guest.over.is_set()
            answer = await program.post()
            assert answer.status_code == 402
            assert answer.json()["error"]["message"] == "0.107 of the 0.1 USD of the episode are spent"
            assert program.guest.over.is_set()

        account = play(ask, {"OPENAI_BASE_URL": server.url}, limits)
        assert len(server.exchanges) == 1
    assert account.refusal is not None
    assert account.refusal.failure is None


def test_several_models_are_each_counted_at_their_price() -> None:
    limits = Limits(cost_limit=1, prices={"big": Price(input=10_000, output=0), **PRICES})
    big = say("Left.", model="big-2026")
    with ScriptedModel(say("Left."), say("Left."), big, say("Left.")) as server:

        async def ask(program: Program) -> None:
            for model in ("small", "small", "big"):
                assert (await program.post(QUESTION | {"model": model})).status_code == 200
            answer = await program.post()
            # 2 x 0.107 by the model name in the answer, 1.0 by the requested name.
            assert answer.json()["error"]["message"] == "1.214 of the 1 USD of the episode are spent"

        play(ask, {"OPENAI_BASE_URL": server.url}, limits)


def test_a_limit_on_money_needs_a_price() -> None:
    with ScriptedModel(say("Left.")) as server:

        async def ask(program: Program) -> None:
            await program.post()
            assert (await program.post()).json()["error"]["code"] == "no_price"

        account = play(ask, {"OPENAI_BASE_URL": server.url}, Limits(cost_limit=1, prices={}))
    assert account.refusal is not None
    assert "needs the price of model 'small-2026'" in str(account.refusal.failure)


def test_a_limit_on_tokens_holds_too() -> None:
    with ScriptedModel(say("Left.")) as server:

        async def ask(program: Program) -> None:
            await program.post()
            message = (await program.post()).json()["error"]["message"]
            assert message == "107 of the 100 tokens of the episode are used"

        play(ask, {"OPENAI_BASE_URL": server.url}, Limits(agent_tokens=100))


def test_invalid_addresses_and_large_requests_are_refused() -> None:
    with ScriptedModel(say("Left.")) as server:

        async def ask(program: Program) -> None:
            async with httpx.AsyncClient(trust_env=False) as client:
                other_url = program.url.replace(TOKEN, "another")
                assert (await client.post(f"{other_url}/chat/completions", json=QUESTION)).status_code == 404
                assert (await client.post(f"{program.url}/a/%2e%2e/b", json=QUESTION)).status_code == 400
                assert (await client.post(f"{program.url}/chat", content=bytes(64_000_001))).status_code == 413

        play(ask, {"OPENAI_BASE_URL": server.url})
        assert server.exchanges == []


def test_a_recording_is_replayed_without_the_endpoint_and_holds_no_key(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    begin(path)
    body = QUESTION | {"stream": True}

    async def ask(program: Program) -> None:
        first = await program.post(QUESTION | {"note": f"{TOKEN} {KEY} at 2026-01-01 12:30"})
        texts.append(first.text)
        texts.append((await program.post(body)).text)
        texts.append((await program.post(QUESTION | {"picture": f"data:image/png;base64,{'A' * 99}"})).text)

    texts: list[str] = []
    reply = say(f"Left. {KEY}")
    with ScriptedModel(reply, events(*STREAM), fail(404, "no")) as server:
        environ = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", KEY)
            recorded = play(ask, environ, exchanges=ExchangeFile(record=path).episode("a cell", (TOKEN,)))
    text = path.read_text("utf-8")
    assert KEY not in text
    assert TOKEN not in text
    assert "A" * 99 not in text
    first, texts = texts, []
    replay = ExchangeFile(replay=path).episode("a cell", (TOKEN,))
    replayed = play(ask, {}, exchanges=replay)
    replay.check_complete()
    assert texts == [first[0].replace(KEY, "[key]"), *first[1:]]
    assert 'usage": {' not in texts[1]
    counts = [
        (account.usage.tokens_in, account.usage.tokens_out, account.usage.tries, account.usage.model)
        for account in (recorded, replayed)
    ]
    assert counts[0] == counts[1] == (200, 14, 3, "small-2026")


def test_a_replay_says_where_it_leaves_the_recording(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    begin(path)

    async def ask(program: Program) -> None:
        await program.post()
        await program.post()

    with ScriptedModel(say("Left.")) as server:
        play(ask, {"OPENAI_BASE_URL": server.url}, exchanges=ExchangeFile(record=path).episode("a cell"))

    async def ask_otherwise(program: Program) -> None:
        await program.post()
        answer = await program.post({"model": "small", "messages": [{"role": "user", "content": "Which day?"}]})
        assert answer.status_code == 400
        assert answer.json()["error"]["message"] == where
        assert program.guest.over.is_set()

    where = (
        "the replay left the recording at request 2 of the episode: "
        'messages.0.content has "Which day?" where the recording has "Which way?"'
    )
    account = play(ask_otherwise, {}, exchanges=ExchangeFile(replay=path).episode("a cell"))
    assert account.refusal is not None
    assert str(account.refusal.failure) == where


async def _until(ready: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not ready():
            await asyncio.sleep(0.01)


def test_no_request_is_waited_for_longer_than_its_limit() -> None:
    account = Account({}, Limits(), "x", 600.0)
    assert account.patience_s == llm_account.LONGEST_ANSWER_S
    account.count_cancelled(119.0)
    account.check_outage()
    account.count_cancelled(120.0)
    with pytest.raises(EndpointError):
        account.check_outage()
