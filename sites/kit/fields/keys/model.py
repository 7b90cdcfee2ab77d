"""The rows that a form is about: one in a hidden field, or several to tick."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from stressweb.core.entity import Entity
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.fields import Answers, Field, Line
from stressweb.sites.kit.spec.strict import EntityName, Template


class Hidden(Line):
    """A hidden value, such as the key of the row that the form is about."""

    hidden: ClassVar[bool] = True
    type: Literal["hidden"]
    row: EntityName | None = None
    """Entity of the key; operations read its row by the field's name."""

    def worth(self, text: str, answers: Answers) -> Any:
        """Return the row, or the text if the field names no entity."""
        return answers.row(self.row, text) if self.row and text else text


class Rows(Field):
    """Rows to tick: a list of those in `choices`, or those of a `batch` around the form."""

    many: ClassVar[bool] = True
    type: Literal["rows"]
    row: EntityName
    """Entity of the rows; operations read them by the field's name."""
    choices: Source | None = None
    says: Template = ""
    """Template of the text beside a checkbox."""
    value: Template = ""
    """Template of the keys that are ticked at first, with commas between them."""

    @property
    def labelled(self) -> bool:
        """Whether the field has its own label; in a batch, only its rows have labels."""
        return self.choices is not None

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return key and text of each row."""
        return {row.id: visit.fill(self.says, {**names, "row": row}) for row in visit.rows(self.choices, names)}

    def first(self, names: Mapping[str, Any]) -> list[str]:
        """Return the keys that are ticked at first."""
        return str(super().first(names)).split(", ")

    def unsent(self, names: Mapping[str, Any]) -> list[str]:
        """Return an empty list: browsers do not send unticked checkboxes."""
        return []

    def sent(self, name: str, answers: Answers) -> list[str]:
        """Return the ticked keys."""
        return answers.texts.getlist(name)

    def accept(self, name: str, answers: Answers) -> list[Entity]:
        """Return the ticked rows; raises RefusedError if some are required and none are ticked."""
        # A key that was sent twice counts once.
        rows = [answers.row(self.row, key) for key in dict.fromkeys(answers.texts.getlist(name))]
        if self.required and not rows:
            raise RefusedError("error_required")
        return rows
