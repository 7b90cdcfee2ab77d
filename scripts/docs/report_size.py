"""How large the report of a large run is and how long it takes to write: measured on episodes made by hand."""

import random
import tempfile
import time
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

from runner.experiment.plan import Plan
from runner.experiment.reporting import write
from runner.registry import chosen_agents, conditions
from scripts.docs.parts import table
from stressweb.core.conditions import CLEAN
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.log.store import FILE, Store
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from stressweb.report.pack import Limits

SIZES = ((100, False), (100, True), (1000, False))
"""Number of episodes, and whether they have pictures."""
STEPS = 12
PICTURE = 100_000
"""Bytes of a picture: about what those of the sites have."""
ELEMENTS = 300
_WORDS = (
    "cart",
    "order",
    "price",
    "shop",
    "review",
    "delivery",
    "address",
    "lamp",
    "chair",
    "shirt",
    "linen",
    "copper",
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def report_size() -> dict[str, str]:
    """Write reports of runs of several sizes and return what they took."""
    head = ("episodes", "steps of each", "pictures", "recording", "report", "processor time")
    measured = table(head, (_measured(count, pictures=pictures) for count, pictures in SIZES))
    pages, pictures = (f"{limit / 1e6:.0f} MB" for limit in Limits())
    most = f"At most {pages} of pages and {pictures} of pictures go in, those of false claims and failures first."
    return {"report-size": f"{most}\n\n{measured}"}


def _measured(count: int, *, pictures: bool) -> tuple[object, ...]:
    with tempfile.TemporaryDirectory(prefix="stressweb-docs-") as folder:
        path, output = Path(folder) / "run" / FILE, Path(folder) / "report.html"
        _record(path, count, pictures=pictures)
        # The processor's time, which a busy machine does not lengthen.
        begun = time.process_time()
        write(path.parent, output)
        seconds = time.process_time() - begun
        return count, STEPS, "yes" if pictures else "no", _mb(path), _mb(output), f"{seconds:.0f} s"


def _mb(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.0f} MB"


def _record(path: Path, count: int, *, pictures: bool) -> None:
    chance = random.Random(count)
    plan = Plan(
        agents=tuple(chosen_agents("naive,resilient")),
        tasks=tuple(f"shop/task-{task}" for task in range(15)),
        conditions=(CLEAN, *conditions("remap,failure,popup,noise")),
        stress=tuple(range(1000)),
    )
    cells = list(islice(_cells(plan), count))
    with Store.create(path, {"plan": plan.model_dump()}, cells) as store:
        for cell in cells:
            store.save(_episode(cell, chance, pictures=pictures))


def _cells(plan: Plan) -> Iterator[Cell]:
    for stress, task, agent, condition in product(plan.stress, plan.tasks, plan.agents, plan.conditions):
        yield Cell(agent=agent.label, task=task, condition=condition.label, world=0, stress=stress)


def _episode(cell: Cell, chance: random.Random, *, pictures: bool) -> EpisodeRecord:
    words = [" ".join(chance.choices(_WORDS, k=3)) for _ in range(ELEMENTS)]
    steps = [
        StepRecord(
            # Random bytes in place of a picture: neither compresses, and the size of the report is what is measured.
            page=Shown("http://shop.test/", _page(words, chance), chance.randbytes(PICTURE) if pictures else None),
            action=Action(kind="CLICK", selector="main > div:nth-of-type(3) > a") if n else None,
            outcome=Outcome(ok=True) if n else None,
            seconds=0.2,
        )
        for n in range(STEPS)
    ]
    success = cell.agent == "resilient" or cell.condition == "clean"
    ledger = [Entry(step=2, mode=cell.condition.partition("@")[0], phase="delivered", element="button 'Buy'")]
    grade = Grade({"saw it": True, "bought it": success}, {"bought more": False}, verdict=success)
    return EpisodeRecord(cell, "done", "done", "Done.", steps, ledger=ledger, grade=grade, seconds=2.0)


def _page(words: list[str], chance: random.Random) -> str:
    """Return a page whose marks are new, as every page's are."""
    marks = ["".join(chance.choices(_LETTERS, k=10)) for _ in words]
    links = (f'<a href="/p/{said[:4]}">{said}</a>' for said in words)
    body = "".join(f'<div class="{mark} card">{link}</div>' for mark, link in zip(marks, links, strict=True))
    return f"<!doctype html><html><head><title>Shop</title></head><body>{body}</body></html>"
