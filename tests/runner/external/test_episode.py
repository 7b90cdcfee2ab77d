"""An agent that is a program: its input, the end of its episode, and the party to blame for failures."""

import json
import re
import sys
import time
from datetime import UTC
from pathlib import Path

import pytest

from stressweb.log.limits import Limits
from tests.support.programs import FINISH, Programs, Ran

pytestmark = pytest.mark.sample(3, "file")


def test_a_program_gets_goal_and_addresses_and_nothing_else_of_ours(
    programs: Programs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STRESSWEB_SECRET_OF_OURS", "x")
    monkeypatch.setenv("SOME_KEY_OF_THE_USER", "kept")
    output_path = tmp_path / "said.json"
    body = f"""
import json, os
found = [dict(os.environ), json.load(open(os.environ["STRESSWEB_EPISODE"]))]
json.dump(found, open({str(output_path)!r}, "w"))
"""
    programs.run(programs.python(body, head=""))
    variables, episode = json.loads(output_path.read_text())
    ours = {name.removeprefix("STRESSWEB_").lower(): value for name, value in variables.items() if "STRESSWEB" in name}
    assert set(ours) == {"goal", "start_url", "cdp_url", "proxy", "finish_url", "max_steps", "seconds", "episode"}
    assert episode == {name: value for name, value in ours.items() if name != "episode"}
    assert ours["goal"] == programs.library.goal("shop/first-hit", 0).text
    assert variables["SOME_KEY_OF_THE_USER"] == "kept"


def test_a_program_judges_a_test_case_of_which_it_knows_the_words_alone(programs: Programs, tmp_path: Path) -> None:
    task = "cases/food/new-address#F1"
    output_path = tmp_path / "variables.json"
    body = f"""
import json, os, urllib.request
json.dump(dict(os.environ), open({str(output_path)!r}, "w"))
verdict = json.dumps({{"verdict": "fail", "step": 99}}).encode()
urllib.request.urlopen(urllib.request.Request(os.environ["STRESSWEB_FINISH_URL"], verdict, {{"content-type": "application/json"}}))
"""
    record = programs.run(programs.python(body, head=""), task=task)
    assert (record.status, record.claim) == ("done", "done")
    assert record.grade is not None
    assert record.grade.judgement is not None
    assert (record.grade.judgement.outcome, record.grade.judgement.step) == ("AFA", 99)
    variables = json.loads(output_path.read_text())
    assert variables["STRESSWEB_GOAL"] == programs.library.goal(task, 0).text
    ours = {name: text for name, text in variables.items() if name.startswith("STRESSWEB_")}
    assert not [name for name, text in ours.items() if task in text or "new-address" in text or "#F1" in text]


@pytest.mark.parametrize(
    ("body", "status", "claim", "message"),
    [
        ("finish('done', message='I am sure')", "done", "done", "I am sure"),
        ("finish('failed', message='not there')", "gave_up", "failed", "not there"),
        ("pass", "done", "done", ""),
        ("print('what I saw'); sys.exit(3)", "crashed", "none", "the process ended with exit status 3: what I saw"),
        ("raise RuntimeError('boom')", "crashed", "none", "the process ended with exit status 1: RuntimeError: boom"),
        ("os.kill(os.getpid(), 9)", "crashed", "none", "the process ended with SIGKILL"),
        ("finish(); raise RuntimeError('after the end')", "done", "done", ""),
        ("finish(); time.sleep(60)", "done", "done", ""),
        ("sys.stdout.buffer.write(bytes(range(256)) * 4000); finish()", "done", "done", ""),
        ("browser.close(); finish()", "done", "done", ""),
        ("browser.new_browser_cdp_session().send('Browser.close')\nfinish()", "done", "done", ""),
        ("[browser.contexts[0].new_page() for _ in range(19)]; finish()", "done", "done", ""),
        ("page.evaluate('setTimeout(() => alert(1), 50)'); time.sleep(.3); finish()", "done", "done", ""),
    ],
)
def test_how_a_program_ends_is_how_its_episode_ends(ran: Ran, body: str, status: str, claim: str, message: str) -> None:
    record = ran(body)
    assert (record.status, record.claim, record.message) == (status, claim, message)
    assert record.steps[0].page.url.startswith("http://")
    assert record.grade is not None
    assert not record.success


def test_output_of_a_program_is_kept_without_keys(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "planted-key-1234567890")
    record = ran("print(*os.environ.values()); raise RuntimeError(os.environ['OPENAI_API_KEY'])")
    assert "RuntimeError: [key]" in record.message
    recorded_text = record.message + record.traceback
    assert "planted-key" not in recorded_text
    assert "/finish" in recorded_text
    token = next(line for line in recorded_text.split() if line.endswith("/finish")).split("/")[-2]
    assert token == "[key]"


def test_a_program_that_hangs_is_ended_with_its_children(programs: Programs, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    forks = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
open({str(pids)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
time.sleep(300)
"""
    started = time.monotonic()
    # Without a browser it needs no time to start.
    record = programs.run(programs.python(forks, head=FINISH), limits=Limits(agent_seconds=8))
    assert time.monotonic() - started < 60
    assert record.status == "crashed"
    assert re.match(r"not finished after (8|9|1\d)", record.message), record.message
    assert [pid for pid in pids.read_text().split() if alive(int(pid))] == []


def alive(pid: int) -> bool:
    try:
        # A killed process stays in the process list until its parent waits for it.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_steps_of_an_episode_are_bounded(ran: Ran) -> None:
    clicks = "for n in range(9): page.mouse.click(5, 5 + n); time.sleep(.6)"
    record = ran(f"{clicks}\nfinish()", limits=Limits(max_steps=3, agent_seconds=60))
    assert (record.status, record.message) == ("out_of_steps", "all 3 steps were used")
    assert [step.action and step.action.kind for step in record.steps] == [None, "CLICK", "CLICK", "CLICK"]


def test_an_episode_is_finished_once_and_only_at_its_address(ran: Ran) -> None:
    twice = """
def status(url):
    try:
        asked = urllib.request.Request(url, b'{"claim": "done"}', {"content-type": "application/json"})
        return urllib.request.urlopen(asked).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError as error:
        return type(error).__name__
other = os.environ["STRESSWEB_FINISH_URL"].split("/")
other[-2] = "x" * len(other[-2])
first = [status("/".join(other))]
asked = urllib.request.Request(os.environ["STRESSWEB_FINISH_URL"], b'{"claim": "won"}', {"content-type": "application/json"})
try:
    urllib.request.urlopen(asked)
except urllib.error.HTTPError as error:
    first.append(error.code)
finish("failed", message=repr(first))
"""
    record = ran(twice)
    assert (record.status, record.message) == ("gave_up", "[404, 422]")


@pytest.mark.parametrize(
    "program",
    ["no-such-program-anywhere --x", f"{sys.executable} /no/such/file.py"],
    ids=["missing program", "missing script"],
)
def test_a_program_that_cannot_run_is_the_agents_failure(programs: Programs, program: str) -> None:
    record = programs.run(program)
    assert record.status == "crashed"
    assert "No such file" in record.message


def test_bypasses_are_refused_or_counted(ran: Ran) -> None:
    body = """
session = browser.new_browser_cdp_session()
refused = []
for method, params in [
    ("Target.createBrowserContext", {"proxyServer": "direct://"}),
    ("Browser.crash", {}),
]:
    try:
        session.send(method, params)
    except Exception as error:
        refused.append("stressweb refuses" in str(error))
page.context.add_cookies([{"name": "a", "value": "b", "url": page.url}])
page.goto(page.url + "somewhere")
finish(message=repr(refused))
"""
    record = ran(body, "sham")
    assert record.message == "[True, True]"
    bypasses = [entry.detail.partition(":")[0] for entry in record.ledger if entry.phase == "bypass"]
    assert bypasses == ["Target.createBrowserContext", "Browser.crash", "Storage.setCookies", "http"]


def test_another_context_uses_the_proxy_too(ran: Ran) -> None:
    body = """
other = browser.new_context().new_page()
other.goto(os.environ["STRESSWEB_START_URL"])
try:
    other.goto("http://127.0.0.1:" + os.environ["STRESSWEB_CDP_URL"].split(":")[2].split("/")[0] + "/docs")
    said = other.content()
except Exception as error:
    said = str(error)
finish(message=other.context.pages[0].title() + said)
"""
    record = ran(body)
    assert record.status == "done"
    assert "Access to this address is blocked" in record.message


SEEN = """
seen = page.evaluate('''() => [
    innerWidth, innerHeight, devicePixelRatio, navigator.language,
    Intl.DateTimeFormat().resolvedOptions().timeZone,
    new Date().toISOString(), Date.now(), typeof Date(), new Date(0).toISOString(), new Date() instanceof Date,
]''')
finish(message=json.dumps(seen))
"""


@pytest.mark.parametrize("label", ["clean", "sham"])
def test_a_program_sees_the_same_environment_as_our_agents(ran: Ran, programs: Programs, label: str) -> None:
    record = ran(SEEN, label)
    start = programs.library.world_of("shop/first-hit", 0).start.replace(tzinfo=UTC)
    now = start.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    expected = [1280, 800, 1, "en-US", "UTC", now, start.timestamp() * 1000, "string", "1970-01-01T00:00:00.000Z"]
    assert json.loads(record.message) == [*expected, True]


def test_a_command_that_finishes_twice_keeps_its_first_claim(ran: Ran, tmp_path: Path) -> None:
    """Before the end the second claim is refused; after the end of the episode no server answers."""
    answer = tmp_path / "answer"
    body = f"""
finish("failed", message="first")
try:
    second = finish("done", message="second")
except urllib.error.HTTPError as error:
    second = error.code
except OSError:
    second = "nobody"
open({str(answer)!r}, "w").write(str(second))
"""
    record = ran(body)
    assert (record.status, record.claim, record.message) == ("gave_up", "failed", "first")
    assert answer.read_text("utf-8") in ("404", "409", "nobody")


PLAIN = """
import itertools
from websockets.sync.client import connect

version = os.environ["STRESSWEB_CDP_URL"].partition("/devtools")[0].replace("ws:", "http:") + "/json/version"
address = json.loads(urllib.request.urlopen(version).read())["webSocketDebuggerUrl"]
numbers = itertools.count(1)
with connect(address, max_size=None) as socket:
    def ask(method, session=None, **params):
        number = next(numbers)
        socket.send(json.dumps({"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})))
        while True:
            message = json.loads(socket.recv())
            if message.get("id") == number:
                return message["result"]

    targets = ask("Target.getTargets")["targetInfos"]
    page = next(target["targetId"] for target in targets if target["type"] == "page")
    session = ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
    ask("Page.navigate", session, url=os.environ["STRESSWEB_START_URL"])
    script = "document.readyState === 'complete' && document.querySelector('main a') !== null"
    while not ask("Runtime.evaluate", session, expression=script)["result"].get("value"):
        time.sleep(0.05)
    ask("Runtime.evaluate", session, expression="document.querySelector('main a').click()")
finish()
"""


def test_a_client_without_any_driver_plays_by_http_and_a_web_socket(programs: Programs) -> None:
    record = programs.run(programs.python(PLAIN, head=FINISH))
    assert (record.status, record.claim) == ("done", "done"), record.message
    assert [action.kind for action in record.actions] == ["CLICK", "DONE"]
    assert [entry.detail for entry in record.ledger if entry.phase == "bypass"] == []
