"""A form in several steps."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, model_validator
from werkzeug.datastructures import MultiDict

from stressweb.sites.kit.serving.forms import Entry, accept
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.fields import Answers
from stressweb.sites.kit.spec.strict import Action, EntityName, Label, Template
from stressweb.sites.kit.spec.widgets import AnyPart, Widget, named_by_action


@dataclass(frozen=True)
class Stage:
    """A wizard at one of its steps."""

    at: int
    """Which step is open, counted from 1; the one after the last step is where everything is checked."""
    labels: tuple[str, ...]
    fields: tuple[Entry, ...]
    kept: Mapping[str, str]
    """What the other steps were told."""
    sends_itself: bool
    """Whether a field of this step has buttons that send the form."""


class Wizard(Widget):
    """The fields of an action, a few at a time; the last step shows what was said, and does the action.

    Everything that was said stands in the address of the page: going back loses nothing, and nothing is kept elsewhere
    until the action is done. Each field takes one text. A step comes up again if something in it is not right.
    """

    widget: Literal["wizard"]
    action: Action
    label: Label
    """Label key of the button that does the action; the action's name unless said otherwise."""
    path: Template
    steps: dict[Label, tuple[str, ...]] = Field(min_length=1)
    """Label key of each step, and the names of the fields that it asks."""
    check: Label
    """Label key of the last step."""
    send: dict[str, Template] = {}
    """Hidden fields of the action."""
    row: str
    """Name of the page's row that says what the earlier steps were told."""
    of: EntityName = ""
    """Entity of that row, if it is called by the parts that the entity declares."""
    type: str
    """The schema.org type of that row; the entity's unless said otherwise."""
    show: tuple[AnyPart, ...]
    """Its parts, which are shown from the second step on."""
    onwards: Label = "wizard_next"
    backwards: Label = "wizard_back"

    _named = model_validator(mode="before")(named_by_action)

    def view(self, visit: Visit) -> Stage:
        """Return the step that the query asks for, or the first one before it that is not right."""
        fields_by_name = visit.spec.actions[self.action].fields
        values = {name: self._said(visit, name) for names in self.steps.values() for name in names}
        wanted = self._wanted(visit)
        answers = Answers(MultiDict(values), MultiDict(), visit.store, visit.names, visit.session.owner)
        wrong: dict[str, str] = {}
        for step, names in enumerate([*self.steps.values()][: wanted - 1], start=1):
            _, refusals = accept({name: fields_by_name[name] for name in names}, answers)
            wrong = {name: refusal.label for name, refusal in refusals.items()}
            if wrong:
                wanted = step
                break
        here = self._fields_at(wanted)
        fields = visit.fields(
            {name: fields_by_name[name] for name in here}, visit.names, {"values": values, "wrong": wrong}
        )
        others = {name: text for name, text in values.items() if name not in here}
        sends = any(getattr(field.spec, "sends", False) for field in fields)
        return Stage(wanted, (*self.steps, self.check), tuple(fields), others, sends)

    def hidden(self, visit: Visit, others: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield what the form of the last step sends unseen."""
        yield from {"csrf_token": visit.session.token, "back": visit.here}.items()
        yield from ((name, visit.fill(text, visit.names)) for name, text in self.send.items())
        # As it was typed, and not as a template: people may write braces.
        yield from others.items()

    def _wanted(self, visit: Visit) -> int:
        done = visit.args.get("step", "")
        last = int(done) if done in {str(number) for number in range(1, len(self.steps) + 2)} else 0
        return max(1, last - 1) if "previous" in visit.args else min(last + 1, len(self.steps) + 1)

    def _fields_at(self, step: int) -> tuple[str, ...]:
        return [*self.steps.values(), ()][step - 1]

    def _said(self, visit: Visit, name: str) -> str:
        field = visit.spec.actions[self.action].fields[name]
        return visit.args[name] if name in visit.args else str(field.first(visit.names))
