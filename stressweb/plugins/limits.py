"""Words of a goal that limit the agent, such as "no other", each with a breach, which must fail the task."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from stressweb.core.choices import unknown
from stressweb.plugins.site_world import SiteWorld
from stressweb.plugins.steps import Step, StepSpec, flat
from stressweb.plugins.task_parameter import Given

_LIMITING = re.compile(
    r"\b(?:alone|else|except|exactly|go on as|just|keep|keeps|leave|leaves|never|no|nobody|none|not|nothing|only|stay|"
    r"stays|unless|without)\b",
    re.IGNORECASE,
)
# Quotations and templates are not the goal's own words.
_FOREIGN = re.compile(r'"[^"]*"|\{[^}]*\}')


class Limit(BaseModel):
    """Words of a goal that limit the agent: either with a breach, or with the parameter that they describe."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    says: Annotated[str, Field(min_length=2)]
    """The words, as in `goal`."""
    breach: Annotated[tuple[StepSpec, ...], BeforeValidator(flat)] = ()
    """Steps that violate the words, so that the task must fail. They follow the trajectory or replace some of its
    steps."""
    in_place_of: Annotated[tuple[StepSpec, ...], BeforeValidator(flat)] = ()
    """Steps of the trajectory that the breach replaces; its own steps come in place of the first of them."""
    given: dict[str, Given] = {}
    """Parameters of the breach alone, drawn after those of the goal. A world without a matching row has no breach."""
    describes: str = ""
    """A name in `given` of the task: the words select its rows, and the entry has a condition for that."""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if bool(self.describes) == bool(self.breach or self.in_place_of):
            raise ValueError("needs either breach (with or without in_place_of) or describes")
        return self

    def walk(
        self, way: Sequence[Step], names: Mapping[str, Any], world: SiteWorld, *key: str | int
    ) -> tuple[Step, ...] | None:
        """Return the trajectory `way` with the breach, or None if the limit cannot be broken in this world.

        Raises KeyError for a target that is neither a label nor a template, and LookupError for a step that is not in
        `way`.
        """
        drawn = dict(names)
        for name, parameter in self.given.items():
            drawn[name] = parameter.draw(world, drawn, "limit", world.site, world.seed, *key, name)
            if drawn[name] is None:
                return None
        added = [step for spec in self.breach for step in spec.resolve(drawn, world.labels)]
        remaining, position = [*way], len(way)
        for step in (step for spec in self.in_place_of for step in spec.resolve(drawn, world.labels)):
            match = next(
                (number for number, remaining_step in enumerate(remaining) if _bare(remaining_step) == _bare(step)),
                None,
            )
            if match is None:
                raise LookupError(f"limits: {self.says!r}: the trajectory has no step {step}")
            position = min(position, match)
            del remaining[match]
        return (*remaining[:position], *added, *remaining[position:])


@dataclass(frozen=True)
class Breach:
    """One limit of a goal in one world."""

    says: str
    steps: tuple[Step, ...] | None
    """The trajectory with the breach; None if the limit cannot be broken in this world."""


def check_limits(goal: str, limits: Sequence[Limit], parameters: Mapping[str, Given]) -> None:
    """Raise ValueError for words that are not in the goal's text, and for a described parameter without a condition."""
    text = _collapsed(goal)
    for limit in limits:
        if _collapsed(limit.says) not in text:
            raise ValueError(f"limits: the goal does not say {limit.says!r}")
        if limit.describes:
            if limit.describes not in parameters:
                raise ValueError(f"limits: {unknown('given', limit.describes, parameters)}")
            if not (parameters[limit.describes].where or parameters[limit.describes].order):
                raise ValueError(f"limits: given.{limit.describes} has no condition that {limit.says!r} could describe")


def unlimited(goal: str, limits: Sequence[Limit]) -> Iterator[str]:
    """Yield each limiting word of a goal's text that no limit covers, with its context."""
    text = _collapsed(goal)
    own = _FOREIGN.sub(lambda quoted: "_" * len(quoted[0]), text)
    spans = [match.span() for limit in limits for match in re.finditer(re.escape(_collapsed(limit.says)), text)]
    for word in _LIMITING.finditer(own):
        if not any(start <= word.start() and word.end() <= end for start, end in spans):
            yield f"{word[0]!r} in {text[max(0, word.start() - 20) : word.end() + 20]!r}"


def _bare(step: Step) -> Step:
    return step.model_copy(update={"optional": ""})


def _collapsed(text: str) -> str:
    return " ".join(text.split())
