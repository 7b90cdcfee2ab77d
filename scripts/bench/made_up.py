"""A synthetic run with any number of episodes, derived from a few real ones and written like a real run."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

from stressweb.core.agent_spec import AgentSpec
from stressweb.core.suite import SUITE
from stressweb.log.ledger import Entry
from stressweb.log.plan import Plan
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.perturbations import gesture_stopping_modes
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from stressweb.runner.registry import Library, conditions, graders
from stressweb.runner.registry.about_tasks import GOALS, goals
from stressweb.runner.registry.grading import Grader
from stressweb.runner.registry.identity import identities, parts

STEPS = 30
SITE = "shop"
_AGENTS, _CONDITIONS = ("naive", "resilient"), ("clean", "remap@3", "failure@3", "popup@3", "noise@3")
# Every how many steps the page stays unchanged, counted in recorded runs of both agents over all modes.
_UNCHANGED, _UNCHANGED_ELSE = {"failure": 3}, 12
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


class Template:
    """A recorded document of a real episode."""

    def __init__(self, page: Shown) -> None:
        """Take a page of an undisturbed episode."""
        self.url = page.url
        self._recorded = page.recorded
        # The notes in the recorder's copy begin with a prefix that is nowhere else in the page.
        note = re.match("<!--(sw[0-9]+-)notes-->", self._recorded)
        self._added = f'<div {note[1]}kind="added">Free returns, today only</div>' if note else ""

    def shown(self, text: str, *, stressed: bool) -> Shown:
        """Return the page with a given text, and under stress with an added node of ours."""
        tail = f"{self._added if stressed else ''}<p>Noticed: {text}</p></body>"
        return Shown.of(self.url, tail.join(self._recorded.rsplit("</body>", 1)))


class Course(NamedTuple):
    """A real episode, extended to `STEPS` actions."""

    pages: tuple[Template, ...]
    """The page of every step, including the first, which has no action."""
    actions: tuple[Action, ...]
    closings: Mapping[str, Template]
    final: Mapping[str, TableChange]

    @classmethod
    def of(cls, record: EpisodeRecord) -> Self:
        """Extend a recorded episode: each action is repeated several times before its effect."""
        real = record.steps[:-1]
        pages = [Template(step.page) for step in real]
        # Index of the real step whose page each new step has; the last two have the last page.
        page_indices = [min(step * len(real) // (STEPS - 1), len(real) - 1) for step in range(STEPS + 1)]
        nexts = [step.action for step in record.steps[1:]]
        actions = [nexts[page_indices[step]] or Action(kind="DONE") for step in range(STEPS - 1)]
        return cls(
            tuple(pages[index] for index in page_indices),
            # Replace the real DONE: it must be only at the end.
            tuple(action if not action.final else actions[0] for action in actions),
            {path: Template(page) for path, page in record.closings.items()},
            record.final,
        )


def write(folder: Path, count: int, recorded: Sequence[EpisodeRecord], sheets: Mapping[str, str]) -> None:
    """Write a run of `count` episodes of 30 steps each into a new folder.

    `recorded` are successful episodes of the shop under clean, one for each task, and `sheets` the style sheets of
    their pages. Each is extended, and every step has a document with a different text; under failure, every third step
    leaves the page unchanged. Pages are copies of the recorder, with the notes of the real episodes; under stress, each
    has an added node. The episodes of `naive` under stress end half-way, with an unchanged database. All claim to be
    done, and all have the grades that the checkpoints give them.
    """
    chance = random.Random(count)
    library = Library()
    plan = _plan(count, [record.cell.task for record in recorded])
    cells = plan.cells()[:count]
    meta = {
        "plan": plan.model_dump(),
        "suite": SUITE,
        "parts": parts(library, plan),
        "swallowing": gesture_stopping_modes(),
    }
    meta |= {graders.GRADING_CODE: graders.code(), GOALS: goals(library, cells)}
    courses = {record.cell.task: Course.of(record) for record in recorded}
    grader = Grader(library)
    grades = dict[tuple[str, bool], Grade]()
    with Store.create(folder / FILE, meta, cells, identities(library, plan)) as store:
        for cell in cells:
            success = cell.agent == "resilient" or cell.condition == "clean"
            episode = _episode(cell, courses[cell.task], chance, success=success)
            # Added nodes change no grade, so grade only one episode per task and outcome.
            if (cell.task, success) not in grades:
                grades[cell.task, success] = grader.grade(episode)
            store.save(replace(episode, grade=grades[cell.task, success], sheets=dict(sheets)))


def _plan(count: int, tasks: Sequence[str]) -> Plan:
    """Return a plan of at least `count` episodes."""
    agents = tuple(AgentSpec(label=name, name=name, deterministic=True) for name in _AGENTS)
    each = len(tasks) * len(agents) * (len(_CONDITIONS) - 1)
    stress = tuple(range(count // each + 1))
    return Plan(agents=agents, tasks=tuple(tasks), conditions=conditions(",".join(_CONDITIONS)), stress=stress)


def _episode(cell: Cell, course: Course, chance: random.Random, *, success: bool) -> EpisodeRecord:
    mode = cell.condition.partition("@")[0]
    stressed = mode != "clean"
    pages: list[Shown] = []
    for index, page in enumerate(course.pages if success else _half_way(course.pages)):
        every = _UNCHANGED.get(mode, _UNCHANGED_ELSE)
        if index % every == every - 1:
            pages.append(pages[-1])
        else:
            pages.append(page.shown(_words(chance), stressed=stressed))
    steps = [StepRecord(pages[0])]
    steps += [_step(*page_action, chance) for page_action in zip(pages[1:-1], course.actions, strict=True)]
    done = Action(kind="DONE", message="Every step of the script was run.")
    steps.append(StepRecord(pages[-2], done, Outcome(ok=True)))
    lines = [
        Entry(step=step, mode=mode, phase="delivered", element=f"button 'Buy {step}'") for step in range(1, STEPS, 3)
    ]
    start = course.pages[0]
    closings = course.closings if success else dict.fromkeys(course.closings, start)
    return EpisodeRecord(
        cell, "done", "done", done.message or "", steps,
        closings={path: page.shown(_words(chance), stressed=False) for path, page in closings.items()},
        final=dict(course.final) if success else {},
        ledger=lines if stressed else [],
        seconds=20.0,
    )  # fmt: skip


def _half_way(pages: Sequence[Template]) -> list[Template]:
    return [*pages[: len(pages) // 2], *[pages[len(pages) // 2]] * (len(pages) - len(pages) // 2)]


def _step(page: Shown, action: Action, chance: random.Random) -> StepRecord:
    words = _words(chance)
    thought = action.model_copy(update={"reasoning": f"I try this, because {words} may be there."})
    usage = Usage(9_000, 60, 1.5, 1, "made-up", f"r{words}", fingerprint="fp_1")
    return StepRecord(page, thought, Outcome(ok=True), 0.6, usage)


def _words(chance: random.Random) -> str:
    # Use random letters, which hardly compress, or the database would be smaller than that of a real run.
    return "".join(chance.choices(_LETTERS, k=20))
