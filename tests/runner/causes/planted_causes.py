"""A site of one page with planted causes, and agents that follow a list in the test."""

from collections.abc import Callable, Sequence
from functools import cache

from stressweb.plugins.actions import Action
from stressweb.plugins.agent import Agent, Brief, Observation
from stressweb.plugins.checks import Checklist, Checks
from stressweb.plugins.query import Run
from stressweb.plugins.steps import Step
from stressweb.plugins.task import Goal
from stressweb.runner.causes.recorded_episode import RecordedEpisode
from stressweb.runner.registry import Library
from tests.support.toy import Toy

TASK, SENT = "toy/save", "toy/send"
"""The second task only requires that the form is sent, with any content."""


NAME, NOTE, AGREE, CODE = "[name=name]", "[name=note]", "[name=agree]", "[name=code]"


SAVE, SEND = "form[action='/do'] [type=submit]", "form[action='/strict'] [type=submit]"


ALPHA = "a[href='/alpha']"


STRICT = """<form method="post" action="/strict"><label>Code <input name="code" required></label>
<button type="submit">Send it</button></form></main>"""
"""A form that the browser does not send while its field is empty."""


class Presses(Agent):
    """Presses and fills in the controls of a list in order, and ignores the outcomes."""

    name = "presses"
    deterministic = True

    def __init__(self, todo: Sequence[str | tuple[str, str]]) -> None:
        """Take selectors: those with a text are filled in, the others are clicked."""
        self._todo = list(todo)

    def start(self, brief: Brief) -> None:
        """Start at the first control."""
        super().start(brief)
        self._index = -1

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        self._index += 1
        if self._index >= len(self._todo):
            return Action(kind="DONE")
        target = self._todo[self._index]
        if isinstance(target, tuple):
            return Action(kind="FILL", selector=target[0], text=target[1])
        return Action(kind="CLICK", selector=target)


class ToyLibrary(Library):
    """Library of the toy site, with one goal."""

    def __init__(self, page: Toy) -> None:
        """Take the site."""
        super().__init__()
        self.world = self.world_of = cache(lambda *world: page)

    def _checklist(self, name: str) -> Checklist:
        return Checklist({TASK: saved, SENT: sent})

    def _goal(self, task: str, seed: int) -> Goal:
        """Return the goal."""
        trajectory = (Step(verb="enter", target="Name", value="lamp"), Step(verb="press", target="Save it"))
        return Goal(task=task, world_seed=seed, text="Save a name.", params={}, ways=(trajectory,), evidence=("/",))


def saved(run: Run, goal: Goal) -> Checks:
    """Check that the form was sent with the name."""
    posts = [str(row["body"]) for row in run.added("post")]
    yield "sent the form", bool(posts)
    yield "with the name", any("name=lamp" in body for body in posts)


def sent(run: Run, goal: Goal) -> Checks:
    """Check that the form was sent."""
    yield next(iter(saved(run, goal)))


type Planted = Callable[..., RecordedEpisode]
