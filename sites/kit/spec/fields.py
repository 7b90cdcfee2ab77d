"""What forms ask: fields, each of a kind that the kit or the site defines in a folder.

A folder holds `model.py` (what the spec may say, and what is accepted), `template.html` (a macro of the kind's name),
and, if the kind needs them, `script.js` and `style.css`. docs/sites.md has an example.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol

from pydantic import AfterValidator, PlainValidator, SerializeAsAny, ValidationInfo
from werkzeug.datastructures import FileStorage, MultiDict

from stressweb.core.entity import Entity
from stressweb.core.templates import fill
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.strict import Label, Spec, Template
from stressweb.sites.kit.spec.widgets import kinds_at_hand

_AUTOCOMPLETE: Mapping[str, str] = {
    "name": "name", "recipient": "name", "street": "street-address", "city": "address-level2",
    "postcode": "postal-code", "phone": "tel", "email": "email",
}  # fmt: skip
"""What HTML calls that which a field of a name asks for."""


class Rows(Protocol):
    """Reads the rows of an episode; `Tables` is one."""

    def rows(self, source: Source, names: Mapping[str, Any]) -> list[Entity]:
        """Return the rows that a source asks for; templates are filled from `names`."""

    def owned(self, entity: str, key: str, owner: str) -> Entity | None:
        """Return the row of an entity that has a key, unless it belongs to somebody else."""


@dataclass(frozen=True)
class Answers:
    """What a form sent, and what it is checked against."""

    texts: MultiDict[str, str]
    files: MultiDict[str, FileStorage]
    store: Rows
    names: Mapping[str, Any]
    """What templates read."""
    owner: str
    """Who sent it."""

    def text(self, name: str, most: int = 200) -> str:
        """Return what was sent under a name without blanks around it: `most` characters, and one if there are more.

        The one more shows that a text is too long, and no check runs over a megabyte.
        """
        return self.texts.get(name, "").strip()[: most + 1]

    def row(self, entity: str, key: str) -> Entity:
        """Return the row of a key; raise RefusedError if there is none, or if it is somebody else's."""
        # Looked up anew, although the page offered it: a form can send any key, and the row may be gone by now.
        row = self.store.owned(entity, key, self.owner)
        if row is None:
            raise RefusedError("error_choice")
        return row


class Field(Spec):
    """A field of a form. A kind is a subclass whose `type` is a literal, the name of the kind."""

    hidden: ClassVar[bool] = False
    """Whether the page does not show the field: its value only says which row the form is about."""
    many: ClassVar[bool] = False
    """Whether it gives several rows."""
    secret: ClassVar[bool] = False
    """Whether what was entered is neither shown again nor recorded."""
    sends_files: ClassVar[bool] = False
    """Whether its form must be sent as `multipart/form-data`."""

    type: str
    label: Label = ""
    """Label key; the field's name unless said otherwise."""
    value: Template = ""
    """Template of what stands in the field at first."""
    required: bool = True

    @property
    def labelled(self) -> bool:
        """Whether the field has a label of its own."""
        return not self.hidden

    def first(self, names: Mapping[str, Any]) -> Any:
        """Return what stands in the field before somebody enters something."""
        return fill(self.value, names) if self.value and not self.secret else ""

    def unsent(self, names: Mapping[str, Any]) -> Any:
        """Return what stands in the field of a form that was refused and sent nothing for it."""
        return self.first(names)

    # Any, because a `Visit` serves specs, which have fields.
    def view(self, visit: Any, names: Mapping[str, Any]) -> Any:
        """Return what the template gets as `it`, besides `Visit` and field: nothing unless a kind needs more."""

    def sent(self, name: str, answers: Answers) -> Any:
        """Return what was entered, as it is recorded, and shown again if the form is refused: text, or lists of it."""
        return answers.texts.get(name, "")

    def accept(self, name: str, answers: Answers) -> Any:
        """Return the value that operations read; raise RefusedError with the label key of what is wrong."""
        raise NotImplementedError


class Line(Field):
    """A field that takes one text: `problem` says what is wrong with one, and `worth` what it stands for."""

    asks: ClassVar[str] = "off"
    """What HTML calls that which the kind asks for, if the field's name does not tell."""
    length: int = 200
    """Most characters that are accepted."""
    pattern: str | None = None
    same_as: str | None = None
    """Field that must hold the same value."""
    autocomplete: str = ""
    """What a browser may fill in, as HTML names it; by the field's name and type unless said otherwise."""

    def fills_in(self, name: str) -> str:
        """Return what a browser may fill in, as HTML names it."""
        return self.autocomplete or _AUTOCOMPLETE.get(name, self.asks)

    def accept(self, name: str, answers: Answers) -> Any:
        """Return what the text stands for."""
        text = answers.text(name, self.length)
        if problem := self._wrong(text, answers):
            raise RefusedError(problem)
        return self.worth(text, answers)

    def problem(self, text: str) -> str:
        """Return the label key of what is wrong with a text, or nothing."""
        return ""

    def worth(self, text: str, answers: Answers) -> Any:
        """Return the value that operations read; the text is empty where nothing was entered."""
        return text

    def _wrong(self, text: str, answers: Answers) -> str:
        if not text:
            return "error_required" if self.required else ""
        if len(text) > self.length:
            return "error_long"
        if problem := self.problem(text):
            return problem
        if self.pattern is not None and not re.fullmatch(self.pattern, text):
            return "error_pattern"
        # Compared with what was sent, because the other field may itself be refused and have no value.
        return "error_same" if self.same_as is not None and text != answers.text(self.same_as, self.length) else ""


def _field(value: Any, info: ValidationInfo) -> Field:
    # A field that does not say what it is takes one line of text.
    spec = {"type": "text", **value} if isinstance(value, dict) else value
    field: Field = kinds_at_hand(info).field.validate_python(spec, context=info.context)
    return field


def _with_labels(fields: dict[str, Field]) -> dict[str, Field]:
    bare = {name for name, field in fields.items() if field.labelled and not field.label}
    return {name: field.model_copy(update={"label": name} if name in bare else {}) for name, field in fields.items()}


type AnyField = Annotated[SerializeAsAny[Field], PlainValidator(_field)]
"""A field of any kind that the site can use; validated with the site's `Kinds` as context."""
type Fields = Annotated[dict[str, AnyField], AfterValidator(_with_labels)]
"""The fields of a form by name; the label key of a field is its name unless it says another."""
