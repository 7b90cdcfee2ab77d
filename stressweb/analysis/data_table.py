"""Tables of numbers, for readers, for programs (CSV) and for papers (LaTeX)."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stressweb.analysis.statistics import Interval
from stressweb.core.spreadsheet import guarded

type Value = str | int | float | None
"""The content of a cell; None without data."""

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "–": "--", "−": "$-$", "×": r"$\times$", "→": r"$\rightarrow$",
}  # fmt: skip
# One pass over the text: chained replacements would escape each other's output.
_ANY_SPECIAL = re.compile("|".join(map(re.escape, _SPECIAL)))
# LaTeX turns two hyphens into a dash, two apostrophes into a quotation mark, and so on.
_LIGATURE = re.compile(r"([-'`,])(?=\1)|[?!](?=`)")


class Field(NamedTuple):
    """A column."""

    name: str
    """Its heading with the unit: `success [%]`."""
    decimals: int | None = None
    """Number of decimals for readers; None for names and counts. Programs get all digits."""

    def formatted(self, value: Value) -> str:
        """Return a value for readers: a dash if unknown, and a real minus sign."""
        if value is None:
            return "–"
        if isinstance(value, str) or self.decimals is None:
            return str(value)
        # A value that rounds to zero has no sign.
        return f"{round(value, self.decimals) + 0.0:.{self.decimals}f}".replace("-", "−")


class DataTable(NamedTuple):
    """The numbers of a figure, or of a table of the report."""

    name: str
    """Stem of its file names."""
    title: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    """Notes for the caption of a LaTeX table."""

    @property
    def formatted(self) -> list[list[str]]:
        """The rows for readers."""
        return [[field.formatted(value) for field, value in zip(self.fields, row, strict=True)] for row in self.rows]

    @property
    def numeric(self) -> list[bool]:
        """Whether each column has numbers, which are aligned to the right."""
        return [
            any(row[number] is not None for row in self.rows)
            and not any(isinstance(row[number], str) for row in self.rows)
            for number in range(len(self.fields))
        ]


def in_percent(share: float | None) -> float | None:
    """Return a share, or a difference of shares, in percent; None stays None."""
    return None if share is None else 100 * share


def ends_in_percent(interval: Interval | None) -> tuple[float | None, float | None]:
    """Return both ends of an interval of shares in percent; (None, None) without an interval."""
    return (100 * interval.low, 100 * interval.high) if interval else (None, None)


def table_of(
    name: str, title: str, fields: Sequence[Field], rows: Iterable[Sequence[Value]], note: str = ""
) -> DataTable:
    """Return a table of these rows."""
    return DataTable(name, title, tuple(fields), tuple(tuple(row) for row in rows), note)


def to_csv(table: DataTable) -> str:
    """Return a table as CSV (RFC 4180) with a heading, all digits, and empty cells for missing data.

    Texts that a spreadsheet would treat as a formula are prefixed with an apostrophe, as OWASP recommends.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([guarded(field.name) for field in table.fields])
    for row in table.rows:
        writer.writerow([guarded(value) if isinstance(value, str) else value for value in row])
    return out.getvalue()


def to_latex(table: DataTable) -> str:
    r"""Return a table as LaTeX with the rules of the package booktabs, and numbers as for readers.

    The document must load booktabs, and fontenc with T1 for straight quotation marks.
    """
    columns = "".join("r" if numeric else "l" for numeric in table.numeric)
    lines = [" & ".join(map(latex, row)) + r" \\" for row in table.formatted]
    caption = " ".join(filter(None, (f"{table.title}.", table.note)))
    return "\n".join(
        [
            r"% \usepackage[T1]{fontenc}, \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex(caption)}}}",
            rf"\label{{tab:{re.sub('[^A-Za-z0-9-]+', '-', table.name)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(latex(field.name) for field in table.fields) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def latex(text: str) -> str:
    """Return a text escaped for LaTeX; line and paragraph breaks become blanks."""
    # A placeholder for braces, because the next line would escape braces.
    separated = _LIGATURE.sub(lambda match: f"{match[0]}\0", " ".join(text.split()))
    plain = _ANY_SPECIAL.sub(lambda match: _SPECIAL[match[0]], separated).replace("\0", "{}")
    # LaTeX would treat a bracket at the beginning of a row as an argument of the previous `\\`.
    return plain.replace("[", "{[}")
