"""Tasks: a goal, what is drawn from the world seed, the way, and where the evidence is."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Verb = Literal["open", "press", "enter", "choose", "tick", "untick"]


class Step(BaseModel):
    """One semantic step in the words that the page uses for this world seed.

    open: follow the link that says `target`. press: the button that says it. enter: `value` into the field labelled
    `target`. choose: the option `value` of the select labelled `target`. tick, untick: the box labelled `target`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verb: Verb
    target: str
    value: str | None = None
    on: str | None = None
    """The item (product, order, address ...) that holds the target, by its name, where the page has several."""


class Goal(BaseModel):
    """A task in one world: what an agent is told, and what the checkpoints compare with."""

    model_config = ConfigDict(frozen=True)

    task: str
    world_seed: int
    text: str
    """What the agent is asked to do."""
    params: dict[str, Any]
    """What was drawn; `goal.product` reads `params["product"]`, an entity's columns read as attributes."""
    ways: tuple[tuple[Step, ...], ...]
    """The trajectory, then every other way that ships with the task."""
    evidence: tuple[str, ...]
    """Paths that are read unperturbed after the last action."""
