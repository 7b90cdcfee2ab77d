"""One episode: a fresh browser context, the agent's loop, and the evidence at the end."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, BrowserContext, Page, ProxySettings
from playwright.sync_api import Error as PlaywrightError

from runner.browser.admission import admitted
from runner.browser.loading import IDLE, Loading
from runner.browser.observe import Observer
from runner.browser.recorder import Recorder
from runner.browser.session import BrowserSession
from runner.browser.sources import SourceError
from runner.episode.agent_thread import AgentError, AgentThread, Heartbeat
from runner.episode.limits import Limits
from stressweb.core.errors import EndpointClosedError, EndpointError, InfrastructureError, first_line
from stressweb.core.tracebacks import concealed, trace_of
from stressweb.html.sheets import linked
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.plugins.actions import Outcome
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.plugins.chain_world import parted
from stressweb.plugins.database import TableChange
from stressweb.plugins.offers import Offer
from stressweb.plugins.task import Goal

if TYPE_CHECKING:
    # It brings mitmproxy, which takes a second to import.
    from runner.world.world import EpisodeWorld

VIEWPORT = {"width": 1280, "height": 800}
FIRST_PAGE_TIMEOUT_MS = 20_000
"""Milliseconds that the first page and each evidence page have; they are no actions of the agent."""
type OnStep = Callable[[StepRecord], object]

MOST_FAULTS = 3
"""Failures of the site in answers to the agent whose tracebacks are kept."""


class Evidence:
    """Reads a site's evidence pages unperturbed; its context is kept warm from episode to episode."""

    def __init__(self, browser: Browser) -> None:
        """Take the browser; nothing is opened yet."""
        self._browser = browser
        self._port: int | None = None
        self._now = ""
        self._page: Page | None = None
        self._observer = Observer()
        self._loading = IDLE
        self._stranger = True
        """Whether the proxy has not seen the credential from the warm context yet."""

    def read(
        self,
        world: "EpisodeWorld",
        paths: tuple[str, ...],
        owner: str,
        now: str,
        watch: Heartbeat | None = None,
        address: str = "",
    ) -> dict[str, Shown]:
        """Return the pages at `paths` as `owner` sees them: a person, a visitor, or "" for a first visit.

        `address` is that of a site of a chain; without one, it is where the episode began.
        """
        address = address or world.start_url
        watch = watch or Heartbeat()
        watch.working()
        page = self._at(world, now)
        cookies = world.look_back(owner, address)
        # The context is kept warm, and still has the session of the episode before.
        page.context.clear_cookies()
        page.context.add_cookies([{"name": name, "value": value, "url": address} for name, value in cookies.items()])
        found = {}
        for path in paths:
            found[path] = self._shown(page, address.rstrip("/") + path, world)
            # Each page may take a third of the silence that the parent allows, and a task may have several.
            watch.working()
        return found

    def close(self) -> None:
        """Close the warm page's context."""
        if self._page is not None:
            # The browser may be gone, and its contexts with it.
            with contextlib.suppress(PlaywrightError):
                self._page.context.close()
            self._page = None

    def _shown(self, page: Page, url: str, world: "EpisodeWorld") -> Shown:
        traffic = world.evidence_traffic
        asked = traffic.started()
        try:
            with admitted(page, url, world.credential) if self._stranger else contextlib.nullcontext():
                page.goto(url, wait_until="load", timeout=FIRST_PAGE_TIMEOUT_MS)
        except PlaywrightError as error:
            raise InfrastructureError(f"evidence page {url}: {first_line(error)}") from error
        if traffic.started() == asked:
            # The proxy's own answer, or a copy that the browser had: neither says anything of this episode.
            raise InfrastructureError(f"evidence page {url}: the site was not asked")
        self._stranger = False
        # What a script draws is not there yet when the page has loaded.
        read = self._observer.settled(page, traffic, loading=self._loading)
        return Shown(read.url, read.html)

    def _at(self, world: "EpisodeWorld", now: str) -> Page:
        """Return the warm page, renewed where the listener is another one: a context's proxy is fixed."""
        if self._page is None or self._port != world.evidence_port or self._page.is_closed():
            self.close()
            context = new_context(self._browser, world.evidence_port, now)
            # Each world has a host of its own: connections to all of them would be kept for nothing.
            context.set_extra_http_headers({"Connection": "close"})
            self._page = context.new_page()
            self._loading = Loading(context.new_cdp_session(self._page))
            self._port, self._now, self._stranger = world.evidence_port, now, True
        if self._now != now:
            # Only then: each time that is set is one more script for every document to come.
            self._page.context.clock.set_fixed_time(now)
            self._now = now
        return self._page


def new_context(browser: Browser, port: int, now: str) -> BrowserContext:
    """Return a fresh context behind the proxy's listener at `port`; its clock stands at `now`, an ISO date and time."""
    context = browser.new_context(
        viewport={"width": VIEWPORT["width"], "height": VIEWPORT["height"]},
        device_scale_factor=1,
        # The machine's own language and time zone would show in pages and pictures, which must be the same everywhere.
        locale="en-US",
        timezone_id="UTC",
        # A service worker could answer requests that the proxy then never sees.
        service_workers="block",
        # A picture in the middle of a transition would be another one in every run.
        reduced_motion="reduce",
        proxy=ProxySettings(server=f"http://127.0.0.1:{port}"),
    )
    # Only what pages read of the clock stands still: timers and frames run on.
    context.clock.set_fixed_time(now)
    return context


@contextlib.contextmanager
def opened(browser: Browser, port: int, now: str) -> Iterator[BrowserContext]:
    """Open a context and close it again, whatever has become of the browser."""
    context = new_context(browser, port, now)
    try:
        yield context
    finally:
        with contextlib.suppress(PlaywrightError):
            context.close()


class Loop:
    """The agent's loop over one context: observe, act, record."""

    def __init__(
        self,
        context: BrowserContext,
        world: "EpisodeWorld",
        agent: AgentThread,
        wants: frozenset[str],
        limits: Limits,
        on_step: OnStep,
        offers: tuple[Offer, ...] = (),
    ) -> None:
        """Take an open context and the agent, which has its brief, with what it wants to observe.

        `offers` are the files that the agent can upload.
        """
        self._on_step = on_step
        self._world = world
        self._agent = agent
        self._limits = limits
        # Taken in every arm alike, and in none where the agent is shown pictures: those are recorded as they are.
        pictured = limits.screenshots and "screenshots" not in wants
        window = (VIEWPORT["width"], VIEWPORT["height"]) if pictured else None
        recorder = Recorder(world)
        self._session = BrowserSession(context, world, wants, agent.charged, window, recorder, offers)

    def run(self, record: EpisodeRecord) -> None:
        """Run until the agent ends the episode, fails or has used its steps; every finished step is recorded at once.

        An agent that has crashed before gets the first page recorded and no turn.
        """
        begun = time.monotonic()
        observation = self._session.start(self._world.start_url, FIRST_PAGE_TIMEOUT_MS, self._world.credential)
        self._keep(record, StepRecord(self._shown(observation), seconds=time.monotonic() - begun))
        if record.status != "crashed":
            try:
                self._session.check_sources()
                self._turns(observation, record)
            except (AgentError, SourceError) as failure:
                crash(record, failure)
        self._session.end()

    def _turns(self, observation: Observation, record: EpisodeRecord) -> None:
        for n in range(1, self._limits.max_steps + 1):
            # Between two turns: what a decision costs is known only when it was made.
            if spent := self._limits.used_up(record.usage, record.cell.agent):
                raise AgentError(spent)
            observation = self._step(n, observation, record)
            last = record.steps[-1].action
            if last is not None and last.final:
                record.status, record.claim = ("done", "done") if last.kind == "DONE" else ("gave_up", "failed")
                record.message = last.message or ""
                return
        record.status, record.message = "out_of_steps", f"all {self._limits.max_steps} steps were used"

    def _step(self, n: int, observation: Observation, record: EpisodeRecord) -> Observation:
        begun = time.monotonic()
        try:
            action, usage = self._agent.act(observation)
        except (AgentError, EndpointError):
            # Requests and tokens of a decision that was not made are part of what the episode cost.
            record.ending = self._agent.unfinished()
            raise
        # DONE and FAIL change nothing, so the page before them stands for the one after.
        if action.final:
            self._keep(record, StepRecord(self._shown(observation), action, Outcome(ok=True), usage=usage))
            return observation
        # Before the action is done, so that the ledger has whatever it delivers under its number.
        self._world.begin(n)
        outcome, after = self._session.step(action)
        # It is allowed but bypasses the gestures that modes disturb, so results count it.
        if action.kind == "NAVIGATE" and outcome.ok and action.url not in self._world.entries:
            self._world.note("navigate", "bypass", detail=action.url or "")
        self._keep(record, StepRecord(self._shown(after), action, outcome, time.monotonic() - begun, usage))
        # Only now, so that the action is recorded even if the agent never sees the page after it.
        self._session.check_sources()
        return after

    def _keep(self, record: EpisodeRecord, step: StepRecord) -> None:
        record.steps.append(step)
        self._on_step(step)

    def _shown(self, observation: Observation) -> Shown:
        shot = observation.screenshots[0] if observation.screenshots else self._session.picture
        return Shown(
            url=observation.url,
            html=observation.html,
            copy=self._session.copy,
            screenshot=shot,
            tree=observation.tree,
            boxes=tuple(observation.boxes),
            dialog=observation.dialog,
            tabs=observation.tabs,
            tab=observation.tab,
            sources=observation.sources,
        )


def run_episode(
    cell: Cell,
    goal: Goal,
    agent: Agent | Callable[[], Agent],
    world: "EpisodeWorld",
    browser: Browser,
    evidence: Evidence,
    limits: Limits,
    now: str,
    watch: Heartbeat | None = None,
    on_step: OnStep = lambda step: None,
) -> EpisodeRecord:
    """Run one episode and return what happened; grading is the caller's.

    `agent` is an agent or makes one. `limits` are those of one task: a chain has them once for each. `now` is the date
    and time at which the browser's clock stands. An agent that fails gives the status "crashed", with everything
    recorded as for any other end. Whatever fails that is not the agent's doing gives the status "error" with the steps
    so far; nothing is tried again. `on_step` gets each step when it has been recorded, before the agent acts on it.
    """
    begun = time.monotonic()
    watch, limits = watch or Heartbeat(), limits.times(goal.horizon)
    record = EpisodeRecord(cell)
    # The sampling seed is the epoch's number, so that the arms that are compared have the same one.
    files = tuple(offer.name for offer in goal.offers)
    brief = Brief(goal=goal.text, start_url=world.start_url, steps=goal.ways[0], files=files, seed=cell.epoch)
    try:
        with AgentThread(agent, limits.agent_seconds, watch) as thread:
            wants = _wants(thread, brief, record)
            with opened(browser, world.port, now) as context:
                Loop(context, world, thread, wants, limits, on_step, goal.offers).run(record)
        # After the context is closed: the agent's browser can send nothing more that would change the database.
        record.final = world.final()
        # After the change of the database is taken: a visit may itself change something, and that is not the agent's
        # doing.
        record.closings = _closings(evidence, world, goal, record.final, now, watch)
    except Exception as error:
        fail(record, error)
    record.ledger = world.ledger()
    # A fault anywhere in our own parts makes the grade worthless, however the agent's episode ended.
    faults = world.faults()
    if faults and record.status != "error":
        fail(record, InfrastructureError(faults[0].message), faults[0].traceback)
    if not record.traceback:
        # The episode still counts; the site's traceback is kept to help fix the site.
        record.traceback = "\n".join(fault.traceback for fault in world.provoked()[:MOST_FAULTS])
    record.seconds = time.monotonic() - begun
    # Last of all: what the site is asked here, and how it fails at that, is nothing of the episode's.
    shown = (*(step.page for step in record.steps), *record.closings.values())
    record.sheets = world.sheets(url for page in shown for url in linked(page.html, page.url).values())
    return record


def _closings(
    evidence: Evidence,
    world: "EpisodeWorld",
    goal: Goal,
    final: Mapping[str, TableChange],
    now: str,
    watch: Heartbeat,
) -> dict[str, Shown]:
    """Return the evidence pages by their paths; each part of a chain has its own, read as its own person."""
    paths = goal.paths(final)
    if not goal.parts:
        return evidence.read(world, (*dict.fromkeys(paths.values()),), goal.owner(final), now, watch)
    found: dict[str, Shown] = {}
    for part in goal.parts:
        owner = part.goal.owner(parted(final, part.site))
        own = part.paths(paths)
        pages = evidence.read(world, (*dict.fromkeys(own.values()),), owner, now, watch, part.address)
        found |= {part.key(path): page for path, page in pages.items()}
    return found


def _wants(thread: AgentThread, brief: Brief, record: EpisodeRecord) -> frozenset[str]:
    try:
        return thread.start(brief)
    except AgentError as failure:
        crash(record, failure)
        return frozenset()


def crash(record: EpisodeRecord, failure: AgentError | SourceError) -> None:
    """Write down that the agent failed: it claims nothing, and what it did until then counts."""
    record.status, record.claim = "crashed", "none"
    record.message, record.traceback = str(failure), failure.traceback


def fail(record: EpisodeRecord, error: Exception, traceback: str | None = None) -> None:
    """Write down that infrastructure failed, with the whole traceback."""
    name = "" if isinstance(error, InfrastructureError) else f"{type(error).__name__}: "
    record.status, record.claim, record.message = "error", "none", concealed(f"{name}{first_line(error)}")
    record.ends_run = isinstance(error, EndpointClosedError)
    record.traceback = trace_of(error) if traceback is None else traceback
