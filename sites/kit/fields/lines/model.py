"""Several rows at once, one on each line."""

from typing import Any, Literal

from werkzeug.datastructures import MultiDict

from stressweb.sites.kit.fields.choice.model import Choice
from stressweb.sites.kit.refusals import RefusedError
from stressweb.sites.kit.spec.fields import Answers, Field, Fields

_LENGTH = 400
"""Most characters of a line."""


class Lines(Field):
    """Text of which each line is a row: its cells stand between bars, and those at the end may be left out.

    Operations read a list of the values of each line by cell. What is wrong is said with the number of its line. An
    option is typed as it is called.
    """

    type: Literal["lines"]
    cells: Fields
    """What a line says, in order; only the first must be there."""
    most: int = 200
    """Most lines that are accepted."""
    height: int = 8
    """How many lines the field shows."""

    def accept(self, name: str, answers: Answers) -> list[dict[str, Any]]:
        """Return the values of each line that is not empty."""
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
            meant = _value(field, texts[cell], answers) if isinstance(field, Choice) else texts[cell]
            try:
                values[cell] = field.accept(cell, Answers(MultiDict({cell: meant}), answers.files, answers.store,
                    answers.names, answers.owner))  # fmt: skip
            except RefusedError as refusal:
                raise _wrong(number, texts[cell] or line, refusal.label, answers) from None
        return values


def _value(field: Choice, typed: str, answers: Answers) -> str:
    """Return the value of the option that is called so; what no option is called stays, and is refused as such."""
    called = {text.casefold(): value for value, text in field.offered(answers.store, answers.names).items()}
    return called.get(typed.casefold(), typed)


def _wrong(number: int, typed: str, label: str, answers: Answers) -> RefusedError:
    return RefusedError("error_line", words={"line": str(number), "said": typed, "why": answers.names["label"][label]})
