"""Replays a trajectory in the browser, undisturbed, and yields the observation before and after each action."""

from collections.abc import AsyncGenerator

from stressweb.core.conditions import CLEAN
from stressweb.core.protocol import FIRST_PAGE_TIMEOUT_MS
from stressweb.log.recording import Cell
from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.plugins.site_world import SiteWorld, now_of
from stressweb.plugins.task import Goal
from stressweb.runner.browser.context import opened
from stressweb.runner.browser.session import BrowserSession
from stressweb.runner.episode.playground import Playground

_HEIGHT = 844
_LOOK = Action(kind="WAIT", seconds=0.0)


class MissedError(Exception):
    """An action of the trajectory failed."""


async def watched(
    ground: Playground, site: SiteWorld, goal: Goal, agent: Agent, width: int
) -> AsyncGenerator[Observation]:
    """Let an agent replay a task's trajectory in a window of a width in CSS pixels.

    Yields the first observation and the one after each action. Raises MissedError if an action fails.
    """
    cell = Cell(agent=agent.name, task=goal.task, condition=CLEAN.label, world=site.seed)
    with ground.opened(cell, site, CLEAN) as episode:
        agent.start(Brief(goal=goal.text, start_url=episode.start_url, steps=goal.ways[0]))
        async with opened(ground.browser, episode.port, now_of(site)) as context:
            session = BrowserSession(context, episode, agent.wants, offers=goal.offers)
            await session.start(episode.start_url, FIRST_PAGE_TIMEOUT_MS, episode.credential)
            await context.pages[0].set_viewport_size({"width": width, "height": _HEIGHT})
            _, observation = await session.step(_LOOK)
            yield observation
            while not (action := await _decide(agent, observation)).final:
                outcome, observation = await session.step(action)
                if not outcome.ok:
                    raise MissedError(f"{action.kind} {action.selector}: {outcome.reason} {outcome.detail}")
                yield observation
            await session.end()


async def _decide(agent: Agent, observation: Observation) -> Action:
    action = agent.act(observation)
    return action if isinstance(action, Action) else await action
