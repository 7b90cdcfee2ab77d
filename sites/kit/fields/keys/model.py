"""Rows that a form is about: one that nobody sees, or several to tick."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from stressweb.core.entity import Entity
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.fields import Answers, Field, Line
from stressweb.sites.kit.spec.strict import EntityName, Template


class Hidden(Line):
    """What the form knows already, as which row it is about."""

    hidden: ClassVar[bool] = True
    type: Literal["hidden"]
    row: EntityName | None = None
    """Entity whose key this field must hold; operations read that row under the field's name."""

    def worth(self, text: str, answers: Answers) -> Any:
        """Return the row, or the text where no entity is named."""
        return answers.row(self.row, text) if self.row and text else text


class Rows(Field):
    """Rows to tick: those of `choices` one below the other, or those that a `batch` shows around the form."""

    many: ClassVar[bool] = True
    type: Literal["rows"]
    row: EntityName
    """Entity of the rows; operations read them under the field's name."""
    choices: Source | None = None
    says: Template = ""
    """What stands beside a box."""

    @property
    def labelled(self) -> bool:
        """A batch has a line for each row, and none for the field."""
        return self.choices is not None

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return key and text of each row."""
        return {row.id: visit.fill(self.says, {**names, "row": row}) for row in visit.rows(self.choices, names)}

    def unsent(self, names: Mapping[str, Any]) -> list[str]:
        """Return nothing: browsers do not send boxes that are not ticked."""
        return []

    def sent(self, name: str, answers: Answers) -> list[str]:
        """Return the keys that were ticked."""
        return answers.texts.getlist(name)

    def accept(self, name: str, answers: Answers) -> list[Entity]:
        """Return the rows that were ticked."""
        # A box that was sent twice counts once.
        rows = [answers.row(self.row, key) for key in dict.fromkeys(answers.texts.getlist(name))]
        if self.required and not rows:
            raise RefusedError("error_required")
        return rows
