"""Form fields, each of a kind that the kit or the site defines in a folder.

The folder has `model.py` (the field's options and its validation), `template.html` (a macro with the kind's name) and,
if needed, `script.js` and `style.css`. docs/sites.md has an example.
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
"""HTML's `autocomplete` value for fields with these names."""


class Rows(Protocol):
    """Reads the rows of an episode; `Tables` implements it."""

    def rows(self, source: Source, names: Mapping[str, Any]) -> list[Entity]:
        """Return the rows of a source; its templates are filled from `names`."""

    def owned(self, entity: str, key: str, owner: str) -> Entity | None:
        """Return the row of an entity with this key; None if there is none or it belongs to somebody else."""


@dataclass(frozen=True)
class Answers:
    """A submitted form, and the rows and names that its validation needs."""

    texts: MultiDict[str, str]
    files: MultiDict[str, FileStorage]
    store: Rows
    names: Mapping[str, Any]
    """Values that templates read."""
    owner: str
    """Key of the person or visitor who sent the form."""

    def text(self, name: str, most: int = 200) -> str:
        """Return the text sent under a name, stripped and cut after `most` + 1 characters.

        The extra character shows that the text is too long, and no check has to read a megabyte.
        """
        return self.texts.get(name, "").strip()[: most + 1]

    def row(self, entity: str, key: str) -> Entity:
        """Return the row with this key; raises RefusedError if there is none or it belongs to somebody else."""
        # Look the row up even if the page offered it: a form can send any key, and the row may have been deleted.
        row = self.store.owned(entity, key, self.owner)
        if row is None:
            raise RefusedError("error_choice")
        return row


class Field(Spec):
    """A form field. A kind is a subclass whose `type` is a literal with the kind's name."""

    hidden: ClassVar[bool] = False
    """Whether the page does not show the field, which only names the row that the form is about."""
    many: ClassVar[bool] = False
    """Whether its value is several rows."""
    secret: ClassVar[bool] = False
    """Whether the input is neither shown again nor recorded."""
    sends_files: ClassVar[bool] = False
    """Whether its form must be sent as `multipart/form-data`."""

    type: str
    label: Label = ""
    """Label key; by default the field's name."""
    value: Template = ""
    """Template of the initial value."""
    required: bool = True

    @property
    def labelled(self) -> bool:
        """Whether the field has its own label."""
        return not self.hidden

    def first(self, names: Mapping[str, Any]) -> Any:
        """Return the initial value."""
        return fill(self.value, names) if self.value and not self.secret else ""

    def unsent(self, names: Mapping[str, Any]) -> Any:
        """Return the value to show when a form is refused that sent nothing for this field."""
        return self.first(names)

    # `visit` is Any, because importing `Visit` would be circular: a `Visit` serves specs, which have fields.
    def view(self, visit: Any, names: Mapping[str, Any]) -> Any:
        """Return what the template gets as `it`, in addition to `Visit` and field; by default None."""

    def sent(self, name: str, answers: Answers) -> Any:
        """Return the input, a text or a list of texts, as it is recorded, and shown again if the form is refused."""
        return answers.texts.get(name, "")

    def accept(self, name: str, answers: Answers) -> Any:
        """Return the value that operations read; raises RefusedError with the label key of the problem."""
        raise NotImplementedError


class Line(Field):
    """A field for one text: `problem` validates the text, and `worth` converts it."""

    asks: ClassVar[str] = "off"
    """HTML's `autocomplete` value for fields of this kind whose name implies none."""
    length: int = 200
    """Maximum number of characters."""
    pattern: str | None = None
    same_as: str | None = None
    """Field that must have the same value."""
    autocomplete: str = ""
    """HTML's `autocomplete` value; by default it follows from the field's name and type."""

    def fills_in(self, name: str) -> str:
        """Return HTML's `autocomplete` value for a field with this name."""
        return self.autocomplete or _AUTOCOMPLETE.get(name, self.asks)

    def accept(self, name: str, answers: Answers) -> Any:
        """Return the converted text; raises RefusedError if it is invalid."""
        text = answers.text(name, self.length)
        if problem := self._wrong(text, answers):
            raise RefusedError(problem)
        return self.worth(text, answers)

    def problem(self, text: str) -> str:
        """Return the label key of the problem with a non-empty text; empty if it is valid."""
        return ""

    def worth(self, text: str, answers: Answers) -> Any:
        """Return the value that operations read; `text` is empty if nothing was entered."""
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
        # Compare with the text as sent, because the other field may be refused and have no value.
        return "error_same" if self.same_as is not None and text != answers.text(self.same_as, self.length) else ""


def _field(value: Any, info: ValidationInfo) -> Field:
    # By default, a field is one line of text.
    spec = {"type": "text", **value} if isinstance(value, dict) else value
    field: Field = kinds_at_hand(info).field.validate_python(spec, context=info.context)
    return field


def _with_labels(fields: dict[str, Field]) -> dict[str, Field]:
    bare = {name for name, field in fields.items() if field.labelled and not field.label}
    return {name: field.model_copy(update={"label": name} if name in bare else {}) for name, field in fields.items()}


type AnyField = Annotated[SerializeAsAny[Field], PlainValidator(_field)]
"""A field of any kind that the site can use; validated with the site's `Kinds` as context."""
type Fields = Annotated[dict[str, AnyField], AfterValidator(_with_labels)]
"""The fields of a form by name; by default, a field's name is also its label key."""
