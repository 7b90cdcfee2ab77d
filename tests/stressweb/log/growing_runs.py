"""Cells of a run whose file grows with every episode."""

import random

from stressweb.log.recording import Cell, EpisodeRecord, Shown, StepRecord

CELLS = [Cell(agent=f"agent-{number}", task="shop/x", condition="clean", world=0) for number in range(12)]


def episode(cell: Cell, size: int = 30_000) -> EpisodeRecord:
    # Random letters do not compress, so the file grows with every episode.
    html = random.Random(cell.key).randbytes(size).hex()
    return EpisodeRecord(cell, "done", "done", steps=[StepRecord(Shown("http://shop.test/", html))])
