"""The order in which the cells of a plan run: block by block, the longest first, each block in keyed random order."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from stressweb.core.draws import digest
from stressweb.log.recording import Cell


class Block(NamedTuple):
    """What is compared with each other: all arms of one agent on one task in one world, in one epoch.

    The stress seeds are together in it, because `clean` has none: it is compared with the arms of all of them.
    """

    agent: str
    task: str
    world: int
    epoch: int

    def __str__(self) -> str:
        """Name the block in a message."""
        return f"{self.task} {self.agent} world {self.world} epoch {self.epoch}"


def block_of(cell: Cell, epochs: int) -> Block:
    """Return the block of a cell in a plan of so many epochs.

    `clean` may run more often than the rest; what it runs more often belongs to the last epoch.
    """
    # The extra clean episode has an epoch that no other arm has, and would be a block of its own.
    return Block(cell.agent, cell.task, cell.world, min(cell.epoch, epochs - 1))


def blocks(cells: Iterable[Cell], epochs: int) -> dict[Block, list[Cell]]:
    """Return the cells of each block, in the order in which they are given."""
    cells_by_block: dict[Block, list[Cell]] = {}
    for cell in cells:
        cells_by_block.setdefault(block_of(cell, epochs), []).append(cell)
    return cells_by_block


def scheduled(cells: Sequence[Cell], epochs: int, seconds: Callable[[Cell], float]) -> list[Cell]:
    """Return the cells in the order in which workers take them; `seconds` is how long one is expected to take.

    An endpoint that becomes better or worse during a run does so for all arms alike: those that are compared run
    together, in an order that is drawn from their names and so repeats.
    """
    cells_by_block = blocks(cells, epochs)
    # The longest first, so that no worker is still busy with a long block when the others have nothing left. `sorted`
    # keeps the order of the plan among equals.
    ordered = sorted(cells_by_block.values(), key=lambda block: -sum(map(seconds, block)))
    return [cell for block in ordered for cell in sorted(block, key=_shuffled)]


def sharded(cells: Sequence[Cell], epochs: int, number: int, count: int) -> list[Cell]:
    """Return the cells of one of `count` shards of a plan; `number` counts from 1.

    Whole blocks go to the shards in turn, so that every shard has blocks of every site and agent.
    """
    # Whole blocks, because what is compared with each other should run on the same machine.
    mine = {block for position, block in enumerate(blocks(cells, epochs)) if position % count == number - 1}
    return [cell for cell in cells if block_of(cell, epochs) in mine]


def _shuffled(cell: Cell) -> bytes:
    # A draw and not the order of the plan, in which the same condition would come first in every block.
    return digest("order", cell.key, size=8)
