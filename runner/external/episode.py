"""Runs one episode of an external agent: the agent drives a browser itself, and stressweb observes it."""

import asyncio
import contextlib
import functools
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from stressweb.core.errors import InfrastructureError
from stressweb.core.tracebacks import concealed
from stressweb.log.exchanges import Exchanges
from stressweb.log.limits import Limits
from stressweb.log.recording import Cell, EpisodeRecord, StepRecord
from stressweb.perturbations import PROXY_USER
from stressweb.plugins.actions import Action
from stressweb.plugins.task import Goal
from stressweb.runner.agents.llm.provider import upstreams
from stressweb.runner.episode.agent_thread import AgentError, Heartbeat
from stressweb.runner.episode.evidence import Evidence
from stressweb.runner.episode.loop import crash, recorded
from stressweb.runner.external.gate import Gate, Guest
from stressweb.runner.external.llm_account import Account
from stressweb.runner.external.observer import Observer
from stressweb.runner.external.offer import Claim, Offer
from stressweb.runner.external.page_reports import PageReports
from stressweb.runner.external.participants import Participant
from stressweb.runner.external.pipe_browser import PipeBrowser
from stressweb.runner.external.session import Session
from stressweb.runner.external.steps import Steps

if TYPE_CHECKING:
    # Imports mitmproxy, which takes a second.
    from stressweb.runner.world.world import EpisodeWorld

SECONDS = 600.0
"""Default time limit of an episode, in seconds per task; `--agent-seconds` overrides it."""


type _Keep = Callable[[StepRecord], object]
type _End = Callable[[Action | None], Awaitable[None]]


class Venue(NamedTuple):
    """What all episodes of a worker process share."""

    browser: Path
    """The browser's executable; each episode starts its own process."""
    gate: Gate
    evidence: Evidence


type Kept = Callable[[Sequence[str]], Exchanges]
"""Takes secrets and returns the `Exchanges` that record or replay an episode's model requests without them."""


async def run_observed(
    cell: Cell,
    goal: Goal,
    participant: Participant,
    world: "EpisodeWorld",
    venue: Venue,
    limits: Limits,
    page_time: str,
    watch: Heartbeat | None = None,
    on_step: Callable[[StepRecord], object] = lambda step: None,
    *,
    own_browser: bool = False,
    exchanges: Kept = lambda secrets: Exchanges(),
) -> EpisodeRecord:
    """Run one episode of an external agent and return its record.

    The arguments are those of `stressweb.runner.episode.loop.run_episode`, with `participant` in place of the agent.
    `own_browser`: the agent starts its own browser, which uses the episode's proxy. `exchanges` returns the object
    that records or replays the agent's requests to language models.
    """
    beat, limits = watch or Heartbeat(), limits.times(goal.horizon)

    async def act(record: EpisodeRecord) -> None:
        def keep(step: StepRecord) -> None:
            record.steps.append(step)
            on_step(step)

        async with _record_steps(world, venue, page_time, limits.max_steps, keep, own_browser=own_browser) as (
            guest,
            end,
        ):
            offer = _offer(goal, world, venue.gate, limits, own_browser=own_browser)
            recorded_exchanges = exchanges(offer.secrets)
            # A replay uses no endpoint, even if the user's environment configures one.
            endpoints = upstreams({} if recorded_exchanges.replays else os.environ)
            offer = replace(offer, upstreams=endpoints, replays=recorded_exchanges.replays)
            guest.account = Account(endpoints, limits, cell.agent, offer.seconds, recorded_exchanges)
            claim, failure = await _taken_part(participant, offer, guest, venue, beat)
            record.ending = guest.account.usage
            _check_models(guest, claim)
            await end(_final(claim) if claim else None)
        _conclude(record, claim, failure, limits)

    return await recorded(cell, goal, world, venue.evidence, page_time, beat, act)


@contextlib.asynccontextmanager
async def _record_steps(
    world: "EpisodeWorld", venue: Venue, page_time: str, max_steps: int, keep: _Keep, *, own_browser: bool
) -> AsyncIterator[tuple[Guest, _End]]:
    """Record the steps of an episode; yield its guest and the function that ends its last step."""
    if own_browser:
        guest, loop = Guest(None, world.perturber.entries), asyncio.get_running_loop()
        # Pages report to the proxy, which runs in another thread.
        stop = functools.partial(loop.call_soon_threadsafe, guest.over.set)
        reports = PageReports(world, page_time, Steps(world, max_steps, keep, stop), guest.touch)
        guest.wait_until_last_page_read = reports.wait_until_last_page_read
        world.open_directly()
        reports.start()
        yield guest, reports.end
        return
    browser = await PipeBrowser.launch(venue.browser, f"http://127.0.0.1:{world.port}")
    try:
        guest = Guest(browser, world.perturber.entries)
        observer = Observer(await Session.of(browser), world, page_time, Steps(world, max_steps, keep, guest.over.set))
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
    """Let the agent take part; return its claim, and its error if it failed."""
    watch.deciding(offer.seconds)
    try:
        with venue.gate.admitting(offer.token, guest):
            claim = await participant(offer, guest)
    except AgentError as failure:
        return None, failure
    else:
        refusal = guest.account.refusal
        if claim is not None:
            # The message is stored in the run, which other people may read.
            claim = claim.model_copy(update={"message": offer.hidden(claim.message)})
        return claim, AgentError(refusal.message) if refusal and not refusal.failure else None
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
        direct_url=world.direct_url,
        files=goal.offers,
    )


def _check_models(guest: Guest, claim: Claim | None) -> None:
    """Raise InfrastructureError if the agent stopped because a model did not answer, or if a replay diverged."""
    refusal = guest.account.refusal
    if refusal and refusal.failure:
        raise refusal.failure
    # An agent that claims success did not need the missing answer.
    if not (guest.claim.done() and claim and claim.claim == "done"):
        guest.account.check_outage()
    guest.account.exchanges.check_complete()


def _final(claim: Claim) -> Action:
    return Action(kind="DONE" if claim.claim == "done" else "FAIL", message=concealed(claim.message) or None)


def _conclude(record: EpisodeRecord, claim: Claim | None, failure: AgentError | None, limits: Limits) -> None:
    """Set the record's status, message, claim and usage."""
    if failure is not None:
        crash(record, failure)
    elif claim is None:
        record.status, record.message = "out_of_steps", f"all {limits.max_steps} steps were used"
    else:
        record.status, record.claim = ("done", "done") if claim.claim == "done" else ("gave_up", "failed")
        record.message = concealed(claim.message)
        # Requests through the relay are counted there. If there were none, use the numbers that the agent reports.
        if not record.ending.tokens_in + record.ending.tokens_out:
            record.ending += claim.usage.usage
