"""A field that suggests names takes the name of one row, and keeps its key."""

from pathlib import Path

import pytest

from stressweb.plugins.steps import Step
from stressweb.sites.kit import KitSite
from stressweb.walking.walker import Walker

SPEC = """
host: stops.test
since: 2026-01-05
within: 100
frame: {name: site_name, sections: {title_home: /}}
labels: {site_name: Tiny, title_home: Home, stop: Next stop, go: Go, did_go: Off to the stop.}
entities:
  Stop:
    table: stop
    rows: [{id: a, name: Old Mill}, {id: b, name: Old Mill Lane}, {id: c, name: Pier}, {id: d, name: pier}]
    columns: [id, name]
  Trip: {table: trip, rows: [{id: only}], columns: {id: {copy: id}, stop: a}}
pages:
  home:
    rows: {trip: {of: Trip, where: {id: only}}}
    widgets: [{widget: form, action: go}]
actions:
  go:
    fields: {stop: {type: named, choices: {of: Stop}, says: "{row.name}", value: "{trip.stop}"}}
    do: [{update: Trip, where: {id: only}, values: {stop: "{stop}"}}]
"""


@pytest.fixture
def walker(tmp_path: Path) -> Walker:
    (tmp_path / "stops").mkdir()
    (tmp_path / "stops" / "site.yaml").write_text(SPEC, "utf-8")
    return Walker(KitSite(tmp_path / "stops").world(0))


def go(walker: Walker, name: str) -> tuple[str, str]:
    """Enter a name and send the form; return the stored key, and the text in the field."""
    walker.do(Step(verb="enter", target="Next stop", value=name))
    walker.do(Step(verb="press", target="Go"))
    (key,) = walker.database.execute("SELECT stop FROM trip").fetchone()
    return key, walker.page.xpath("//input[@name='stop']/@value")[0]


def test_a_key_that_stands_in_the_field_is_shown_as_its_name(walker: Walker) -> None:
    assert walker.page.xpath("//input[@name='stop']/@value") == ["Old Mill"]


def test_a_whole_name_is_taken_whatever_its_capitals(walker: Walker) -> None:
    assert go(walker, "old mill LANE") == ("b", "Old Mill Lane")


@pytest.mark.parametrize("name", ["Old", "Mill Lane", "Nowhere"])
def test_what_is_no_name_is_refused_and_stays_in_the_field(walker: Walker, name: str) -> None:
    assert go(walker, name) == ("a", name)
    assert walker.world.labels["error_named"] in walker.html


def test_a_name_that_two_rows_bear_is_refused(walker: Walker) -> None:
    assert go(walker, "PIER") == ("a", "PIER")


def test_all_names_are_there_for_the_script_and_no_control_bears_them(walker: Walker) -> None:
    assert walker.page.xpath("//template/span/text()") == ["Old Mill", "Old Mill Lane", "Pier", "pier"]
    assert not walker.page.xpath("//template//button")
