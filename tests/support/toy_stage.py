"""Episodes on the toy site under a condition such as `remap@5`."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page

from scripts.waited import Recorder
from stressweb.core.conditions import parse
from stressweb.core.draws import Seeds
from stressweb.log.ledger import Entry
from stressweb.perturbations import MODES
from stressweb.perturbations.episode_perturber import EpisodePerturber
from stressweb.runner.world.world import EpisodeWorld, World
from tests.support.toy import Toy


@dataclass
class Stage:
    """A page under a condition, with its episode."""

    page: Page
    episode: EpisodeWorld
    world: World
    recorder: Recorder

    def stress(self) -> EpisodePerturber:
        """Return the episode as the proxy keeps it."""
        return self.episode.perturber

    def posts(self) -> list[str]:
        """Return the bodies of the submitted forms, in order."""
        change = self.episode.final().get("post")
        return [row["body"] for row in change.added] if change else []

    def lines(self, phase: str) -> list[Entry]:
        """Return the ledger's lines of a phase that are about an element."""
        # The browser's reports are processed during a call.
        self.page.evaluate("0")
        return [entry for entry in self.episode.perturber.entries if entry.phase == phase and entry.element]

    def read(self, page: Page | None = None) -> str:
        """Read the page, or another tab, as the recorder does, which ends a running entry."""
        page = page or self.page
        text = self.recorder.read(page, measured=False)
        assert text is not None
        self.recorder.pass_on(json.loads(text))
        return page.content()

    def arrived(self) -> None:
        """Wait until the page after the form is shown."""
        self.page.wait_for_url("**/done")


type Visit = Callable[..., Page]


type Set = Callable[..., Stage]


@pytest.fixture
def stage(world: World, visit: Visit) -> Iterator[Set]:
    """Set the stage: `stage("remap@5")`, with another site or other seeds if need be."""
    opened: list[EpisodeWorld] = []
    with ExitStack() as stack:

        def set_stage(condition: str, site: Toy | None = None, stress: int = 0, **seeds: Any) -> Stage:
            (parsed,) = parse(condition, MODES)
            episode = world.open(site or Toy(), parsed, Seeds(0, stress, seeds.get("task", "toy/x")))
            stack.callback(episode.close)
            opened.append(episode)
            recorder = Recorder(episode)
            page = visit(episode, lambda page: recorder.attach(page, page.context.new_cdp_session(page)))
            return Stage(page, episode, world, recorder)

        yield set_stage
        # A fault would make any episode an error, so every test of a mode fails on one.
        assert [episode.faults() for episode in opened] == [[]] * len(opened)
