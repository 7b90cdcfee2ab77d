"""The plan of a run: which cells there are, in which order."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from stressweb.recording import Cell


class Plan(BaseModel):
    """What a run is made of; written into its database, so that a resumed run is the same one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    conditions: tuple[str, ...]
    """Labels of the conditions; clean among them, since every difference is to clean."""
    worlds: tuple[int, ...] = (0,)
    stress: int = 0
    """Stress seed of the first epoch; each further one takes the next."""
    epochs: int = 1
    max_steps: int = 100
    agent_seconds: float | None = None
    """Time that an agent has for an episode; None: as long as its steps last."""
    screenshots: bool = False

    def cells(self) -> list[Cell]:
        """Return every cell; those that are compared with each other stand together, so that half a run is of use."""
        return [
            Cell(agent=agent, task=task, condition=condition, world=world, stress=self.stress + epoch, epoch=epoch)
            for epoch in range(self.epochs)
            for world in self.worlds
            for task in self.tasks
            for agent in self.agents
            for condition in self.conditions
        ]


def limited(tasks: Sequence[str], limit: int | None) -> tuple[str, ...]:
    """Return the first `limit` tasks; agents and conditions stay as they are."""
    return tuple(tasks if limit is None else tasks[:limit])
