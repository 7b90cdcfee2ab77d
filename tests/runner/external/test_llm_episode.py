"""Programs that call a language model: the party to blame for failures, and replays of a recorded run."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stressweb.core.price import Price
from stressweb.log.exchange_file import ExchangeFile, begin
from stressweb.log.limits import Limits
from stressweb.log.recording import EpisodeRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, completion, fail, hang, say
from tests.runner.external.asking_programs import ASKS, stressweb
from tests.support.programs import HEAD, Programs

pytestmark = pytest.mark.sample(3, "file")

KEY = "sk-planted-4f1d0c7a9b3e5577"
SHOPS = """
text = "".join(part.choices[0].delta.content or "" for part in ask(stream=True))
page.get_by_role("searchbox").first.fill(text)
page.get_by_role("searchbox").first.press("Enter")
page.wait_for_load_state()
answer = ask()
page.get_by_role("link").nth(len(answer.choices[0].message.content)).click()
finish(message=answer.choices[0].message.content)
"""


def knows(exchange: Exchange) -> None:
    """Answer the first request with a stream, and the second one with a single response."""
    if not exchange.body.get("stream"):
        return say("Cart")(exchange)
    parts = [{"choices": [{"index": 0, "delta": {"content": text}}], "model": "small-2026"} for text in ("Orc", "hid")]
    parts.append({"choices": [], "usage": completion("")["usage"], "model": "small-2026"})
    lines = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
    return exchange.send(200, lines.encode(), {"Content-Type": "text/event-stream"})


def play_program(programs: Programs, body: str, server: ScriptedModel, **more: Any) -> EpisodeRecord:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", KEY)
        return programs.run(programs.python(body, head=HEAD + ASKS), **more)


def test_a_program_asks_through_the_relay_and_has_no_key_of_the_user(programs: Programs) -> None:
    with ScriptedModel("Orchid", key=KEY) as server:
        record = play_program(programs, "finish(message=ask().choices[0].message.content + str(os.environ))", server)
    assert record.status == "done"
    assert record.message.startswith("Orchid")
    assert KEY not in record.message
    assert server.url not in record.message
    assert (record.usage.tokens_in, record.usage.tokens_out, record.usage.model) == (100, 7, "small-2026")


def test_a_spent_limit_is_the_agents_failure(programs: Programs) -> None:
    limits = Limits(agent_seconds=60, cost_limit=0.15, prices={"small": Price(input=1000, output=1000)})
    with ScriptedModel("Orchid") as server:
        record = play_program(programs, "ask(); ask(); ask(); finish()", server, limits=limits)
        assert len(server.exchanges) == 2
    assert (record.status, record.claim) == ("crashed", "none")
    assert record.message == "0.214 of the 0.15 USD of the episode are spent"
    assert record.grade is not None
    assert record.usage.tokens_in == 200


def test_an_agent_may_act_on_the_answer_that_reached_the_limit(programs: Programs) -> None:
    limits = Limits(agent_seconds=60, agent_tokens=100)
    with ScriptedModel("Orchid") as server:
        assert play_program(programs, "ask(); finish()", server, limits=limits).status == "done"


@pytest.mark.parametrize(
    ("body", "reply", "seconds", "status", "message"),
    [
        ("ask()", hang, 20, "error", "the model's endpoint did not answer in"),
        ("ask()", fail(503, "try later"), 60, "error", "the model's endpoint does not answer: status 503: try later"),
        (
            "ask()",
            fail(401, "wrong key"),
            60,
            "error",
            "the model's endpoint rejects requests with status 401: wrong key",
        ),
        (
            "ask()",
            fail(400, "wrong form"),
            60,
            "crashed",
            "the process ended with exit status 1: openai.BadRequestError",
        ),
        (
            "try: ask()\nexcept Exception: finish('failed')",
            fail(503, "try later"),
            60,
            "error",
            "the model's endpoint does not answer: status 503: try later",
        ),
        ("try: ask()\nexcept Exception: finish('done')", fail(503, "try later"), 60, "done", ""),
        (
            "raise RuntimeError('boom')",
            fail(503),
            60,
            "crashed",
            "the process ended with exit status 1: RuntimeError: boom",
        ),
    ],
)
def test_an_endpoint_that_fails_is_no_failure_of_the_agent(
    programs: Programs,
    body: str,
    reply: Any,
    seconds: float,
    status: str,
    message: str,
) -> None:
    with ScriptedModel(reply) as server:
        record = play_program(programs, body, server, limits=Limits(agent_seconds=seconds))
    assert record.status == status
    assert record.message.startswith(message)
    assert record.ends_run == ("401" in message)


def facts(record: EpisodeRecord) -> list[Any]:
    pages = [(step.action, step.page.html) for step in record.steps]
    usage = record.usage
    counts = [usage.tokens_in, usage.tokens_out, usage.tries, usage.model]
    return [record.status, record.claim, record.message, record.grade, record.ledger, record.final, pages, counts]


@pytest.mark.parametrize("label", ["clean", "remap@3"])
def test_a_recording_repeats_an_episode_without_the_endpoint(programs: Programs, tmp_path: Path, label: str) -> None:
    path = tmp_path / "exchanges.jsonl"
    begin(path)
    with ScriptedModel(knows) as server:
        recorded = play_program(programs, SHOPS, server, label=label, exchanges=ExchangeFile(record=path))
        request_count = len(server.exchanges)
    replay = partial(programs.run, programs.python(SHOPS, head=HEAD + ASKS), exchanges=ExchangeFile(replay=path))
    again = replay(label=label)
    assert request_count == 2
    assert (recorded.status, recorded.message) == ("done", "Cart")
    assert len(recorded.actions) == 4
    assert facts(recorded) == facts(again)
    changed_program = programs.python(SHOPS.replace("answer = ask()", "answer = ask(seed=7)"), head=HEAD + ASKS)
    left = programs.run(changed_program, label=label, exchanges=ExchangeFile(replay=path))
    assert left.status == "error"
    assert left.message == (
        "the replay left the recording at request 2 of the episode: seed has 7 where the recording has null"
    )
    short = programs.python("finish()", head=HEAD)
    left = programs.run(short, label=label, exchanges=ExchangeFile(replay=path))
    assert left.status == "error"
    assert left.message == "the replay left the recording: it ended before request 1 of the 2 recorded ones"


@pytest.mark.audit
def test_a_run_is_recorded_without_the_key_and_replayed(programs: Programs, tmp_path: Path) -> None:
    """Program and endpoint print everything they have; no remaining file or output may contain the key."""
    leaks = "print(os.environ, ask())\n" + SHOPS + "\nsys.exit(1)"
    command = programs.python(leaks, head=HEAD + ASKS)

    def repeats(exchange: Exchange) -> None:
        if exchange.body.get("stream"):
            knows(exchange)
        else:
            say("Cart", id=exchange.headers["authorization"])(exchange)

    recording = ("--record-llm", str(tmp_path / "exchanges.jsonl"))
    with ScriptedModel(repeats, key=KEY) as server:
        run = stressweb(
            tmp_path, command, "run", "--run", "one", *recording, OPENAI_BASE_URL=server.url, OPENAI_API_KEY=KEY
        )
        assert run.returncode == 0, run.stderr
        assert len(server.exchanges) == 9
    report = stressweb(tmp_path, "", "report", "one")
    assert report.returncode == 0, report.stderr
    replaying = ("--replay-llm", str(tmp_path / "exchanges.jsonl"))
    again = stressweb(tmp_path, command, "run", "--run", "two", *replaying)
    assert again.returncode == 0, again.stderr
    tables = [[line for line in done.stdout.splitlines() if "/1" in line or "/2" in line] for done in (run, again)]
    assert tables[0]
    assert tables[0] == tables[1]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {FILE, "report.html", "worker-0.log", "exchanges.jsonl"} <= {path.name for path in files}
    for text in (run.stdout, run.stderr, report.stdout, again.stderr, *(path.read_bytes() for path in files)):
        assert (KEY.encode() if isinstance(text, bytes) else KEY) not in text
    with Store.read(tmp_path / "one" / FILE) as store:
        episodes = [store.load(cell) for cell in store.cells()]
    assert len(episodes) == 3
    # The database is compressed, so the loaded episodes are searched too.
    assert KEY not in repr(episodes)
    assert [episode.usage.tokens_in for episode in episodes] == [300] * 3
