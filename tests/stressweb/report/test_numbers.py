"""The numbers of every figure and the result table can be read, copied and saved without a network."""

import csv
import io
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from stressweb.analysis.data_table import to_csv, to_latex
from stressweb.analysis.measures import measure
from stressweb.report.charts import charts
from stressweb.report.numbers import result_table
from tests.support.small_reports import source, standard

type Show = Callable[..., Page]


def test_the_result_table_has_the_measures() -> None:
    rows = measure([graded for graded, _ in standard()])
    table = result_table(rows)
    named = [dict(zip([field.name for field in table.fields], row, strict=True)) for row in table.rows]
    for row, named_row in zip(rows, named, strict=True):
        assert (named_row["agent"], named_row["condition"], named_row["successes"]) == (
            row.agent,
            row.condition,
            row.successes,
        )
        assert named_row["success [%]"] == 100 * (row.success or 0)
        assert named_row["adjusted p"] == row.p_holm
        assert named_row["difference [points]"] == (None if row.difference is None else 100 * row.difference)
        assert (named_row["false claims"], named_row["claimed"]) == (row.false_claims, row.claimed)


@pytest.mark.sample(1, "figures")
def test_every_figure_has_its_table_of_numbers(show: Show) -> None:
    page = show(source(standard()))
    rows = measure([graded for graded, _ in standard()])
    tables = [result_table(rows), *(chart.table for chart in charts(rows, [graded for graded, _ in standard()]))]
    places = page.locator("[data-numbers]")
    expect(places).to_have_count(len(tables))
    assert page.locator("figure").count() == page.locator("figure [data-numbers]").count() == len(tables) - 1
    for table in tables:
        assert table is not None
        place = page.locator(f"[data-numbers='t-{table.name}']")
        place.locator("summary").click()
        expect(place.locator("tbody tr")).to_have_count(len(table.rows))
        shown_cells = [row.locator("td").all_inner_texts() for row in place.locator("tbody tr").all()[:3]]
        assert [[" ".join(cell.split()) for cell in row] for row in shown_cells] == [
            [" ".join(cell.split()) for cell in row] for row in table.formatted[:3]
        ]


@pytest.mark.sample(1, "figures")
def test_tables_are_copied_and_saved_unchanged(show: Show) -> None:
    page = show(source(standard()))
    table = result_table(measure([graded for graded, _ in standard()]))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    place = page.locator("[data-numbers='t-result']")
    place.locator("summary").click()
    for name, text in (("CSV", to_csv(table)), ("LaTeX", to_latex(table))):
        place.get_by_role("button", name=f"Copy {name}").click()
        expect(place.locator("output")).to_have_text("copied")
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert copied.replace("\r\n", "\n") == text.replace("\r\n", "\n")
        place.locator("output").evaluate("(said) => said.replaceChildren()")
    for name, ending, text in (("CSV", "csv", to_csv(table)), ("LaTeX", "tex", to_latex(table))):
        with page.expect_download() as saved:
            place.get_by_role("button", name=f"Save {name}").click()
        assert saved.value.suggested_filename == f"a-run-result.{ending}"
        assert saved.value.path().read_bytes().decode() == text
    assert len(list(csv.reader(io.StringIO(to_csv(table))))) == len(table.rows) + 1


@pytest.mark.sample(1, "figures")
def test_a_browser_that_keeps_its_clipboard_still_copies(show: Show) -> None:
    page = show(source(standard()))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.evaluate(
        "() => { document.execCommand = (name) => { window.copied = [name, String(getSelection())]; return true; }; }"
    )
    place = page.locator("[data-numbers='t-claims']")
    place.locator("summary").click()
    place.get_by_role("button", name="Copy CSV").click()
    expect(place.locator("output")).to_have_text("copied")
    assert page.evaluate("() => window.copied[0]") == "copy"
    page.evaluate("() => { document.execCommand = () => false; }")
    place.get_by_role("button", name="Copy CSV").click()
    expect(place.locator("output")).to_contain_text("not copied")
