"""Recorded episodes made by hand, and the data blocks of their reports."""

import base64
import gzip
import re
from collections.abc import Mapping, Sequence
from typing import Any

from stressweb.analysis.graded import Graded
from stressweb.core.entity import Entity
from stressweb.log.ledger import Entry
from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord
from stressweb.plugins.actions import Action, Outcome
from stressweb.plugins.checks import Grade
from stressweb.plugins.database import TableChange
from stressweb.report.source import Source

type Recorded = tuple[Graded, EpisodeRecord]

# The smallest PNG: one pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154"
    "78da63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)

CHANGED = {
    "cart": TableChange(("id",), (Entity(id=1),), altered=((Entity(id=2, quantity=1), Entity(id=2, quantity=3)),))
}


def recorded(agent: str = "naive", task: str = "shop/buy", condition: str = "remap@3", **changes: Any) -> Recorded:
    """Return an episode that by default fails at step 2 and claims to be done."""
    success = changes.get("success", condition == "clean" or agent == "resilient")
    html = changes.get("html", "<html><body><h1>Shop</h1></body></html>")
    message = changes.get("message", "I bought it.")
    steps = [
        StepRecord(Shown("http://shop.test/", html, changes.get("picture"))),
        StepRecord(
            Shown("http://shop.test/", html, changes.get("picture")),
            Action(kind="CLICK", selector="a.first"),
            Outcome(ok=True),
            0.25,
        ),
        StepRecord(
            Shown("http://shop.test/b", html + "<p>b</p>"),
            changes.get("action", Action(kind="CLICK", selector="#buy", click_count=2)),
            Outcome(ok=False, reason="covered by", detail="div.banner"),
            0.5,
        ),
        StepRecord(
            Shown("http://shop.test/b", html + "<p>b</p>"), Action(kind="DONE", message=message), Outcome(ok=True)
        ),
    ]
    stressed = condition != "clean"
    ledger = [
        Entry(step=0, mode="remap", phase="planned", count=7, detail="/"),
        Entry(step=1, mode="remap", phase="delivered", element="link 'Shop'"),
        Entry(step=2, mode="remap", phase="overcome", element="link 'Shop'"),
        Entry(step=2, mode="remap", phase="delivered", element=changes.get("element", "button 'Buy'")),
    ]
    status = changes.get("status", "done")
    claim = changes.get("claim", "done")
    cell = Cell(agent=agent, task=task, condition=condition, world=0, stress=0, epoch=changes.get("epoch", 0))
    grade = Grade(
        {"saw it": True, "put it into the cart": success},
        {"bought something else": not changes.get("harmless", True)},
        verdict=success and not changes.get("disputed", False),
        unmet=[] if success and not changes.get("disputed", False) else ["cart a/p1: quantity is '2', not '1'"],
        contradictions=["the checkpoints pass"] if success and changes.get("disputed", False) else [],
    )
    record = EpisodeRecord(
        cell=cell,
        status=status,
        claim=claim,
        message=message,
        steps=steps,
        closings={"/cart": Shown("http://shop.test/cart", html)},
        final=changes.get("final", CHANGED),
        ledger=ledger if stressed else [],
        grade=None if status == "error" else grade,
        seconds=1.5,
    )
    graded = Graded(
        agent=agent, task=task, site=task.partition("/")[0], condition=condition, world_seed=0, stress_seed=0,
        epoch=cell.epoch, status=status, claim=claim, success=status != "error" and grade.success, checkpoints_passed=1 + success,
        checkpoints_total=2, harmed=grade.harms["bought something else"], disputed=status != "error" and grade.disputed, steps=3, exposed={"remap": True} if stressed else None, bypasses=0, seconds=1.5,
    )  # fmt: skip
    return graded, record


def standard() -> list[Recorded]:
    """Return a run in which naive fails under remap with false claims, and resilient passes."""
    tasks = [f"shop/task-{n}" for n in range(3)]
    return [
        recorded(agent, task, condition)
        for task in tasks
        for agent in ("naive", "resilient")
        for condition in ("clean", "remap@3")
    ]


def source(
    episodes: Sequence[Recorded],
    missing: int = 0,
    goals: Mapping[tuple[str, int], str] | None = None,
    sheets: Mapping[str, str] | None = None,
    causes: Mapping[str, Sequence[str]] | None = None,
) -> Source:
    """Return the source of a report on these episodes; `missing` others were not run."""
    records = {record.cell: record for _, record in episodes}
    extra = [Cell(agent="naive", task="shop/later", condition="clean", world=0, stress=n) for n in range(missing)]
    return Source(
        name="a-run",
        meta={"version": "0.1.0", "browser": "Chromium 1"},
        planned=[*records, *extra],
        graded=[graded for graded, _ in episodes],
        load=records.__getitem__,
        goal=lambda task, world: (goals or {}).get((task, world), ""),
        modes={"remap": "Selected controls answer to a double click.", "noise": "Not in this run."},
        gesture_stopping_modes=("remap", "failure"),
        sheets=lambda site, world: sheets or {},
        causes=causes or {},
    )


def block(text: str, name: str) -> str:
    """Return a data block of a report."""
    match = re.search(rf'<script type="text/base64" id="{name}">([^<]*)</script>', text)
    assert match, name
    return unpacked(match[1])


def unpacked(block: str) -> str:
    """Return the text of a data block."""
    return gzip.decompress(base64.b64decode(block)).decode()
