"""Runs one episode: a fresh browser context, the agent's loop, and the evidence at the end."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from playwright.async_api import Browser, BrowserContext

from stressweb.core.errors import EndpointClosedError, EndpointError, InfrastructureError, first_line
from stressweb.core.protocol import FIRST_PAGE_TIMEOUT_MS, VIEWPORT
from stressweb.core.tracebacks import concealed, trace_of
from stressweb.html.sheets import linked
from stressweb.log.exchanges import Exchanges
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Agent, Brief, Observation, Usage
from stressweb.plugins.chain_world import parted
from stressweb.plugins.database import TableChange
from stressweb.plugins.offers import Offer
from stressweb.plugins.task import Goal
from stressweb.runner.browser.context import opened
from stressweb.runner.browser.recorder import Recorder
from stressweb.runner.browser.session import BrowserSession
from stressweb.runner.browser.sources import SourceError
from stressweb.runner.episode.agent_thread import AgentError, AgentThread, Heartbeat
from stressweb.runner.episode.evidence import Evidence

if TYPE_CHECKING:
    # Imports mitmproxy, which takes a second.
    from stressweb.runner.world.world import EpisodeWorld

type OnStep = Callable[[StepRecord], object]

MOST_FAULTS = 3
"""Most tracebacks of site failures, possibly provoked by the agent, that are recorded."""


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
        """Take an open context, an agent that has started, and what the agent wants to observe.

        `offers` are the files that the agent can upload.
        """
        self._on_step = on_step
        self._world = world
        self._agent = agent
        self._limits = limits
        # Take our own screenshots in every condition, unless the agent gets screenshots, which are recorded anyway.
        pictured = limits.screenshots and "screenshots" not in wants
        window = (VIEWPORT["width"], VIEWPORT["height"]) if pictured else None
        recorder = Recorder(world)
        self._session = BrowserSession(context, world, wants, agent.charged, window, recorder, offers)

    async def run(self, record: EpisodeRecord) -> None:
        """Run until the agent ends the episode, fails or runs out of steps; record every step when it is finished.

        If the agent has already crashed, only the first page is recorded.
        """
        begun = time.monotonic()
        observation = await self._session.start(self._world.start_url, FIRST_PAGE_TIMEOUT_MS, self._world.credential)
        self._keep(record, StepRecord(self._recorded_page(observation), seconds=time.monotonic() - begun))
        if record.status != "crashed":
            try:
                self._session.check_sources()
                await self._turns(observation, record)
            except (AgentError, SourceError) as failure:
                crash(record, failure)
        await self._take_picture(record)
        await self._session.end()

    async def _turns(self, observation: Observation, record: EpisodeRecord) -> None:
        for n in range(1, self._limits.max_steps + 1):
            # Check between turns, because a decision's cost is known only afterwards.
            if spent := self._limits.used_up(record.cell.agent, record.usage):
                raise AgentError(spent)
            observation = await self._step(n, observation, record)
            last = record.steps[-1].action
            if last is not None and last.final:
                record.status, record.claim = ("done", "done") if last.kind == "DONE" else ("gave_up", "failed")
                record.message = last.message or ""
                return
        record.status, record.message = "out_of_steps", f"all {self._limits.max_steps} steps were used"

    async def _step(self, n: int, observation: Observation, record: EpisodeRecord) -> Observation:
        begun = time.monotonic()
        try:
            action, usage = await self._decision(observation, record)
        except (AgentError, EndpointError):
            # The requests and tokens of a failed decision are part of the episode's cost.
            record.ending = self._agent.unfinished()
            raise
        # DONE and FAIL do not change the page.
        if action.final:
            self._keep(record, StepRecord(self._recorded_page(observation), action, Outcome(ok=True), usage=usage))
            return observation
        # Call this before the action, so that the ledger assigns its effects to this step.
        self._world.begin(n)
        outcome, after = await self._session.step(action)
        if action.kind == "NAVIGATE" and outcome.ok:
            self._world.went_to(action.url or "")
        self._keep(record, StepRecord(self._recorded_page(after), action, outcome, time.monotonic() - begun, usage))
        # Check only now, so that the action is recorded even if the agent never gets the next page.
        self._session.check_sources()
        return after

    async def _decision(self, observation: Observation, record: EpisodeRecord) -> tuple[Action, Usage]:
        """Return the agent's decision; take the screenshot of the current page meanwhile."""
        picture = asyncio.create_task(self._take_picture(record))
        try:
            return await self._agent.act(observation)
        finally:
            # Finish the screenshot before the agent's action changes the page.
            await picture

    async def _take_picture(self, record: EpisodeRecord) -> None:
        """Take a screenshot of the current page and add it to the last step."""
        step, picture = record.steps[-1], await self._session.take_picture()
        if picture is not None and step.page.screenshot is None:
            record.steps[-1] = replace(step, page=replace(step.page, screenshot=picture))

    def _keep(self, record: EpisodeRecord, step: StepRecord) -> None:
        record.steps.append(step)
        self._on_step(step)

    def _recorded_page(self, observation: Observation) -> Shown:
        shot = observation.screenshots[0] if observation.screenshots else self._session.picture
        return Shown(
            url=observation.url,
            html=observation.html,
            copy=self._session.recorded_html,
            screenshot=shot,
            tree=observation.tree,
            boxes=tuple(observation.boxes),
            dialog=observation.dialog,
            tabs=observation.tabs,
            tab=observation.tab,
            sources=observation.sources,
        )


async def run_episode(
    cell: Cell,
    goal: Goal,
    agent: Agent | Callable[[], Agent],
    world: "EpisodeWorld",
    browser: Browser,
    evidence: Evidence,
    limits: Limits,
    page_time: str,
    watch: Heartbeat | None = None,
    on_step: OnStep = lambda step: None,
    exchanges: Exchanges | None = None,
) -> EpisodeRecord:
    """Run one episode and return its record, without a grade.

    `agent` is an agent or a factory. `limits` apply to one task; for a chain they are multiplied by its number of
    tasks. `page_time` is the fixed time of the browser's clock. If the agent fails, the status is "crashed" and
    everything is recorded as usual. If infrastructure fails, the status is "error" with the steps so far; nothing is
    retried. `on_step` gets each step once it is recorded, before the agent acts on it. `exchanges` records or replays
    the agent's exchanges with a language model.
    """
    watch, limits = watch or Heartbeat(), limits.times(goal.horizon)
    # The epoch is the sampling seed, so that the conditions that are compared use the same seed.
    files = tuple(offer.name for offer in goal.offers)
    brief = Brief(
        goal=goal.text,
        start_url=world.start_url,
        steps=goal.ways[0],
        case_steps=goal.case.steps if goal.case else (),
        files=files,
        seed=cell.epoch,
    )

    async def act(record: EpisodeRecord) -> None:
        async with AgentThread(agent, limits.agent_seconds, watch) as thread:
            wants = await _start_agent(thread, brief, record)
            async with opened(browser, world.port, page_time) as context:
                await Loop(context, world, thread, wants, limits, on_step, goal.offers).run(record)
        if exchanges is not None:
            exchanges.check_complete()

    return await recorded(cell, goal, world, evidence, page_time, watch, act)


async def recorded(
    cell: Cell,
    goal: Goal,
    world: "EpisodeWorld",
    evidence: Evidence,
    page_time: str,
    watch: Heartbeat,
    act: Callable[[EpisodeRecord], Awaitable[None]],
) -> EpisodeRecord:
    """Run `act`, which lets the agent do its task, and return the episode's record; see `run_episode`."""
    start = time.monotonic()
    record = EpisodeRecord(cell)
    try:
        await act(record)
        # Read the database after the context is closed, so that the agent's browser cannot change it any more.
        record.final = world.final()
        # Read the evidence afterwards, because visiting pages may itself change the database.
        record.closings = await _closings(evidence, world, goal, record.final, page_time, watch)
    except Exception as error:
        fail(record, error)
    record.ledger = list(world.perturber.entries)
    # An infrastructure failure invalidates the grade, no matter how the episode ended.
    faults = world.faults()
    if faults and record.status != "error":
        fail(record, InfrastructureError(faults[0].message), faults[0].traceback)
    if not record.traceback:
        # The episode still counts; record the site's tracebacks to help fix the site.
        record.traceback = "\n".join(fault.traceback for fault in world.provoked()[:MOST_FAULTS])
    record.seconds = time.monotonic() - start
    # Do this last, because these requests and their failures must not affect the episode.
    pages = (*(step.page for step in record.steps), *record.closings.values())
    record.sheets = world.sheets(url for page in pages for url in linked(page.html, page.url).values())
    return record


async def _closings(
    evidence: Evidence,
    world: "EpisodeWorld",
    goal: Goal,
    final: Mapping[str, TableChange],
    page_time: str,
    watch: Heartbeat,
) -> dict[str, Shown]:
    """Return the evidence pages by path; each part of a chain has its own pages and its own signed-in person."""
    paths = goal.paths(final)
    if not goal.parts:
        return await evidence.read(world, (*dict.fromkeys(paths.values()),), goal.owner(final), page_time, watch)
    closings: dict[str, Shown] = {}
    for part in goal.parts:
        owner = part.goal.owner(parted(final, part.site))
        own = part.paths(paths)
        pages = await evidence.read(world, (*dict.fromkeys(own.values()),), owner, page_time, watch, part.address)
        closings |= {part.key(path): page for path, page in pages.items()}
    return closings


async def _start_agent(thread: AgentThread, brief: Brief, record: EpisodeRecord) -> frozenset[str]:
    try:
        return await thread.start(brief)
    except AgentError as failure:
        crash(record, failure)
        return frozenset()


def crash(record: EpisodeRecord, failure: AgentError | SourceError) -> None:
    """Record that the agent failed: it makes no claim, and its steps so far count."""
    record.status, record.claim = "crashed", "none"
    record.message, record.traceback = str(failure), failure.traceback


def fail(record: EpisodeRecord, error: Exception, traceback: str | None = None) -> None:
    """Record that infrastructure failed, with the full traceback."""
    name = "" if isinstance(error, InfrastructureError) else f"{type(error).__name__}: "
    record.status, record.claim, record.message = "error", "none", concealed(f"{name}{first_line(error)}")
    record.ends_run = isinstance(error, EndpointClosedError)
    record.traceback = trace_of(error) if traceback is None else traceback
