"""Steps of a trajectory: as in `tasks.yaml`, and in the words of one world."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from stressweb.core.templates import Scalar, fill
from stressweb.plugins.offers import apart, together

Verb = Literal["open", "press", "enter", "choose", "tick", "untick", "upload", "go"]

VERBS: tuple[Verb, ...] = ("open", "press", "enter", "choose", "tick", "untick", "upload")
"""Verbs for a task's steps; `go` occurs only between the parts of a chain."""


class Step(BaseModel):
    """A semantic step in the words of the page for this world seed.

    open: follow the link `target`. press: press the button `target`. enter: enter `value` into the field labelled
    `target`. choose: choose the option `value` of the select labelled `target`. tick, untick: the box labelled
    `target`. upload: upload the offered files named in `value` with the file field labelled `target`. go: go to the
    address `target`, which is in the goal of a chain.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verb: Verb
    target: str
    value: str | None = None
    on: str | None = None
    """Name of the item (product, order, address ...) that contains the target, if the page has several."""
    optional: str = ""
    """Why the goal can be reached without this step or with another value; empty for a necessary step."""

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that an upload takes."""
        return apart(self.value or "") if self.verb == "upload" else ()


def flat(steps: Any) -> Any:
    """Flatten nested lists, so that a YAML alias can stand for several steps."""
    if not isinstance(steps, list):
        return steps
    # YAML inserts the steps of an alias as a nested list.
    return [part for step in steps for part in (flat(step) if isinstance(step, list) else [step])]


class StepSpec(BaseModel):
    """A step as in the file: a verb with its target, or `each` with the steps to repeat."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    open: str | None = None
    press: str | None = None
    enter: dict[str, Scalar] | None = None
    choose: dict[str, Scalar] | None = None
    tick: str | None = None
    untick: str | None = None
    upload: dict[str, Scalar | tuple[Scalar, ...]] | None = None
    """A file field with the name of an offered file, or the names of several."""
    each: dict[str, str] | None = None
    """A name for the row, and the drawn rows for each of which `steps` are repeated: `{product: products}`."""
    steps: Annotated[tuple["StepSpec", ...], BeforeValidator(flat)] = ()
    """The steps to repeat for each row."""
    on: str | None = None
    optional: str = ""

    @model_validator(mode="after")
    def _one_verb(self) -> Self:
        # Two verbs in a step would have no order.
        if sum(getattr(self, verb) is not None for verb in (*VERBS, "each")) != 1:
            raise ValueError(f"needs exactly one of {', '.join(VERBS)}, each")
        if bool(self.each) != bool(self.steps):
            raise ValueError("each needs steps, and steps need each")
        return self

    def resolve(self, names: Mapping[str, Any], labels: Mapping[str, str]) -> Iterator[Step]:
        """Yield the steps in a seed's words; raises KeyError for a target that is neither a label nor a template."""
        if self.each:
            ((name, rows),) = self.each.items()
            for row in names[rows]:
                for step in self.steps:
                    yield from step.resolve({**names, name: row}, labels)
            return
        on = fill(self.on, names) if self.on else None
        for verb in VERBS:
            argument = getattr(self, verb)
            pairs = argument.items() if isinstance(argument, dict) else [(argument, None)] if argument else []
            for target, value in pairs:
                yield Step(
                    verb=verb,
                    target=word(target, names, labels),
                    value=_value(value, names, labels),
                    on=on,
                    optional=self.optional,
                )


def _value(
    value: Scalar | tuple[Scalar, ...] | None, names: Mapping[str, Any], labels: Mapping[str, str]
) -> str | None:
    if value is None:
        return None
    if isinstance(value, tuple):
        return together(tuple(fill(name, names) for name in value))
    return labels.get(str(value), "") or fill(value, names)


def word(text: str, names: Mapping[str, Any], labels: Mapping[str, str]) -> str:
    """Return the wording of a label key, or a filled template; raises KeyError for other texts."""
    # Other texts are not accepted as literals, because they are probably misspelt label keys.
    return labels[text] if "{" not in text else fill(text, names)


type Way = Annotated[tuple[StepSpec, ...], BeforeValidator(flat), Field(min_length=1)]
