"""Whole runs with the agent `model`: a scripted model on loopback does a shop task, and no key is left behind."""

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser

from scripts.waited import Evidence, run_episode
from stressweb.core.price import Price
from stressweb.log.blobs import Blobs
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.schedule import scheduled
from stressweb.log.store import FILE, Store
from stressweb.plugins.scripted_model import Exchange, ScriptedModel, act, completion, fail, raw, say
from stressweb.plugins.site_world import now_of
from stressweb.runner.agents import make
from stressweb.runner.execution.worker import NAME
from stressweb.runner.registry import Library
from stressweb.runner.world.world import World
from stressweb.sources.dom import Dom
from tests.support.plans import condition

pytestmark = pytest.mark.long

BROWSER = {name: value for name, value in os.environ.items() if name == "STRESSWEB_BROWSER"}
KEY = "sk-planted-4f1d0c7a9b3e"
TASK = "shop/first-hit"
PLAYS = [
    act("FILL", selector="input[type=search]", text="Orchid"),
    act("PRESS", selector="input[type=search]", key="Enter"),
    act("CLICK", selector='main [itemtype$="Product"] form button >> nth=0'),
    act("DONE", message="It is in the cart."),
]


def knows(exchange: Exchange) -> None:
    """Answer with the next action of the solution, by the number of actions so far."""
    text = exchange.body["messages"][1]["content"][0]["text"]
    say(PLAYS[len(re.findall(r"^\d+\. \{", text, re.MULTILINE))], model="scripted-2026")(exchange)


class Run(NamedTuple):
    """Folder, exit status and output of a run."""

    folder: Path
    status: int
    out: str
    err: str

    @property
    def episodes(self) -> dict[str, EpisodeRecord]:
        """The episodes by condition; for clean, which a model does twice, the first one."""
        with Store.open(self.folder / FILE) as store:
            return {cell.condition: store.load(cell) for cell in store.cells() if cell.epoch == 0}

    @property
    def all(self) -> list[EpisodeRecord]:
        """All finished episodes in their order in the run."""
        with Store.open(self.folder / FILE) as store:
            return [store.load(cell) for cell in scheduled(store.cells(), 1, lambda cell: 1.0) if store.has(cell)]


def stressweb(folder: Path, server: ScriptedModel, *options: str, key: str | None = None, patience: float = 240) -> Run:
    command = [sys.executable, "-P", "-m", "stressweb", "run", "--agent", "model", "--model", "scripted", "--json"]
    where = ["--base-url", server.url, "--runs-dir", str(folder), "--run", "it", "--task", TASK]
    # One at a time, because the replies depend on the order of requests.
    where += ["--workers", "1", "--in-flight", "1"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "STRESSWEB_"))}
    if key:
        environ["OPENAI_API_KEY"] = key
    done = subprocess.run(
        [*command, *where, *options],
        env=environ | BROWSER,
        capture_output=True,
        text=True,
        timeout=patience,
        check=False,
    )
    return Run(folder / "it", done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Run, list[dict[str, Any]]]]:
    with ScriptedModel(knows) as server:
        yield stressweb(tmp_path_factory.mktemp("runs"), server, "--mode", "remap"), server.bodies


@pytest.mark.audit
def test_a_model_does_a_task_and_is_fooled_by_remap(solved: tuple[Run, list[dict[str, Any]]]) -> None:
    run, _ = solved
    assert (run.status, run.err) == (0, "")
    rows = {row["condition"]: row for row in json.loads(run.out)["rows"]}
    assert {row["agent"] for row in rows.values()} == {"model(model=scripted)"}
    assert (rows["clean"]["successes"], rows["clean"]["claimed"]) == (2, 2)
    assert (rows["remap@3"]["successes"], rows["remap@3"]["claimed"]) == (0, 1)


@pytest.mark.audit
def test_the_cost_of_every_decision_is_recorded(solved: tuple[Run, list[dict[str, Any]]]) -> None:
    clean = solved[0].episodes["clean"]
    first, *rest = clean.steps
    assert first.usage.tries == 0
    assert len(rest) == len(PLAYS)
    for step in rest:
        assert (step.usage.tokens_in, step.usage.tokens_out, step.usage.tries) == (100, 7, 1)
        assert (step.usage.model, step.usage.request) == ("scripted-2026", "req-1")
        assert step.usage.seconds > 0
    with Store.open(solved[0].folder / FILE) as store:
        total = store.episodes()[0].usage
    assert (total.tokens_in, total.tokens_out, total.tries) == (400, 28, 4)


@pytest.mark.audit
def test_the_first_question_is_the_same_in_both_conditions_but_for_the_page(
    solved: tuple[Run, list[dict[str, Any]]],
) -> None:
    run, bodies = solved
    first = [body for body in bodies if "Actions so far:\nnone" in json.dumps(body).replace("\\n", "\n")]
    first_bodies = dict(zip(((record.cell.condition, record.cell.epoch) for record in run.all), first, strict=True))
    clean, again, remap = (first_bodies[arm] for arm in (("clean", 0), ("clean", 1), ("remap@3", 0)))
    assert {**clean, "messages": None} == {**remap, "messages": None}
    # A repetition has another sampling seed, and is the same otherwise.
    assert {**again, "seed": None} == {**clean, "seed": None}
    assert again["seed"] != clean["seed"]
    assert clean["messages"][0] == remap["messages"][0]
    texts = [body["messages"][1]["content"][0]["text"].partition("\n\nPage, ") for body in (clean, remap)]
    assert texts[0][:2] == texts[1][:2]
    assert "remap" not in json.dumps([clean["messages"], remap["messages"]])


@pytest.mark.audit
def test_the_prompts_contain_the_recorded_pages(solved: tuple[Run, list[dict[str, Any]]]) -> None:
    run, bodies = solved
    pages = [step.page.html for record in run.all for step in record.steps[:-1]]
    prompts = [body["messages"][1]["content"][0]["text"] for body in bodies]
    assert len(prompts) == len(pages)
    assert all(text.endswith(Dom().render(page)) for text, page in zip(prompts, pages, strict=True))


class StopsAnswering:
    """An endpoint that answers the first question of each episode, and closes once all episodes wait for the second.

    It counts waiting requests instead of seconds, so a slow machine only makes the test longer.
    """

    def __init__(self, episodes: int) -> None:
        """Take the number of waiting episodes."""
        self._all_wait = threading.Barrier(episodes)
        self.gone = False

    def __call__(self, exchange: Exchange) -> None:
        """Answer, or wait with the others and break off."""
        if not self.gone:
            if "Actions so far:\\nnone" in json.dumps(exchange.body):
                say(act("SCROLL", delta=200))(exchange)
                return
            self._all_wait.wait()
            self.gone = True
        exchange.break_off()


@pytest.mark.audit
@pytest.mark.timeout(600)
def test_an_endpoint_that_stops_answering_with_32_waiting_ends_the_run_in_one_line(tmp_path: Path) -> None:
    """The waiting episodes end as errors, and the run reports this and how to continue."""
    with ScriptedModel(stops := StopsAnswering(32)) as server:
        # The last option of a name counts.
        size = ("--task", "*", "--limit", "40", "--epochs", "1", "--in-flight", "32", "--mode", "clean")
        agent = ("--agent", "model(model=scripted,timeout=500,retries=0)")
        run = stressweb(tmp_path, server, *size, *agent, patience=550)
    assert (run.status, stops.gone) == (1, True)
    reason = "the first 5 episodes all ended in an error, the last: the model did not answer in 1 tries: "
    (line,) = [line for line in run.err.splitlines() if line.startswith("stressweb: stopped: ")]
    assert reason in line
    assert line.endswith("continue with --resume --run it")
    with Store.open(run.folder / FILE) as store:
        statuses = [episode.status for episode in store.episodes()]
        pending = store.pending()
    assert set(statuses) == {"error"}
    # Each of the first four may have been replaced by a new episode before the fifth ended the run.
    assert 32 <= len(statuses) <= 32 + 4
    # A model does clean twice, and episodes with errors run again.
    assert len(pending) == 40 * 2


type Episode = Callable[..., EpisodeRecord]


@pytest.fixture
def episode(browser: Browser, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Episode]:
    """Run one episode in this process."""
    evidence = Evidence(browser)

    def _episode(server: ScriptedModel, spec: str, limits: Limits = Limits()) -> EpisodeRecord:  # noqa: B008 - frozen
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        cell = Cell(agent=spec, task=TASK, condition="clean", world=0, stress=0)
        site, goal = Library().world("shop", 0), Library().goal(TASK, 0)
        opened = world.open(site, condition("clean"), cell.seeds)
        try:
            record: EpisodeRecord = run_episode(cell, goal, make(spec), opened, browser, evidence, limits, now_of(site))
        finally:
            opened.close()
        return record

    yield _episode
    evidence.close()


def test_a_model_that_is_out_of_order_is_an_error_and_not_the_agents_failure(episode: Episode) -> None:
    with ScriptedModel(say(PLAYS[0]), fail(500, "out of order")) as server:
        record = episode(server, "model(model=small,retries=0)")
    assert (record.status, record.claim) == ("error", "none")
    assert record.message == "the model did not answer in 1 tries: status 500: out of order"
    assert [action.kind for action in record.actions] == ["FILL"], "what was done before is kept"


def test_an_agent_that_has_cost_too_much_fails_and_what_it_did_is_kept(episode: Episode) -> None:
    # Two answers of 107 tokens each: the second reaches the limit, so there is no third.
    prices = {"model(model=small)": Price(input=100.0, output=1000.0)}
    with ScriptedModel(say(PLAYS[0])) as server:
        record = episode(server, "model(model=small)", Limits(cost_limit=0.03, prices=prices))
    assert (record.status, record.claim) == ("crashed", "none")
    assert record.message == "0.034 of the 0.03 USD of the episode are spent"
    assert len(record.actions) == len(server.bodies) == 2


def test_answers_that_are_no_action_end_the_episode_as_the_agents_failure(episode: Episode) -> None:
    with ScriptedModel(say("I cannot do that.")) as server:
        record = episode(server, "model(model=small)")
    assert (record.status, record.claim) == ("gave_up", "failed")
    assert record.message.startswith("3 answers in a row were no action")
    assert record.usage.tokens_out == 21
    assert len(record.usage.rejected) == 3
    assert record.usage.unanswered.startswith("it is not JSON")


def test_the_history_shows_what_the_model_wrote_and_an_error_keeps_what_it_cost(episode: Episode) -> None:
    with ScriptedModel(say(PLAYS[0]), say("no"), fail(402, "no credits left")) as server:
        record = episode(server, "model(model=small)")
        text = server.bodies[1]["messages"][1]["content"][0]["text"]
    (line,) = re.findall(r"^1\. (\{.*\}) -> done$", text, re.MULTILINE)
    assert json.loads(line) == json.loads(PLAYS[0])
    assert (record.status, record.ends_run) == ("error", True)
    assert (record.usage.tries, record.usage.tokens_out, len(record.usage.rejected)) == (3, 14, 1)


def test_its_options_decide_what_it_sees(episode: Episode) -> None:
    look = act("SCROLL", delta=300)
    with ScriptedModel(say(look), say(look), say(look), say(act("DONE"))) as server:
        episode(server, "model(model=small,observation=tree)")
    *_, last = server.bodies
    text, *pictures = last["messages"][1]["content"]
    assert "its accessibility tree:\n- " in text["text"]
    assert "- searchbox" in text["text"]
    assert [part["type"] for part in pictures] == ["text", "image_url"] * 3


@pytest.mark.audit
def test_a_plugged_in_source_reads_the_same_in_every_condition(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole requests: clean and sham are the same, and under a mode only the source's reading differs."""
    source = tmp_path / "links.py"
    source.write_text(
        "from stressweb import ObservationSource\n\n\nclass Links(ObservationSource):\n"
        '    """Text and address of every link."""\n\n    name = "links"\n\n'
        "    async def read(self, page):\n"
        '        return await page.locator("a").evaluate_all("(all) => all.map((one) => [one.innerText, one.href])")\n\n'
        '    def render(self, value):\n        return "\\n".join(": ".join(one) for one in value)\n'
    )
    with ScriptedModel(say(act("DONE"))) as server:
        agent = ("--agent", "model(observation=links,-screenshots)", "--model", "scripted", "--load", str(source))
        run = stressweb(tmp_path, server, *agent, "--mode", "sham,noise@5", "--epochs", "1")
        bodies = [json.dumps(body["messages"]) for body in server.bodies]
    assert run.status == 0, run.err
    episodes = {record.cell.condition: record for record in run.all}
    readings = {label: ": ".join(*episodes[label].steps[0].page.sources["links"][:1]) for label in episodes}
    prompts_without_source = {
        record.cell.condition: re.sub(r"Page, its links.*", "", body)
        for record, body in zip(run.all, bodies, strict=True)
    }
    assert set(prompts_without_source) == {"clean", "sham", "noise@5"}
    assert len(set(prompts_without_source.values())) == 1
    assert len({body for record, body in zip(run.all, bodies, strict=True) if record.cell.condition != "noise@5"}) == 1
    assert len(set(bodies)) == 2
    assert all(
        readings[record.cell.condition] in json.loads(body)[1]["content"][0]["text"]
        for record, body in zip(run.all, bodies, strict=True)
    )


def texts_in(folder: Path) -> Iterator[bytes]:
    """Yield every file of a run, and the compressed texts in its database."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.read_bytes()
    with contextlib.closing(sqlite3.connect(folder / FILE)) as connection:
        blobs = Blobs(connection)
        yield from (blobs.get(digest) for (digest,) in connection.execute("SELECT hash FROM blob").fetchall())


def command_lines() -> Iterator[bytes]:
    """Yield the command line of every process, with its name."""
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end while its file is read.
        with contextlib.suppress(OSError):
            yield (folder / "cmdline").read_bytes() + (folder / "comm").read_bytes()


@pytest.mark.sample(1, "runs")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for command lines in /proc")
def test_a_key_is_left_nowhere(tmp_path: Path) -> None:
    lines: list[bytes] = []

    def tells(exchange: Exchange) -> None:
        """Answer with the key in every field of the answer."""
        lines.extend(command_lines())
        body = completion(act("FILL", selector="input[type=search]", text=f"my key is {KEY}", reasoning=KEY), model=KEY)
        exchange.send(200, json.dumps(body).encode(), {"x-request-id": f"for-{KEY}"})

    refuses = fail(400, f"{KEY} may not send a seed")
    no_more = fail(403, f"no more for {KEY}")
    # The last answer ends the run; the second of the two clean episodes would also get it.
    leaks = [refuses, fail(500, KEY), raw(KEY.encode()), say(KEY), tells, tells, tells, no_more]
    with ScriptedModel(*leaks, key=KEY) as server:
        run = stressweb(tmp_path, server, "--mode", "clean", "--screenshots", key=KEY)
        assert all(exchange.headers["Authorization"] == f"Bearer {KEY}" for exchange in server.exchanges)
    assert len(server.exchanges) == len(leaks)
    first = run.all[0]
    assert (run.status, first.status) == (1, "error")
    assert "[key]" in run.err, "the error message is printed without the key"
    assert 'value="my key is [key]"' in first.steps[1].page.html
    traces = [*texts_in(run.folder), run.out.encode(), run.err.encode(), *lines]
    assert [text[:200] for text in traces if KEY.encode() in text] == []
    assert any(NAME.encode() in line for line in lines), "the worker's command line was looked at"


@pytest.mark.audit
def test_a_run_without_credit_stops_and_can_be_resumed(tmp_path: Path) -> None:
    paid = [True]

    def charges(exchange: Exchange) -> None:
        """Answer the first episode, and refuse in the middle of the second."""
        asked_before = len(server.exchanges)
        if paid[0] and asked_before > len(PLAYS) + 2:
            fail(402, "You have exceeded your monthly included credits")(exchange)
        else:
            knows(exchange)

    with ScriptedModel(charges) as server:
        run = stressweb(tmp_path, server, "--mode", "remap")
        assert run.status == 1
        assert {record.status for record in run.all} == {"done", "error"}
        stop_lines = [line for line in run.err.splitlines() if line.startswith("stressweb: stopped: ")]
        assert len(stop_lines) == 1
        assert "status 402: You have exceeded your monthly included credits; 1 episode in 1 block" in stop_lines[0]
        assert stop_lines[0].endswith("continue with --resume --run it")
        rows = json.loads(run.out)["rows"]
        assert (sum(row["errors"] for row in rows), sum(row["episodes"] for row in rows)) == (1, 1)
        assert sum(row["requests"] for row in rows) == len(server.exchanges)
        assert "stopped" in json.loads(run.out)
        paid[0] = False
        again = stressweb(tmp_path, server, "--mode", "remap", "--resume")
    assert (again.status, len(again.all)) == (0, 3)
    assert {record.status for record in again.all} == {"done"}


def test_a_rejected_key_is_reported_before_anything_starts(tmp_path: Path) -> None:
    with ScriptedModel(knows, key=KEY) as server:
        run = stressweb(tmp_path, server, key="sk-wrong-0123456789")
    assert (run.status, run.out, run.err.count("\n")) == (2, "", 1)
    assert "rejects the key in OPENAI_API_KEY" in run.err
    assert "sk-wrong" not in run.err
    assert not run.folder.exists()


@pytest.mark.audit
def test_a_run_of_a_model_is_recorded_and_replayed(tmp_path: Path) -> None:
    """The replay needs no endpoint and no key, and repeats the refusal in between."""
    path = tmp_path / "exchanges.jsonl"
    limited = iter([fail(429, "slow down", {"Retry-After": "0.1"})])

    def limited_once(exchange: Exchange) -> None:
        next(limited, knows)(exchange)

    with ScriptedModel(limited_once, key=KEY) as server:
        recorded = stressweb(tmp_path / "one", server, "--mode", "remap", "--record-llm", str(path), key=KEY)
        assert (recorded.status, recorded.err) == (0, "")
        replayed = stressweb(tmp_path / "two", server, "--mode", "remap", "--replay-llm", str(path))
        request_count = len(server.exchanges)
    assert (replayed.status, replayed.err) == (0, "")
    assert request_count == sum(record.usage.tries for record in recorded.all)
    assert KEY not in path.read_text("utf-8")
    for first, second in zip(recorded.all, replayed.all, strict=True):
        assert [first.status, first.claim, first.message, first.grade] == [
            second.status,
            second.claim,
            second.message,
            second.grade,
        ]
        assert first.actions == second.actions
        assert first.ledger == second.ledger
        assert first.usage.tokens_in == second.usage.tokens_in > 0
    with ScriptedModel() as server:
        foreign = stressweb(tmp_path / "three", server, "--mode", "remap", "--replay-llm", str(path), "--seed", "1")
        assert foreign.status == 2
        assert "has 3 episodes, and none of this run" in foreign.err
    text = path.read_text("utf-8").replace("first hit", "second hit").replace("Orchid", "Violet")
    path.write_text(text, "utf-8")
    with ScriptedModel() as server:
        diverged = stressweb(tmp_path / "four", server, "--mode", "remap", "--replay-llm", str(path))
    assert diverged.status == 1
    assert {record.status for record in diverged.all} == {"error"}
    assert all("the replay left the recording at request" in record.message for record in diverged.all)
