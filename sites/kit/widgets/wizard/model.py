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
    """One step of a wizard for display."""

    at: int
    """Number of the open step, counted from 1; the step after the last one is the final check."""
    labels: tuple[str, ...]
    fields: tuple[Entry, ...]
    kept: Mapping[str, str]
    """The answers of the other steps."""
    sends_itself: bool
    """Whether a field of this step has buttons that send the form."""


class Wizard(Widget):
    """The fields of an action in several steps; the last step shows all answers and performs the action.

    All answers are in the page's query, so going back loses nothing, and nothing is stored before the action is
    performed. Each field takes one text. A step with an invalid answer is shown again.
    """

    widget: Literal["wizard"]
    action: Action
    label: Label
    """Label key of the button that performs the action; by default the action's name."""
    path: Template
    steps: dict[Label, tuple[str, ...]] = Field(min_length=1)
    """Names of the fields of each step, by its label key."""
    check: Label
    """Label key of the last step."""
    send: dict[str, Template] = {}
    """Hidden fields of the action."""
    row: str
    """Name of the page's row that summarises the earlier steps."""
    of: EntityName = ""
    """Entity of that row; needed for the parts that the entity declares."""
    type: str
    """The schema.org type of that row; by default the entity's."""
    show: tuple[AnyPart, ...]
    """Parts of that row, which are shown from the second step on."""
    onwards: Label = "wizard_next"
    backwards: Label = "wizard_back"

    _named = model_validator(mode="before")(named_by_action)

    def view(self, visit: Visit) -> Stage:
        """Return the step that the query selects, or an earlier one if that has an invalid answer."""
        fields_by_name = visit.spec.actions[self.action].fields
        values = {name: self._entered_text(visit, name) for names in self.steps.values() for name in names}
        wanted = self._requested_step(visit)
        answers = Answers(MultiDict(values), MultiDict(), visit.store, visit.names, visit.session.owner)
        labels_by_field: dict[str, str] = {}
        for step, names in enumerate([*self.steps.values()][: wanted - 1], start=1):
            _, refusals = accept({name: fields_by_name[name] for name in names}, answers)
            labels_by_field = {name: refusal.label for name, refusal in refusals.items()}
            if labels_by_field:
                wanted = step
                break
        here = self._fields_at(wanted)
        fields = visit.fields(
            {name: fields_by_name[name] for name in here}, visit.names, {"values": values, "wrong": labels_by_field}
        )
        others = {name: text for name, text in values.items() if name not in here}
        sends = any(getattr(field.spec, "sends", False) for field in fields)
        return Stage(wanted, (*self.steps, self.check), tuple(fields), others, sends)

    def hidden(self, visit: Visit, others: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield the hidden fields of the last step's form."""
        yield from {"csrf_token": visit.session.token, "back": visit.here}.items()
        yield from ((name, visit.fill(text, visit.names)) for name, text in self.send.items())
        # Do not treat answers as templates, because people may type braces.
        yield from others.items()

    def _requested_step(self, visit: Visit) -> int:
        done = visit.args.get("step", "")
        last = int(done) if done in {str(number) for number in range(1, len(self.steps) + 2)} else 0
        return max(1, last - 1) if "previous" in visit.args else min(last + 1, len(self.steps) + 1)

    def _fields_at(self, step: int) -> tuple[str, ...]:
        return [*self.steps.values(), ()][step - 1]

    def _entered_text(self, visit: Visit, name: str) -> str:
        field = visit.spec.actions[self.action].fields[name]
        return visit.args[name] if name in visit.args else str(field.first(visit.names))
