"""Several rows at once, one per line."""

from typing import Any, Literal

from werkzeug.datastructures import MultiDict

from stressweb.sites.kit.fields.choice.model import Choice
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.spec.fields import Answers, Field, Fields

_LENGTH = 400
"""Most characters of a line."""


class Lines(Field):
    """A text with a row on each line; vertical bars separate its cells, and cells at the end may be omitted.

    Operations read a list with the values of each line by cell. Messages name the line of a problem. To choose an
    option, people type its text.
    """

    type: Literal["lines"]
    cells: Fields
    """The cells of a line, in order; only the first is required."""
    most: int = 200
    """Maximum number of lines."""
    height: int = 8
    """Height of the field in lines."""

    def accept(self, name: str, answers: Answers) -> list[dict[str, Any]]:
        """Return the values of each non-empty line; raises RefusedError for an invalid line."""
        text = answers.texts.get(name, "")
        lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        if not lines:
            raise RefusedError("error_required")
        if len(lines) > self.most:
            raise RefusedError("error_lines", words={"most": str(self.most)})
        return [self._read(number, line, answers) for number, line in lines]

    def _read(self, number: int, line: str, answers: Answers) -> dict[str, Any]:
        cells = [cell.strip() for cell in line[:_LENGTH].split("|")]
        if len(cells) > len(self.cells):
            raise _wrong(number, line, "error_cells", answers)
        texts = dict(zip(self.cells, [*cells, *[""] * len(self.cells)], strict=False))
        values = {}
        for cell, field in self.cells.items():
            cell_text = _value(field, texts[cell], answers) if isinstance(field, Choice) else texts[cell]
            try:
                values[cell] = field.accept(cell, Answers(MultiDict({cell: cell_text}), answers.files, answers.store,
                    answers.names, answers.owner))  # fmt: skip
            except RefusedError as refusal:
                raise _wrong(number, texts[cell] or line, refusal.label, answers) from None
        return values


def _value(field: Choice, typed: str, answers: Answers) -> str:
    """Return the value of the option with this text; any other text unchanged, which is then refused."""
    values_by_text = {text.casefold(): value for value, text in field.offered(answers.store, answers.names).items()}
    return values_by_text.get(typed.casefold(), typed)


def _wrong(number: int, typed: str, label: str, answers: Answers) -> RefusedError:
    return RefusedError("error_line", words={"line": str(number), "said": typed, "why": answers.names["label"][label]})
