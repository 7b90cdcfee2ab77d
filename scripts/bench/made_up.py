"""A made-up run: as many episodes as are asked for, written as a run writes them, on pages of a real site."""

import random
import re
from collections.abc import Sequence
from pathlib import Path

from runner.experiment.identity import identities, parts
from runner.experiment.plan import Plan
from runner.registry import Library, conditions, task_ids
from stressweb.core.agent_spec import AgentSpec
from stressweb.core.suite import SUITE
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.agent import Usage
from stressweb.plugins.checks import Grade

STEPS = 30
SITE = "shop"
_AGENTS, _CONDITIONS = ("naive", "resilient"), ("clean", "remap@3", "failure@3", "popup@3", "noise@3")
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_OPENING = re.compile(r"<(?=[a-z])([a-z0-9]+)")


def write(folder: Path, count: int, pages: Sequence[str]) -> None:
    """Write a run of `count` episodes of 30 steps each into a new folder.

    `pages` are documents of the shop. Each episode goes over all of them, and each step shows another state of one: it
    has a text of its own, and under stress every element has a mark of the episode's own, as on a page that was
    rewritten. All episodes claim to be done; those of `naive` under stress are not.
    """
    chance = random.Random(count)
    library = Library()
    plan = _plan(count)
    cells = plan.cells()[:count]
    meta = {"plan": plan.model_dump(), "suite": SUITE, "parts": parts(library, plan)}
    with Store.create(folder / FILE, meta, cells, identities(library, plan)) as store:
        for cell in cells:
            store.save(_episode(cell, pages, chance))


def _plan(count: int) -> Plan:
    """Return a plan of at least so many episodes."""
    tasks = tuple(task for task in task_ids() if task.startswith(f"{SITE}/"))
    agents = tuple(AgentSpec(label=name, name=name, deterministic=True) for name in _AGENTS)
    each = len(tasks) * len(agents) * (len(_CONDITIONS) - 1)
    stress = tuple(range(count // each + 1))
    return Plan(agents=agents, tasks=tasks, conditions=conditions(",".join(_CONDITIONS)), stress=stress)


def _episode(cell: Cell, pages: Sequence[str], chance: random.Random) -> EpisodeRecord:
    shown = [_marked(page, chance) if cell.condition != "clean" else page for page in pages]
    steps = [_step(n, shown[n * len(pages) // (STEPS + 1)], chance) for n in range(STEPS + 1)]
    success = cell.agent == "resilient" or cell.condition == "clean"
    mode = cell.condition.partition("@")[0]
    lines = [Entry(step=n, mode=mode, phase="delivered", element=f"button 'Buy {n}'") for n in range(1, STEPS, 3)]
    return EpisodeRecord(
        cell, "done", "done", "Every step of the script was run.", steps,
        closings={"/cart": Shown(f"http://{SITE}.test/cart", shown[0])},
        ledger=[] if mode == "clean" else lines,
        grade=Grade({"saw it": True, "bought it": success}, {"bought more": False}, verdict=success),
        seconds=20.0,
    )  # fmt: skip


def _step(n: int, page: str, chance: random.Random) -> StepRecord:
    told = "".join(chance.choices(_LETTERS, k=20))
    shown = Shown(f"http://{SITE}.test/p/{n}", page.replace("</body>", f"<p>Noticed: {told}</p></body>", 1))
    if n == 0:
        return StepRecord(shown)
    if n == STEPS:
        return StepRecord(shown, Action(kind="DONE", message="Every step of the script was run."), Outcome(ok=True))
    selector = f"html > body:nth-of-type(1) > main:nth-of-type(1) > div:nth-of-type({n}) > a:nth-of-type(1)"
    action = Action(kind="CLICK", selector=selector, reasoning=f"I look at number {n}, because {told} may be there.")
    return StepRecord(
        shown, action, Outcome(ok=True), 0.6, Usage(9_000, 60, 1.5, 1, "made-up", f"r{told}", fingerprint="fp_1")
    )


def _marked(page: str, chance: random.Random) -> str:
    """Return a page with a class of its own on every element, as the marks of an episode are."""
    # Random letters hardly compress: without them the database would be far smaller than that of a real run.
    return _OPENING.sub(lambda found: f'{found[0]} data-class="{"".join(chance.choices(_LETTERS, k=10))}"', page)
