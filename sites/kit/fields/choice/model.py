"""A choice between several options."""

from collections.abc import Mapping
from typing import Any, Literal

from stressweb.core.templates import fill
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.serving.visit import Visit
from stressweb.sites.kit.spec.entities import Source
from stressweb.sites.kit.spec.fields import Answers, Field, Rows
from stressweb.sites.kit.spec.strict import EntityName, Label, Template


class Choice(Field):
    """A choice between several options: those in the spec, and rows."""

    type: Literal["choice"]
    options: dict[str, Label] | tuple[Label, ...] = {}
    """Value and label key of each option; in a list, the label key is also the value."""
    choices: Source | None = None
    """Rows that are further options, with `says` as their text."""
    says: Template = ""
    row: EntityName | None = None
    """Entity of the chosen key; operations read its row by the field's name."""

    @property
    def labels(self) -> dict[str, str]:
        """Value and label key of each option in the spec."""
        return self.options if isinstance(self.options, dict) else {label: label for label in self.options}

    def view(self, visit: Visit, names: Mapping[str, Any]) -> Any:
        """Return value and text of each option."""
        return self.offered(visit.store, names)

    def accept(self, name: str, answers: Answers) -> Any:
        """Return the value of an option, or its row; raises RefusedError if there is no such option."""
        text = answers.text(name)
        if not text:
            if self.required:
                raise RefusedError("error_required")
            return text
        if text not in self.offered(answers.store, answers.names):
            raise RefusedError("error_choice")
        return answers.row(self.row, text) if self.row else text

    def offered(self, store: Rows, names: Mapping[str, Any]) -> dict[str, str]:
        """Return value and text of each current option."""
        from_spec = {value: names["label"][label] for value, label in self.labels.items()}
        rows = store.rows(self.choices, names) if self.choices else ()
        return from_spec | {row.id: fill(self.says, {**names, "row": row}) for row in rows}
