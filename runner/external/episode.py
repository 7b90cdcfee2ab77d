"""One episode of an agent that drives the episode's own browser by itself."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from perturbations import PROXY_USER
from runner.episode.agent_thread import AgentError, Heartbeat
from runner.episode.evidence import Evidence
from runner.episode.loop import crash, recorded
from runner.external.gate import Gate, Guest
from runner.external.observer import Observer
from runner.external.offer import Claim, Offer
from runner.external.page_reports import PageReports
from runner.external.participants import Participant
from runner.external.pipe_browser import PipeBrowser
from runner.external.session import Session
from runner.external.steps import Steps
from stressweb.core.errors import InfrastructureError
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord, StepRecord
from stressweb.plugins.actions import Action
from stressweb.plugins.task import Goal

if TYPE_CHECKING:
    # It brings mitmproxy, which takes a second to import.
    from runner.world.world import EpisodeWorld

SECONDS = 600.0
"""Seconds that an agent has for an episode of a run without `--agent-seconds`, for each of its tasks."""


type _Keep = Callable[[StepRecord], object]
type _End = Callable[[Action | None], Awaitable[None]]


class Venue(NamedTuple):
    """What the episodes of a process share."""

    browser: Path
    """The program of which each episode gets a process."""
    gate: Gate
    evidence: Evidence


async def run_observed(
    cell: Cell,
    goal: Goal,
    participant: Participant,
    world: "EpisodeWorld",
    venue: Venue,
    limits: Limits,
    now: str,
    watch: Heartbeat | None = None,
    on_step: Callable[[StepRecord], object] = lambda step: None,
    *,
    own_browser: bool = False,
) -> EpisodeRecord:
    """Run one episode of an agent from outside and return what happened, as `run_episode` does of one of ours.

    The arguments are those of `runner.episode.loop.run_episode`, with who takes part in place of an agent.
    `own_browser`: the agent starts a browser by itself, which goes by the episode's proxy.
    """
    beat, limits = watch or Heartbeat(), limits.times(goal.horizon)

    async def act(record: EpisodeRecord) -> None:
        def keep(step: StepRecord) -> None:
            record.steps.append(step)
            on_step(step)

        async with _watched(world, venue, now, limits.max_steps, keep, own_browser=own_browser) as (guest, end):
            offer = _offer(goal, world, venue.gate, limits, own_browser=own_browser)
            claim, failure = await _taken_part(participant, offer, guest, venue, beat)
            await end(_final(claim) if claim else None)
        _conclude(record, claim, failure, limits)

    return await recorded(cell, goal, world, venue.evidence, now, beat, act)


@contextlib.asynccontextmanager
async def _watched(
    world: "EpisodeWorld", venue: Venue, now: str, max_steps: int, keep: _Keep, *, own_browser: bool
) -> AsyncIterator[tuple[Guest, _End]]:
    """Yield the guest of an episode whose steps are kept, and what ends the last of them."""
    if own_browser:
        guest, loop = Guest(None, world.perturber.entries), asyncio.get_running_loop()
        # The pages report to the proxy, in its thread.
        stop = functools.partial(loop.call_soon_threadsafe, guest.over.set)
        reports = PageReports(world, now, Steps(world, max_steps, keep, stop))
        guest.rest = reports.rest
        reports.start()
        yield guest, reports.end
        return
    browser = await PipeBrowser.launch(venue.browser, f"http://127.0.0.1:{world.port}")
    try:
        guest = Guest(browser, world.perturber.entries)
        observer = Observer(await Session.of(browser), world, now, Steps(world, max_steps, keep, guest.over.set))
        guest.heard = observer
        await observer.start()
        yield guest, observer.end
        if browser.ended.done():
            raise InfrastructureError("the episode's browser has ended")
    finally:
        await browser.close()


async def _taken_part(
    participant: Participant, offer: Offer, guest: Guest, venue: Venue, watch: Heartbeat
) -> tuple[Claim | None, AgentError | None]:
    """Return what the agent claims, and how it failed, if it did."""
    watch.deciding(offer.seconds)
    try:
        with venue.gate.admitting(offer.token, guest):
            return await participant(offer, guest), None
    except AgentError as failure:
        return None, failure
    finally:
        watch.decided()


def _offer(goal: Goal, world: "EpisodeWorld", gate: Gate, limits: Limits, *, own_browser: bool) -> Offer:
    return Offer(
        goal=goal.text,
        start_url=world.start_url,
        proxy=f"http://{PROXY_USER}:{quote(world.credential)}@127.0.0.1:{world.port}",
        max_steps=limits.max_steps,
        seconds=limits.agent_seconds or SECONDS * goal.horizon,
        gate=gate.address,
        own_browser=own_browser,
    )


def _final(claim: Claim) -> Action:
    return Action(kind="DONE" if claim.claim == "done" else "FAIL", message=claim.message or None)


def _conclude(record: EpisodeRecord, claim: Claim | None, failure: AgentError | None, limits: Limits) -> None:
    """Write down how the episode ended."""
    if failure is not None:
        crash(record, failure)
    elif claim is None:
        record.status, record.message = "out_of_steps", f"all {limits.max_steps} steps were used"
    else:
        record.status, record.claim = ("done", "done") if claim.claim == "done" else ("gave_up", "failed")
        record.message, record.ending = claim.message, claim.usage.usage
