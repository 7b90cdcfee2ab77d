"""A data table has the same content on screen, as CSV and in LaTeX, whatever its names contain."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.data_table import DataTable, Field, Value, latex, table_of, to_csv, to_latex

FIELDS = (Field("agent"), Field("success [%]", 1), Field("episodes"))
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)
NUMBERS = st.none() | st.floats(-1e6, 1e6)


def small_table(*rows: tuple[Value, ...]) -> DataTable:
    return table_of("modes", "Success by mode", FIELDS, rows, "95 % intervals")


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def unset(text: str) -> str:
    """Return the text that LaTeX typesets for a cell."""
    commands = {
        r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
        r"\textgreater{}": ">", r"\textbar{}": "|", r"\textquotedbl{}": '"', r"\{": "{", r"\}": "}", r"\$": "$",
        r"\&": "&", r"\#": "#", r"\_": "_", r"\%": "%", "{[}": "[", "--": "–", "$-$": "−", r"$\times$": "×",
        r"$\rightarrow$": "→", "{}": "",
    }  # fmt: skip
    return re.sub("|".join(map(re.escape, commands)), lambda match: commands[match[0]], text)


@given(st.lists(st.tuples(WORDS, NUMBERS, st.integers()), max_size=5))
def test_csv_keeps_every_digit(rows: list[tuple[str, float | None, int]]) -> None:
    head, *lines = read(to_csv(small_table(*rows)))
    assert head == ["agent", "success [%]", "episodes"]
    for (name, share, count), (cell, *numbers) in zip(rows, lines, strict=True):
        assert cell.removeprefix("'") == name.removeprefix("'")
        assert (float(numbers[0]) if numbers[0] else None) == share
        assert int(numbers[1]) == count


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "-2", "@SUM(A1)", " =1", "\t=1"])
def test_no_name_becomes_a_formula(name: str) -> None:
    assert read(to_csv(small_table((name, None, 0))))[1][0] == f"'{name}"


def test_numbers_stay_numbers_for_a_spreadsheet() -> None:
    assert read(to_csv(small_table(("a", -12.5, 3))))[1] == ["a", "-12.5", "3"]


def test_pandas_reads_it_too() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(io.StringIO(to_csv(small_table(('a "b", c', 1 / 3, 7), ("d", None, 8)))))
    assert frame["agent"].tolist() == ['a "b", c', "d"]
    assert frame["success [%]"].tolist()[0] == 1 / 3
    assert frame["success [%]"].isna().tolist() == [False, True]


def test_figures_are_rounded_and_unknown_ones_are_dashes() -> None:
    table = small_table(("a", 33.333, 3), ("b", None, 0), ("c", -0.04, 12), ("d", -1.25, 1))
    assert table.formatted == [["a", "33.3", "3"], ["b", "–", "0"], ["c", "0.0", "12"], ["d", "−1.2", "1"]]
    assert table.numeric == [False, True, True]


def test_latex_has_the_rules_of_booktabs_and_a_cell_for_each_column() -> None:
    text = to_latex(small_table(("a_b", 50.0, 2), ("[c]", None, 3)))
    assert r"\begin{tabular}{lrr}" in text
    assert text.index(r"\toprule") < text.index(r"\midrule") < text.index(r"\bottomrule")
    assert r"\caption{Success by mode. 95 \% intervals}" in text
    assert r"agent & success {[}\%] & episodes \\" in text
    assert r"a\_b & 50.0 & 2 \\" in text
    assert r"{[}c] & -- & 3 \\" in text


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_names_are_escaped_in_latex(names: list[str]) -> None:
    text = to_latex(small_table(*((name, 1.0, 1) for name in names)))
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:]
    assert len(body) == len(names)
    for name, line in zip(names, body, strict=True):
        cells = re.split(r"(?<!\\)&", line.removesuffix(r" \\"))
        assert len(cells) == 3
        assert unset(cells[0].strip()) == " ".join(name.split())


@pytest.mark.parametrize(("text", "expected"), [("a--b", "a-{}-b"), ("---", "-{}-{}-"), ("''", "'{}'"), ("?`", "?{}`")])
def test_latex_ligatures_are_broken(text: str, expected: str) -> None:
    assert latex(text) == expected


@given(WORDS)
def test_no_special_character_is_left_unescaped(text: str) -> None:
    bare = re.sub(r"(?<!\\)\{\}|\\text[a-z]+\{\}|\\[{}$&#_%]|\{\[\}|\$-\$|\$\\(?:times|rightarrow)\$", "", latex(text))
    assert not set(bare) & set("\\{}$&#_%~^")
