"""One of many rows, named by typing."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.core.templates import fill
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.fields import Answers, Line, Rows
from stressweb.sites.kit.spec.strict import EntityName, Template


class Named(Line):
    """A line that takes the name of a row; a script shows the rows that fit what was typed so far.

    Operations read the key of the row. The value that stands in the field at first may be a key, too.
    """

    type: Literal["named"]
    choices: Source
    says: Template
    """What a row is called; capitals make no difference."""
    row: EntityName | None = None
    """Entity whose row, and not only its key, operations read under the field's name."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return key and name of each row."""
        return self._known(visit.store, names)

    def accept(self, name: str, answers: Answers) -> Any:
        """Return the key of the row that was named, or the row."""
        text = super().accept(name, answers)
        if not text:
            return text
        known = self._known(answers.store, answers.names)
        # Two rows may bear one name: which of them is meant, nobody can say.
        keys = [key for key, called in known.items() if called.casefold() == text.casefold()]
        if len(keys) != 1:
            raise RefusedError("error_named")
        return answers.row(self.row, keys[0]) if self.row else keys[0]

    def _known(self, store: Rows, names: Mapping[str, Any]) -> dict[str, str]:
        return {row.id: fill(self.says, {**names, "row": row}) for row in store.rows(self.choices, names)}
