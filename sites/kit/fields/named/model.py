"""One of many rows, whose name people type."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.core.templates import fill
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.fields import Answers, Line, Rows
from stressweb.sites.kit.spec.strict import EntityName, Template


class Named(Line):
    """A line for the name of a row; a script suggests rows that match the text so far.

    Operations read the key of the row. The initial value may be a key, too.
    """

    type: Literal["named"]
    choices: Source
    says: Template
    """Template of a row's name; case is ignored."""
    row: EntityName | None = None
    """Entity of the row, if operations need the row by the field's name, not only its key."""

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return key and name of each row."""
        return self._known(visit.store, names)

    def accept(self, name: str, answers: Answers) -> Any:
        """Return the key of the named row, or the row; raises RefusedError if no row or several rows have this name."""
        text = super().accept(name, answers)
        if not text:
            return text
        known = self._known(answers.store, answers.names)
        # Two rows may have the same name, which is then ambiguous.
        keys = [key for key, row_name in known.items() if row_name.casefold() == text.casefold()]
        if len(keys) != 1:
            raise RefusedError("error_named")
        return answers.row(self.row, keys[0]) if self.row else keys[0]

    def _known(self, store: Rows, names: Mapping[str, Any]) -> dict[str, str]:
        return {row.id: fill(self.says, {**names, "row": row}) for row in store.rows(self.choices, names)}
