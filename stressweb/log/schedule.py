"""The order in which cells run: by block, the longest first, each block in keyed random order."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from stressweb.core.draws import digest
from stressweb.log.recording import Cell


class Block(NamedTuple):
    """Cells that are compared with each other: all arms of one agent on one task in one world, in one epoch.

    All stress seeds are in one block, because `clean` has none and is compared with all of them.
    """

    agent: str
    task: str
    world: int
    epoch: int

    def __str__(self) -> str:
        """Return the block's name for messages."""
        return f"{self.task} {self.agent} world {self.world} epoch {self.epoch}"


def block_of(cell: Cell, epochs: int) -> Block:
    """Return the block of a cell in a plan of `epochs` epochs.

    `clean` may run more often than the rest; its additional runs belong to the last epoch.
    """
    # Otherwise the additional clean episode would be a block of its own, without another arm.
    return Block(cell.agent, cell.task, cell.world, min(cell.epoch, epochs - 1))


def blocks(cells: Iterable[Cell], epochs: int) -> dict[Block, list[Cell]]:
    """Return the cells of each block, in their given order."""
    cells_by_block: dict[Block, list[Cell]] = {}
    for cell in cells:
        cells_by_block.setdefault(block_of(cell, epochs), []).append(cell)
    return cells_by_block


def scheduled(cells: Sequence[Cell], epochs: int, seconds: Callable[[Cell], float]) -> list[Cell]:
    """Return the cells in the order in which workers take them; `seconds` estimates the duration of a cell.

    An endpoint that changes during a run does so for all arms alike: cells that are compared run together, in an order
    drawn from their names, so that it repeats.
    """
    cells_by_block = blocks(cells, epochs)
    # The longest first, so that no worker is still busy with a long block when the others are done. `sorted` keeps the
    # order of the plan among equals.
    ordered = sorted(cells_by_block.values(), key=lambda block: -sum(map(seconds, block)))
    return [cell for block in ordered for cell in sorted(block, key=_shuffle_key)]


def sharded(cells: Sequence[Cell], epochs: int, number: int, count: int) -> list[Cell]:
    """Return the cells of one of `count` shards of a plan; `number` counts from 1.

    Shards take whole blocks in turn, so that every shard has blocks of every site and agent.
    """
    # Whole blocks, because cells that are compared should run on the same machine.
    mine = {block for position, block in enumerate(blocks(cells, epochs)) if position % count == number - 1}
    return [cell for cell in cells if block_of(cell, epochs) in mine]


def _shuffle_key(cell: Cell) -> bytes:
    # Drawn, because in the order of the plan the same condition would come first in every block.
    return digest("order", cell.key, size=8)
