"""One episode in a real browser on a small site behind the real proxy."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest
from playwright.async_api import Page as AsyncPage
from playwright.sync_api import Browser

from scripts.waited import Evidence, run_episode
from stressweb.core.conditions import CLEAN
from stressweb.core.entity import Entity
from stressweb.core.protocol import VIEWPORT
from stressweb.log.limits import Limits
from stressweb.log.pictures import kind_of, window_of
from stressweb.log.recording import Cell, EpisodeRecord
from stressweb.log.store import Store
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.plugins.site_world import DATABASE, SiteWorld
from stressweb.plugins.task import Goal
from stressweb.runner.registry import SOURCES
from stressweb.runner.world.world import World
from tests.support.isolated_plugins import isolate_plugins
from tests.support.made_up_sources import FAILURES, Links, Raw, failing

pytestmark = pytest.mark.sample(5, "file")

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

HOME = """<!DOCTYPE html><html><head><title>Notes</title></head><body><h1>Notes</h1><ul>{}</ul>
<form method="post" action="/add"><label for="text">text</label><input name="text" id="text"><button>Add</button></form>
<a href="/fail">Fail</a> <a href="/" target="_blank" id="tab">Tab</a> <button onclick="alert('hello')">Alert</button>
<a href="/" download="notes.html" id="file">File</a> <a href="#" id="leave" onclick="window.onbeforeunload = (event) => event.preventDefault(); window.location = '/?left'">Leave</a></body></html>"""


class Notes(SiteWorld):
    """A page with a list of notes and a form that adds one."""

    site = "notes"
    host = "notes.test"
    seed = 0
    labels: Mapping[str, str] = {}
    entities: Mapping[str, Sequence[Entity]] = {}
    start = datetime(2026, 5, 4, 9)

    def __init__(self) -> None:
        """Create the initial database, without notes."""
        with sqlite3.connect(":memory:") as connection:
            connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)")
            connection.commit()
            self.template = connection.serialize()

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Show the notes, or add one."""
        database: sqlite3.Connection = environ[DATABASE]
        if environ["PATH_INFO"] == "/fail":
            raise RuntimeError("the site is broken")
        if environ["REQUEST_METHOD"] == "POST":
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])).decode()
            database.execute("INSERT INTO note (text) VALUES (?)", (parse_qs(body)["text"][0],))
            database.commit()
            start_response(
                "303 See Other", [("Location", "/"), ("Set-Cookie", "seen=1; Path=/"), ("Content-Length", "0")]
            )
            return [b""]
        notes = "".join(f"<li>{text}</li>" for (text,) in database.execute("SELECT text FROM note"))
        seen = "seen" if "seen=1" in environ.get("HTTP_COOKIE", "") else ""
        page = HOME.format(notes + seen).encode()
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(page)))])
        return [page]

    def sign_in(self, database: sqlite3.Connection, owner: str) -> dict[str, str]:
        """Sign the recorder in, and add a note about it."""
        database.execute("INSERT INTO note (text) VALUES (?)", (f"{owner} reads",))
        database.commit()
        return {"seen": "1"} if owner else {}


class Scripted(Agent):
    """Performs a list of actions, then says DONE; records its observations."""

    name = "scripted"

    def __init__(self, actions: Sequence[dict[str, Any]], wants: frozenset[str] = frozenset()) -> None:
        self.todo = [Action.model_validate(action) for action in actions]
        self.seen: list[Observation] = []
        self.wants = wants

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        self.seen.append(observation)
        return self.todo.pop(0) if self.todo else Action(kind="DONE", message="all done")


GOAL = Goal(task="notes/add", world_seed=0, text="Add a note.", params={}, ways=((),), evidence=("/",))
CELL = Cell(agent="scripted", task="notes/add", condition="clean", world=0, stress=0)
ADD: list[dict[str, Any]] = [
    {"kind": "FILL", "selector": "#text", "text": "milk"},
    {"kind": "CLICK", "selector": "form button"},
]
TAB_AND_DIALOG = [
    *ADD,
    {"kind": "CLICK", "selector": "#tab"},
    {"kind": "CLICK", "selector": "body > button"},
    {"kind": "DIALOG", "accept": True},
]


@pytest.fixture(scope="module")
def evidence(browser: Browser) -> Iterator[Evidence]:
    reader = Evidence(browser)
    yield reader
    reader.close()


type Play = Callable[..., EpisodeRecord]


@pytest.fixture
def play(world: World, browser: Browser, evidence: Evidence) -> Play:
    def _play(
        agent: Agent | Callable[[], Agent], limits: Limits | None = None, site: SiteWorld | None = None
    ) -> EpisodeRecord:
        episode = world.open(site or Notes(), CLEAN, CELL.seeds)
        try:
            record: EpisodeRecord = run_episode(
                CELL, GOAL, agent, episode, browser, evidence, limits or Limits(), "2026-05-04T09:00:00Z"
            )
        finally:
            episode.close()
        return record

    return _play


def test_everything_is_recorded(play: Play) -> None:
    agent = Scripted(ADD)
    record = play(agent)
    assert (record.status, record.claim, record.message) == ("done", "done", "all done")
    assert [action.kind for action in record.actions] == ["FILL", "CLICK", "DONE"]
    assert [step.page.url for step in record.steps] == ["http://notes.test/"] * 4
    assert 'value="milk"' in record.steps[1].page.html
    assert "<li>milk</li>" in record.steps[2].page.html
    assert record.steps[3].page == record.steps[2].page
    assert "<li>milk</li><li> reads</li>" in record.closings["/"].html, "evidence is the final database"
    assert "</li>seen" not in record.closings["/"].html, "evidence is not read with the agent's cookies"
    assert record.final["note"].added == ({"id": 1, "text": "milk"},)
    assert [action.kind for action, _ in agent.seen[-1].history] == ["FILL", "CLICK"]


class Timed(Notes):
    """A page with the time of the browser's clock in its title."""

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Serve the page."""
        page = b"<!DOCTYPE html><title>-</title><script>document.title = new Date().toISOString()</script>"
        start_response("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(page)))])
        return [page]


def test_evidence_is_read_at_the_time_of_its_episode(world: World, evidence: Any) -> None:
    for now in ("2026-05-04T09:00:00Z", "2026-05-04T09:00:00Z", "2026-06-04T09:00:00Z"):
        episode = world.open(Timed(), CLEAN, CELL.seeds)
        pages = evidence.read(episode, ("/",), "", now)
        episode.close()
        assert f"<title>{now[:-1]}.000Z</title>" in pages["/"].html


def test_evidence_is_read_as_the_tasks_user_from_a_copy(world: World, browser: Browser, evidence: Evidence) -> None:
    goal = GOAL.model_copy(update={"user": "ann", "evidence": ("/", "/again")})
    episode = world.open(Notes(), CLEAN, CELL.seeds)
    record = run_episode(CELL, goal, Scripted(ADD), episode, browser, evidence, Limits(), "2026-05-04T09:00:00Z")
    assert all("<li>milk</li><li>ann reads</li>seen" in page.html for page in record.closings.values())
    assert len(record.closings) == 2
    assert episode.final() == record.final
    assert record.final["note"].added == ({"id": 1, "text": "milk"},)
    episode.close()


def test_two_runs_record_the_same(play: Play) -> None:
    first, second = (play(Scripted(ADD)) for _ in range(2))
    assert [(step.page, step.action, step.outcome) for step in first.steps] == [
        (step.page, step.action, step.outcome) for step in second.steps
    ]
    assert (first.closings, first.final, first.ledger) == (second.closings, second.final, second.ledger)
    assert "<li>milk</li><li> reads</li>" in second.closings["/"].html, (
        "a warm context must not show the episode before"
    )


@pytest.mark.parametrize(
    ("actions", "limits", "status", "claim"),
    [
        ([{"kind": "FAIL", "message": "no"}], Limits(), "gave_up", "failed"),
        ([{"kind": "WAIT", "seconds": 0}] * 9, Limits(max_steps=2), "out_of_steps", "none"),
        ([{"kind": "WAIT", "seconds": 0.2}] * 9, Limits(agent_seconds=0.1), "crashed", "none"),
    ],
)
def test_ends_of_an_episode(play: Play, actions: list[dict[str, Any]], limits: Limits, status: str, claim: str) -> None:
    record = play(Scripted(actions), limits)
    assert (record.status, record.claim) == (status, claim)


@pytest.mark.parametrize("failing_page", ["first page", "evidence"])
def test_a_failing_site_is_an_error_and_not_the_agents_failure(play: Play, failing_page: str) -> None:
    class Failing(Notes):
        def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
            reads = environ[DATABASE].execute("SELECT text FROM note WHERE text LIKE '% reads'").fetchone()
            if (failing_page == "evidence") == (reads is not None):
                raise RuntimeError("the site is broken")
            return super().app(environ, start_response)

    record = play(Scripted(ADD), site=Failing())
    assert (record.status, record.claim) == ("error", "none")
    assert record.message == "RuntimeError of site notes: the site is broken"
    assert 'raise RuntimeError("the site is broken")' in record.traceback
    assert ", in app" in record.traceback


@pytest.mark.parametrize("action", [{"kind": "CLICK", "selector": "a"}, {"kind": "NAVIGATE", "url": "/fail?from=9999"}])
def test_an_agent_cannot_void_its_episode_by_making_the_site_fail(play: Play, action: dict[str, Any]) -> None:
    """The episode counts, with the fault in the ledger: otherwise a losing agent could drop it."""
    agent = Scripted([action])
    record = play(agent)
    assert (record.status, record.claim) == ("done", "done")
    assert "Internal Server Error" in agent.seen[-1].html
    faults = [(entry.step, entry.mode, entry.detail) for entry in record.ledger if entry.phase == "fault"]
    assert faults == [(1, "world", "/fail")]
    assert 'raise RuntimeError("the site is broken")' in record.traceback


def test_an_agent_that_raises_has_failed_with_all_that_it_did(play: Play) -> None:
    class Broken(Scripted):
        def act(self, observation: Observation) -> Action:
            if len(self.todo) == 0:
                raise LookupError("no idea")
            return super().act(observation)

    record = play(Broken(ADD))
    assert (record.status, record.claim, record.message) == ("crashed", "none", "LookupError: no idea")
    assert [action.kind for action in record.actions] == ["FILL", "CLICK"]
    assert record.final["note"].added == ({"id": 1, "text": "milk"},)
    assert "<li>milk</li><li> reads</li>" in record.closings["/"].html
    assert record.traceback.endswith("LookupError: no idea")


def test_an_agent_that_cannot_be_created_fails_before_its_first_page(play: Play) -> None:
    def make() -> Agent:
        raise ImportError("no such model")

    record = play(make)
    assert (record.status, record.message) == ("crashed", "ImportError: no such model")
    assert [step.page.url for step in record.steps] == ["http://notes.test/"]
    assert "<h1>Notes</h1>" in record.closings["/"].html


def test_an_open_dialog_is_recorded_with_the_last_page(play: Play) -> None:
    agent = Scripted(
        [
            {"kind": "FILL", "selector": "#text", "text": "milk"},
            {"kind": "CLICK", "selector": "body > button"},
            {"kind": "CLICK", "selector": "form button"},
            {"kind": "DIALOG", "accept": True},
        ]
    )
    record = play(agent, Limits(screenshots=True))
    assert [str(step.outcome) for step in record.steps[1:]] == [
        "done",
        'done; opened alert "hello"',
        'failed: covered by alert "hello"',
        "done",
        "done",
    ]
    assert [seen.dialog is not None for seen in agent.seen] == [False, False, True, True, False]
    assert record.steps[1].page.html == record.steps[2].page.html == record.steps[3].page.html
    assert [step.page.dialog is not None for step in record.steps[1:4]] == [False, True, True]
    assert record.status == "done"


@pytest.mark.parametrize("selector", ["body > button", "#leave"])
def test_an_episode_may_end_behind_a_dialog(play: Play, selector: str) -> None:
    record = play(Scripted([{"kind": "CLICK", "selector": "#text"}, {"kind": "CLICK", "selector": selector}]))
    assert record.steps[2].outcome is not None
    assert "opened" in record.steps[2].outcome.detail
    assert record.status == "done"
    assert "<h1>Notes</h1>" in record.closings["/"].html


def test_an_agent_that_raises_behind_a_dialog_leaves_nothing_hanging(play: Play) -> None:
    class Shy(Scripted):
        def act(self, observation: Observation) -> Action:
            if observation.dialog is not None:
                raise LookupError("no idea")
            return super().act(observation)

    record = play(Shy([{"kind": "CLICK", "selector": "body > button"}]))
    assert (record.status, record.message) == ("crashed", "LookupError: no idea")
    assert "<h1>Notes</h1>" in record.closings["/"].html
    assert play(Scripted(ADD)).status == "done"


def test_a_download_is_recorded(play: Play) -> None:
    record = play(Scripted([{"kind": "CLICK", "selector": "#file"}]))
    outcome = record.steps[1].outcome
    assert outcome is not None
    assert (outcome.ok, outcome.detail) == (True, f'downloaded "notes.html", {len(HOME.format(""))} bytes')


def test_the_agent_follows_into_a_new_tab(play: Play) -> None:
    agent = Scripted([{"kind": "CLICK", "selector": "#tab"}, *ADD, {"kind": "TAB", "index": 0}, {"kind": "RELOAD"}])
    record = play(agent)
    assert record.status == "done"
    assert "<li>milk</li>" in agent.seen[3].html
    assert (agent.seen[3].tabs, agent.seen[3].tab) == (("Notes", "Notes"), 1)
    assert "<li>milk</li>" not in agent.seen[4].html
    assert "<li>milk</li>" in agent.seen[5].html, "all tabs go by one proxy and hold one session"
    assert (agent.seen[5].tab, str(record.steps[1].outcome)) == (0, "done; opened tab 1")


def test_a_url_of_its_own_is_a_bypass(play: Play) -> None:
    record = play(Scripted([{"kind": "NAVIGATE", "url": "/?q=1"}]))
    assert [(entry.step, entry.phase, entry.detail) for entry in record.ledger] == [(1, "bypass", "/?q=1")]


def test_pictures_that_the_agent_saw_are_recorded(play: Play) -> None:
    agent = Scripted(ADD, frozenset({"screenshots"}))
    record = play(agent)
    assert [step.page.screenshot for step in record.steps[:3]] == [seen.screenshots[0] for seen in agent.seen]
    assert all(step.page.screenshot is None for step in play(Scripted(ADD)).steps)


def test_screenshots_are_recorded_if_asked_for(play: Play) -> None:
    agent = Scripted(ADD, frozenset({"screenshots", "boxes", "tree"}))
    record = play(agent, Limits(screenshots=True))
    assert len({step.page.screenshot for step in record.steps}) == 3
    assert len(agent.seen[-1].screenshots) == 3
    assert agent.seen[-1].boxes
    assert "milk" in agent.seen[-1].tree
    assert {kind_of(step.page.screenshot or b"") for step in record.steps} == {"png"}, (
        "at full size, as the agent saw it"
    )


def test_an_agent_that_asks_for_no_pictures_sees_none_and_small_ones_are_recorded(play: Play) -> None:
    agent = Scripted(ADD)
    record = play(agent, Limits(screenshots=True))
    pictures = [step.page.screenshot or b"" for step in record.steps]
    assert {kind_of(picture) for picture in pictures} == {"jpeg"}
    assert {window_of(picture) for picture in pictures} == {(VIEWPORT["width"], VIEWPORT["height"])}
    assert len({*pictures}) == 3, "the page as it is, the field filled in, the note added"
    assert pictures[-1] == pictures[-2], "at the end it is the page that the agent saw last"
    without = Scripted(ADD)
    play(without)
    assert [*map(vars, agent.seen)] == [*map(vars, without.seen)]
    assert all(seen.screenshots == () for seen in agent.seen)


def test_the_last_page_of_an_agent_that_fails_has_a_picture(play: Play) -> None:
    record = play(Scripted([*ADD, {"kind": "WAIT", "seconds": 0}]), Limits(screenshots=True, max_steps=2))
    assert record.status == "out_of_steps"
    assert len({step.page.screenshot for step in record.steps} - {None}) == 3


def test_observations_are_recorded_as_the_agent_saw_them(play: Play) -> None:
    agent = Scripted(TAB_AND_DIALOG, frozenset({"boxes", "tree"}))
    record = play(agent)
    recorded = [step.page for step in record.steps[:-1]]
    recorded_views = [
        (page.url, page.html, page.tree, page.boxes, page.dialog, page.tabs, page.tab) for page in recorded
    ]
    seen_views = [
        (
            observation.url,
            observation.html,
            observation.tree,
            observation.boxes,
            observation.dialog,
            observation.tabs,
            observation.tab,
        )
        for observation in agent.seen
    ]
    assert recorded_views == seen_views
    assert any(page.dialog for page in recorded)
    assert {page.tab for page in recorded} == {0, 1}
    assert all("Notes" in page.tree and any(page.boxes) for page in recorded)


def test_unwanted_observations_are_not_recorded(play: Play) -> None:
    assert {(step.page.tree, step.page.boxes) for step in play(Scripted(ADD)).steps} == {("", ())}


@pytest.fixture
def sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registered observation sources of a plug-in."""
    isolate_plugins(monkeypatch)
    SOURCES.add("links", Links, "here")
    SOURCES.add("raw", Raw, "here")


def test_readings_of_sources_are_recorded_as_the_agent_saw_them(play: Play, sources: None, tmp_path: Path) -> None:
    class Careless(Scripted):
        """Changes its own copy of the observation."""

        def act(self, observation: Observation) -> Action:
            observation.sources["links"].clear()
            return super().act(observation)

    agent = Careless(TAB_AND_DIALOG, frozenset({"links", "raw"}))
    record = play(agent)
    assert (record.status, len(agent.seen)) == ("done", 6)
    assert [step.page.sources for step in record.steps[:-1]] == [seen.sources for seen in agent.seen]
    assert all(len(step.page.sources["links"]) == 4 for step in record.steps)
    assert {step.page.sources["raw"] for step in record.steps} == {b"Notes"}
    with Store.create(tmp_path / "run.db", {}, [CELL]) as store:
        store.save(record)
    with Store.read(tmp_path / "run.db") as store:
        assert store.load(CELL).steps == record.steps


def test_a_source_that_fails_is_the_failure_of_the_agent_with_all_that_it_did(play: Play, sources: None) -> None:
    class Filled(Links):
        """Fails once the field is filled in."""

        name = "filled"

        async def read(self, page: AsyncPage) -> Any:
            if await page.input_value("#text"):
                raise LookupError("no empty field")
            return await super().read(page)

    SOURCES.add("filled", Filled, "here")
    agent = Scripted(ADD, frozenset({"filled"}))
    record = play(agent)
    assert (record.status, record.claim) == ("crashed", "none")
    assert record.message == "observation source 'filled': LookupError: no empty field"
    assert record.traceback.endswith("LookupError: no empty field")
    assert ", in read" in record.traceback
    assert len(agent.seen) == 1
    assert [action.kind for action in record.actions] == ["FILL"], "what came before the failure is recorded"
    assert 'value="milk"' in record.steps[1].page.html
    assert [len(step.page.sources) for step in record.steps] == [1, 0]
    assert "<h1>Notes</h1>" in record.closings["/"].html


@pytest.mark.parametrize("way", ["raises", "leaves", "mistypes"])
def test_a_source_that_fails_on_the_first_page_leaves_the_agent_no_turn(play: Play, sources: None, way: str) -> None:
    SOURCES.add(way, failing(way), "here")
    agent = Scripted(ADD, frozenset({way}))
    record = play(agent)
    assert (record.status, record.message) == ("crashed", f"observation source '{way}': {FAILURES[way]}")
    assert (agent.seen, len(record.steps)) == ([], 1)
    assert "<h1>Notes</h1>" in record.closings["/"].html, "the next page is read as if nothing had happened"
    assert play(Scripted(ADD)).status == "done"


def test_a_name_that_an_agent_mistypes_when_it_starts_is_its_own_failure(play: Play) -> None:
    class Late(Scripted):
        def start(self, brief: Brief) -> None:
            self.wants = frozenset({"treee"})

    record = play(Late(ADD))
    assert record.status == "crashed"
    assert record.message.startswith("unknown observation source 'treee'; did you mean tree?")
    assert ", in wanted" in record.traceback


class Styled(Notes):
    """A site with four style sheets: one served, one missing, one on another host, and one that breaks the site.

    The last is linked in a comment, so only the recorder requests it, never the browser.
    """

    site = "styled"
    host = "styled.test"
    head = """<link rel="stylesheet" href="/a.css?v=1"><link rel="stylesheet" href="/gone.css">
<link rel="stylesheet" href="http://elsewhere.test/b.css"><!-- <link rel="stylesheet" href="/fail"> -->"""

    def __init__(self) -> None:
        """Start without requests."""
        super().__init__()
        self.requested: list[str] = []

    def app(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Serve the sheet, and the page with its links."""
        self.requested.append(environ["PATH_INFO"])
        if environ["PATH_INFO"] == "/gone.css":
            start_response("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", "0")])
            return [b""]
        if environ["PATH_INFO"] == "/a.css":
            start_response("200 OK", [("Content-Type", "text/css; charset=utf-8"), ("Content-Length", "5")])
            return [b"p { }"]
        if environ["PATH_INFO"] != "/" or environ["REQUEST_METHOD"] == "POST":
            return super().app(environ, start_response)
        page = HOME.format("").replace("<title>Notes</title>", self.head).encode()
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(page)))])
        return [page]


@pytest.mark.parametrize("todo", [ADD, []])
def test_the_sites_style_sheets_are_recorded_and_nothing_else_depends_on_that(
    play: Play, todo: list[dict[str, Any]]
) -> None:
    site = Styled()
    # The recorder requests a site's sheets once per world seed.
    site.seed = len(todo)
    record = play(Scripted(todo), site=site)
    assert "/fail" in site.requested
    assert record.sheets == {"http://styled.test/a.css?v=1": "p { }"}
    assert (record.status, record.traceback) == ("done", "")
    assert [entry for entry in record.ledger if entry.phase == "fault"] == []
