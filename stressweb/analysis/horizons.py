"""Success by horizon (the number of tasks in a chain) under each condition."""

from collections.abc import Iterable

from stressweb.analysis.graded import Graded
from stressweb.analysis.pairing import grouped
from stressweb.core.conditions import CLEAN

_HEAD = "tasks in a chain"


def horizon_lines(episodes: Iterable[Graded]) -> list[str]:
    """Return the lines of a table of successes / episodes; none if the run has no chain.

    It has a line for each condition and a column for each horizon, in ascending order. Agents and conditions keep their
    order, clean first. Errors do not count; if all episodes are errors, a cell is 0/0.
    """
    every = list(episodes)
    if all(episode.horizon == 1 for episode in every):
        return []
    groups = grouped(every, lambda episode: (episode.agent, episode.condition, episode.horizon))
    cells = {}
    for place, own in groups.items():
        counted = [episode.success for episode in own if episode.counts]
        cells[place] = f"{sum(counted)}/{len(counted)}"
    columns = sorted({horizon for _, _, horizon in cells})
    agents = dict.fromkeys(agent for agent, _, _ in cells)
    width = max(len(name) for agent, label, _ in cells for name in (agent, label, _HEAD))
    gap = max(map(len, cells.values())) + 2
    lines = [f"{_HEAD:<{width}}" + "".join(f"{column:>{gap}}" for column in columns)]
    for agent in agents:
        lines += [agent] if len(agents) > 1 else []
        labels = dict.fromkeys(label for agent_name, label, _ in cells if agent_name == agent)
        for condition in sorted(labels, key=lambda label: label != CLEAN.label):
            texts = (cells.get((agent, condition, column), "–") for column in columns)
            lines.append(f"{condition:<{width}}" + "".join(f"{text:>{gap}}" for text in texts))
    return lines
