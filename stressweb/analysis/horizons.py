"""Success by horizon: how it falls with the number of tasks in a chain, under each condition."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import grouped


class HorizonCell(NamedTuple):
    """The chains of one length of an agent under one condition."""

    agent: str
    condition: str
    horizon: int
    """How many tasks each of them is made of."""
    successes: int
    episodes: int
    """Episodes without error."""

    def __str__(self) -> str:
        """Say how many of the episodes succeeded."""
        return f"{self.successes}/{self.episodes}"


def horizons(episodes: Iterable[Graded]) -> list[HorizonCell]:
    """Return a cell for each agent, condition and horizon; none if no episode is of a chain.

    Agents and conditions stand in the order in which they come, clean first; horizons from short to long.
    """
    counted = [one for one in episodes if one.status != "error"]
    if all(one.horizon == 1 for one in counted):
        return []
    found = []
    for agent, own in grouped(counted, lambda one: one.agent).items():
        by_condition = grouped(own, lambda one: one.condition)
        for label in sorted(by_condition, key=lambda label: label != "clean"):
            by_horizon = grouped(by_condition[label], lambda one: one.horizon)
            for horizon in sorted(by_horizon):
                won = sum(one.success for one in by_horizon[horizon])
                found.append(HorizonCell(agent, label, horizon, won, len(by_horizon[horizon])))
    return found


def horizon_lines(cells: Sequence[HorizonCell]) -> list[str]:
    """Write the cells as a table in plain text: a line for each condition, a column for each horizon."""
    if not cells:
        return []
    columns = sorted({cell.horizon for cell in cells})
    known = {(cell.agent, cell.condition, cell.horizon): str(cell) for cell in cells}
    agents = list(dict.fromkeys(cell.agent for cell in cells))
    width = max(len(name) for cell in cells for name in (cell.agent, cell.condition, "tasks in a chain"))
    gap = max(map(len, known.values())) + 2
    lines = [f"{'tasks in a chain':<{width}}" + "".join(f"{column:>{gap}}" for column in columns)]
    for agent in agents:
        lines += [agent] if len(agents) > 1 else []
        for condition in dict.fromkeys(cell.condition for cell in cells if cell.agent == agent):
            texts = (known.get((agent, condition, column), "–") for column in columns)
            lines.append(f"{condition:<{width}}" + "".join(f"{text:>{gap}}" for text in texts))
    return lines
