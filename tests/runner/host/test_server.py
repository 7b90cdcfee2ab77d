"""The episode server from its clients' side: plain HTTP, and plain Playwright by the CDP URL."""

import json
import re
import stat
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page
from playwright.sync_api import Error as PlaywrightError
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from stressweb.runner import registry
from stressweb.runner.external.observer import MOST_TABS
from stressweb.runner.host.client import ADDRESS_FILE
from stressweb.runner.registry import Library
from tests.support.episode_server import FIRST_HIT, Scripted, Server, Start
from tests.support.waiting import until

pytestmark = pytest.mark.sample(3, "file")


@contextmanager
def client(browser: Browser, episode: dict[str, Any]) -> Iterator[tuple[Browser, Page]]:
    """Connect to the browser of an episode, and go to its first page."""
    connected = browser.browser_type.connect_over_cdp(episode["cdp_url"])
    page = connected.contexts[0].pages[0]
    page.set_default_timeout(15_000)
    page.goto(episode["start_url"])
    yield connected, page
    connected.close()


def test_an_episode_is_opened_played_and_graded(server: Server, scripted: Scripted) -> None:
    episode = server.open()
    assert episode["goal"].startswith("Search the shop for")
    assert (episode["task"], episode["condition"], episode["agent"]) == (FIRST_HIT, "clean", "client")
    assert episode["max_steps"] == 100
    assert episode["seconds"] == 600
    state = scripted.play("naive", episode, server)
    assert (state["state"], state["status"], state["claim"]) == ("finished", "done", "done")
    assert state["grade"]["success"] is True
    assert all(state["grade"]["checkpoints"].values())


CASE = "cases/food/new-address"


def test_a_test_case_is_finished_with_a_verdict(server: Server) -> None:
    episode = server.open(CASE)
    assert episode["goal"] == Library().goal(CASE, 0).text
    path = f"/episodes/{episode['id']}/finish"
    wrong = server.ask(path, {"verdict": "fail"}, episode["token"])
    assert (wrong.status, "needs the step that fails" in wrong.line) == (422, True)
    assert server.state(episode)["state"] == "open", "a malformed verdict ends nothing"
    answer = server.ask(path, {"verdict": "pass"}, episode["token"])
    assert (answer.status, answer.body["claim"], answer.body["grade"]["success"]) == (200, "done", True)


def test_a_client_may_have_its_own_browser(server: Server, browser: Browser) -> None:
    episode = server.open(own_browser=True)
    assert (episode["cdp_url"], episode["mcp"], episode["agent"]) == (None, None, "client(own_browser)")
    proxy = urlsplit(episode["proxy"])
    context = browser.new_context(
        proxy={
            "server": f"http://{proxy.hostname}:{proxy.port}",
            "username": proxy.username or "",
            "password": unquote(proxy.password or ""),
        }
    )
    try:
        page = context.new_page()
        page.goto(episode["start_url"])
        page.get_by_role("main").get_by_role("link").first.click()
        page.wait_for_load_state()
        state = server.finish(episode)
    finally:
        context.close()
    assert (state["state"], state["status"]) == ("finished", "done")
    assert (state["grade"]["success"], state["grade"]["unobserved"]) == (False, [])
    kinds = [step["action"] and step["action"]["kind"] for step in server.ask(f"/episodes/{episode['id']}/steps").body]
    assert kinds == [None, "CLICK", "DONE"]


def test_steps_and_ledger_can_be_read_while_it_runs(server: Server, browser: Browser) -> None:
    episode = server.open(condition="remap@5")
    path = f"/episodes/{episode['id']}"
    with client(browser, episode) as (_, page):
        page.mouse.click(640, 5)
        page.get_by_role("searchbox").first.press("Tab")
        kinds = [step["action"] and step["action"]["kind"] for step in server.ask(f"{path}/steps").body]
        assert kinds[:2] == [None, "CLICK"]
        assert {line["mode"] for line in server.ask(f"{path}/ledger").body} == {"remap"}
        state = server.state(episode)
        assert (state["state"], state["clients"]) == ("open", 1)
        assert 0 < state["seconds_left"] <= 600
        # An agent that could read the disturbances there would bypass them.
        for kind in ("steps", "ledger"):
            refused = server.ask(f"{path}/{kind}", token=episode["token"])
            assert refused.status == 403
    usage = {"tokens_in": 7, "tokens_out": 2, "model": "a-model"}
    ended = server.finish(episode, "failed", message="not there", usage=usage)
    assert (ended["status"], ended["claim"], ended["message"]) == ("gave_up", "failed", "not there")
    assert ended["grade"]["success"] is False
    after = [step["action"] and step["action"]["kind"] for step in server.ask(f"{path}/steps").body]
    assert after[: len(kinds)] == kinds
    assert after[-1] == "FAIL"
    assert {line["mode"] for line in server.ask(f"{path}/ledger").body} == {"remap"}


def test_an_episode_is_finished_once_and_with_its_own_token(server: Server) -> None:
    episode, second_episode = server.open(), server.open()
    path = f"/episodes/{episode['id']}/finish"
    refused = [server.ask(path, {"claim": "done"}, token) for token in (second_episode["token"], "wrong", "")]
    assert [answer.status for answer in refused] == [403, 401, 401]
    assert refused[0].line == "this is the token of another episode"
    assert server.ask(path, {"claim": "won"}, episode["token"]).line == "claim: is 'won'; it takes 'done' or 'failed'"
    assert server.finish(episode)["status"] == "done"
    again = server.ask(path, {"claim": "done"}, episode["token"])
    assert (again.status, again.line) == (409, f"episode {episode['id']} is over: done")
    assert server.ask("/episodes/abc/finish", {"claim": "done"}).status == 404
    assert server.state(second_episode)["state"] == "open"
    server.finish(second_episode)


@pytest.mark.parametrize("path", ["/tasks", "/conditions", "/episodes", "/episodes/abc", "/episodes/abc/ledger"])
def test_a_wrong_token_is_refused(server: Server, path: str) -> None:
    refused = server.ask(path, token="wrong")
    assert refused.status == 401
    assert refused.line.endswith("send it as `Authorization: Bearer TOKEN`")


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ({"task": "shop/first-hot"}, r"unknown task 'shop/first-hot'; did you mean shop/first-hit .*"),
        ({"task": "shp/first-hit"}, r"unknown site 'shp'; did you mean shop\?.*"),
        ({"condition": "rmap@3"}, r"unknown mode 'rmap@3'; did you mean remap\?.*"),
        ({"condition": "remap@9"}, "severity 9 of mode 'remap' is outside 0 to 5"),
        ({"condition": "remap(shar=1)"}, ".*shar.*share.*"),
        ({"condition": "remap,noise"}, "condition 'remap,noise' names 2 conditions; an episode has exactly one"),
        ({"condition": "tests.support.toy:Toy"}, r"unknown mode 'tests.support.toy:Toy'; .*"),
        ({"seeds": {"world": -1}}, "seeds.world: is -1; it takes at least 0"),
        ({"agent": "a b"}, "agent: .*"),
        ({"mode": "remap"}, "mode: is no known name"),
    ],
)
def test_unknown_names_are_one_line_with_the_nearest(server: Server, wanted: dict[str, Any], line: str) -> None:
    refused = server.ask("/episodes", {"task": FIRST_HIT, **wanted})
    assert refused.status == 422
    assert re.fullmatch(line, refused.line), refused.line
    # A wrong request adds nothing to the run.
    assert not any(state["state"] == "opening" for state in server.ask("/episodes").body)


def test_tasks_and_conditions_are_listed(server: Server) -> None:
    tasks = [line["task"] for line in server.ask("/tasks").body]
    assert FIRST_HIT in tasks
    assert len(tasks) > 100
    cases = {line["task"]: line["site"] for line in server.ask("/tasks?cases=true").body}
    assert (cases[CASE], len(cases)) == ("food", len(registry.Library().case_ids()))
    assert cases.keys().isdisjoint(tasks)
    conditions = {line["condition"]: line["severities"] for line in server.ask("/conditions").body}
    assert conditions["clean"] == conditions["sham"] == []
    assert "remap@3" in conditions["remap"]


def test_the_page_of_the_interface_needs_no_network(server: Server, browser: Browser) -> None:
    page = browser.new_page()
    requested_urls: list[str] = []
    page.on("request", lambda request: requested_urls.append(request.url))
    page.goto(f"{server.url}/")
    page.get_by_text("/episodes/{name}/finish").wait_for()
    assert page.url == f"{server.url}/docs"
    assert [url for url in requested_urls if not url.startswith((server.url, "data:"))] == []
    page.close()


def test_parallel_episodes_never_meet(server: Server, browser: Browser, scripted: Scripted) -> None:
    first, second = server.open(), server.open()
    assert first["epoch"] != second["epoch"]
    playing = scripted.start("naive", first, server)
    with client(browser, second) as (connected, page):
        session = connected.new_browser_cdp_session()
        targets = session.send("Target.getTargets")["targetInfos"]
        assert [target["type"] for target in targets if target["type"] == "page"] == ["page"]
        page.get_by_role("searchbox").first.fill("orchid")
        assert playing.wait(60) == 0
    assert server.finish(second)["grade"]["success"] is False
    assert server.ended(first)["grade"]["success"] is True
    names = {step["action"]["kind"] for step in server.ask(f"/episodes/{second['id']}/steps").body if step["action"]}
    assert names == {"FILL", "DONE"}


@pytest.mark.audit
def test_eight_episodes_at_a_time(server: Server, browser: Browser) -> None:
    with ThreadPoolExecutor(8) as threads:
        episodes = [*threads.map(lambda number: server.open(seeds={"world": number % 2}), range(8))]
    assert len({(episode["id"], episode["token"], episode["proxy"]) for episode in episodes}) == 8
    with ExitStack() as stack:
        pages = [stack.enter_context(client(browser, episode))[1] for episode in episodes]
        for number, page in enumerate(pages):
            page.get_by_role("searchbox").first.fill(f"orchid {number}")
        values = [page.get_by_role("searchbox").first.input_value() for page in pages]
    assert values == [f"orchid {number}" for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        ended = [*threads.map(server.finish, episodes)]
    assert [(state["status"], state["steps"]) for state in ended] == [("done", 2)] * 8
    for number, episode in enumerate(episodes):
        steps = server.ask(f"/episodes/{episode['id']}/steps").body
        assert [step["action"]["text"] for step in steps if step["action"] and "text" in step["action"]] == [
            f"orchid {number}"
        ]


def test_a_client_that_never_comes_or_falls_silent_has_failed(start: Start, browser: Browser) -> None:
    server = start("--idle", "5")
    absent, silent = server.open(), server.open()
    connected = browser.browser_type.connect_over_cdp(silent["cdp_url"])
    connected.contexts[0].pages[0].goto(silent["start_url"])
    for episode, reason in ((absent, "no client came"), (silent, r"its client was silent for \d+ s")):
        state = server.ended(episode)
        assert (state["state"], state["status"], state["claim"]) == ("finished", "crashed", "none")
        assert re.fullmatch(rf"expired after \d+ s: {reason}", state["message"])
        assert state["grade"]["success"] is False
        late_answer = server.ask(f"/episodes/{episode['id']}/finish", {"claim": "done"})
        assert late_answer.status == 409
        assert "expired" in late_answer.line
    connected.close()


def pictures(page: Page) -> None:
    """Take pictures until the connection ends."""
    while True:
        page.screenshot()


def test_an_episode_ends_by_its_time(start: Start, browser: Browser) -> None:
    server = start("--agent-seconds", "4")
    episode = server.open()
    # Its client is not silent: each picture is a request to the browser.
    with client(browser, episode) as (_, page), pytest.raises(PlaywrightError, match="closed"):
        pictures(page)
    state = server.ended(episode)
    assert (state["status"], state["message"]) == ("crashed", "not finished after 4 s")


def test_a_client_that_closes_the_browser_only_leaves(server: Server, browser: Browser) -> None:
    episode = server.open()
    with client(browser, episode) as (connected, page):
        connected.new_browser_cdp_session().send("Browser.close")
    assert server.state(episode)["state"] == "open"
    with client(browser, episode) as (_, page):
        assert page.title()
    assert server.finish(episode)["status"] == "done"


def blocked(server: Server, episode: dict[str, Any]) -> int:
    """Return the number of blocked attempts in an episode so far."""
    lines = server.ask(f"/episodes/{episode['id']}/ledger").body
    return sum(line["count"] for line in lines if line["phase"] == "blocked")


@pytest.mark.parametrize("by_page", [False, True])
def test_a_client_that_opens_fifty_tabs_has_twenty(server: Server, browser: Browser, by_page: bool) -> None:
    """Tabs beyond the limit are refused, however they are opened, and the episode continues."""
    episode = server.open()
    with client(browser, episode) as (connected, page):
        context = connected.contexts[0]
        if by_page:
            page.evaluate("for (let tab = 0; tab < 50; tab++) open('about:blank')")
            until(
                lambda: (blocked(server, episode), len(context.pages)) == (31, MOST_TABS),
                lambda: page.wait_for_timeout(50),
            )
        else:
            for _ in range(MOST_TABS - 1):
                context.new_page()
            for _ in range(31):
                with pytest.raises(PlaywrightError, match="the episode has reached its limit of 20 open tabs"):
                    context.new_page()
        assert len(context.pages) == MOST_TABS == 20
        # A closed tab makes room for another.
        context.pages[-1].close()
        context.new_page()
        page.get_by_role("searchbox").first.fill("orchid")
    state = server.finish(episode)
    assert (state["status"], blocked(server, episode)) == ("done", 31)


def test_a_client_that_asks_for_everything_at_once_gets_it(server: Server) -> None:
    episode, count = server.open(), 3000
    with connect(episode["cdp_url"], max_size=None) as websocket:
        for number in range(count):
            websocket.send(json.dumps({"id": number, "method": "Target.getTargets"}))
        answers = [json.loads(websocket.recv(timeout=30)) for _ in range(count)]
    assert [answer["id"] for answer in answers] == [*range(count)]
    assert all("result" in answer for answer in answers)
    assert server.finish(episode)["status"] == "done"


def test_invalid_messages_get_an_error(server: Server) -> None:
    episode = server.open()
    with connect(episode["cdp_url"]) as websocket:
        for wrong in ("", "x", "[]", '{"id": 1}', b"\x00\xff", '{"id": "1", "method": "Browser.getVersion"}'):
            websocket.send(wrong)
            assert "error" in json.loads(websocket.recv(timeout=10))
    with pytest.raises(InvalidStatus, match="403"), connect(episode["cdp_url"].replace(episode["token"], "x")):
        pass
    assert server.finish(episode)["status"] == "done"


def test_the_number_of_open_episodes_is_limited(start: Start) -> None:
    server = start("--in-flight", "1")
    episode = server.open()
    refused = server.ask("/episodes", {"task": FIRST_HIT})
    assert refused.status == 429
    assert refused.line == "1 episodes are open, which is the limit; finish one, or wait"
    server.finish(episode)
    server.finish(server.open())


def test_address_and_token_are_in_a_file_of_the_owners(server: Server) -> None:
    path = server.folder / ADDRESS_FILE
    assert json.loads(path.read_text()) == {"url": server.url, "token": server.token}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_no_file_of_the_run_contains_secrets(server: Server) -> None:
    episode = server.open()
    password = episode["proxy"].split(":")[2].partition("@")[0]
    ended = server.finish(episode, message=f"{episode['token']} {password}")
    assert ended["message"] == "[key] [key]"
    secrets = (server.token.encode(), episode["token"].encode(), password.encode())
    files = [path for path in server.folder.rglob("*") if path.is_file() and path.name != ADDRESS_FILE]
    assert files
    for path in files:
        assert [secret for secret in secrets if secret in path.read_bytes()] == []


def test_it_listens_on_loopback_by_default(server: Server) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(f"{server.url}/openapi.json") as response:
        description = json.load(response)
    assert description["components"]["securitySchemes"] == {"HTTPBearer": {"type": "http", "scheme": "bearer"}}
    assert {*description["paths"]} == {
        "/tasks", "/conditions", "/episodes", "/episodes/{name}", "/episodes/{name}/finish", "/episodes/{name}/steps",
        "/episodes/{name}/ledger",
    }  # fmt: skip


def test_no_file_of_the_run_is_open_to_others(server: Server) -> None:
    assert stat.S_IMODE(Path(server.folder).stat().st_mode) == 0o700
