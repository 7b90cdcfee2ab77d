"""Stages advance with loads of a row's own page, wait for a person's action, and count as neither progress nor harm."""

from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.plugins.steps import Step
from stressweb.sites.kit import KitSite
from stressweb.walking.walker import Walker
from tests.support.crawling import send

SPEC = """
host: parcels.test
since: 2026-01-05
within: 100
frame: {name: site_name, sections: {title_home: /}}
labels: {site_name: Tiny, title_home: Parcels, title_parcel: A parcel, packed: Packed, sent: On its way, there: At the door,
  done: Handed over, open_door: Open the door, drop: Refuse it}
entities:
  Parcel:
    table: parcel
    count: 3
    columns: {id: "{n}", held: {cycle: [0, 0, 1]}, opened: 0}
    stages: {names: [packed, sent, there, done], moves: not row.held, waits: {there: row.opened}}
pages:
  home:
    widgets:
      - widget: items
        source: {of: Parcel, order: [id]}
        type: ParcelDelivery
        show: [{part: name, text: "{row.id}", href: "/p/{row.id}"}, {part: text, text: "{row.stage}", word: true}]
  parcel:
    path: /p/<key>
    rows: {parcel: {of: Parcel, where: {id: "{key}"}}}
    moves_on: parcel
    widgets:
      - widget: item
        row: parcel
        type: ParcelDelivery
        show: [{part: text, text: "{row.stage}", word: true, prop: deliveryStatus}]
      - {widget: stages, of: Parcel, row: parcel}
      - {widget: text, text: sent, when: parcel.stage is sent}
      - {widget: form, action: open_door}
actions:
  open_door:
    about: Parcel
    do: [{update: Parcel, where: {id: "{parcel.id}"}, values: {opened: 1}}]
  drop: {about: Parcel, do: [{delete: Parcel, where: {id: "{parcel.id}"}}], then: /}
"""


def world(folder: Path, spec: str = SPEC) -> Walker:
    (folder / "parcels").mkdir(exist_ok=True)
    (folder / "parcels" / "site.yaml").write_text(spec, "utf-8")
    return Walker(KitSite(folder / "parcels").world(0))


@pytest.fixture
def walker(tmp_path: Path) -> Walker:
    return world(tmp_path)


def stages(walker: Walker, path: str, loads: int) -> list[str]:
    """Return the stages on a page over a number of loads."""
    statuses = []
    for _ in range(loads):
        walker.get(path)
        statuses += walker.page.xpath("//*[@itemprop='deliveryStatus']/text()")
    return statuses


def test_each_load_of_its_page_is_a_stage_until_somebody_has_to_do_something(walker: Walker) -> None:
    assert stages(walker, "/p/0", 5) == ["Packed", "On its way", "At the door", "At the door", "At the door"]
    walker.do(Step(verb="press", target="Open the door"))
    # The press leads to the page, which is one load.
    assert walker.page.xpath("//*[@itemprop='deliveryStatus']/text()") == ["Handed over"]
    assert stages(walker, "/p/0", 2) == ["Handed over", "Handed over"]


def test_looking_elsewhere_moves_nothing(walker: Walker) -> None:
    stages(walker, "/p/0", 2)
    for path in ("/", "/", "/p/1", "/no/such/page"):
        walker.get(path)
    walker.get("/")
    texts = walker.page.xpath("//*[@itemscope]/descendant::div[contains(@class, 'text-body-secondary')]/text()")
    assert texts == ["On its way", "Packed", "Packed"]
    assert stages(walker, "/p/0", 1) == ["At the door"]


def test_a_row_for_which_time_does_not_move_keeps_its_stage(walker: Walker) -> None:
    assert stages(walker, "/p/2", 3) == ["Packed"] * 3
    assert "stage" not in walker.changes()


def test_a_look_is_neither_progress_nor_harm(walker: Walker) -> None:
    stages(walker, "/p/0", 2)
    assert walker.changes().keys() <= walker.world.uncounted
    assert {row.id: row.at for row in walker.changes()["stage"].added} == {"Parcel/0": 1}


def test_a_site_without_stages_has_no_table_of_them(tmp_path: Path) -> None:
    plain = SPEC.replace("    stages: {names", "    # stages: {names").replace("    moves_on: parcel\n", "")
    plain = plain.replace('"{row.stage}", word: true', '"{row.held}"').replace("when: parcel.stage is sent", "when: me")
    plain = plain.replace("      - {widget: stages, of: Parcel, row: parcel}\n", "")
    walker = world(tmp_path, plain)
    assert "stage" not in walker.world.initial.columns


def test_a_row_that_gets_the_key_of_one_that_is_gone_begins_anew(walker: Walker) -> None:
    stages(walker, "/p/0", 3)
    send(walker, "drop", parcel="0")
    walker.database.execute("INSERT INTO parcel VALUES ('0', 0, 0)")
    assert stages(walker, "/p/0", 2) == ["Packed", "On its way"]


def test_the_steps_say_which_one_it_is(walker: Walker) -> None:
    stages(walker, "/p/0", 2)
    steps = walker.page.xpath("//main//ol/li")
    assert [step.text_content().strip() for step in steps] == ["Packed", "On its way", "At the door", "Handed over"]
    assert [step.get("aria-current") for step in steps] == [None, "step", None, None]


def test_a_condition_and_a_filter_read_the_stage(walker: Walker) -> None:
    def shows_on_its_way() -> bool:
        return bool(walker.page.xpath("//main/section/p[.='On its way']"))

    on_its_way = []
    for _ in range(3):
        walker.get("/p/0")
        on_its_way.append(shows_on_its_way())
    assert on_its_way == [False, True, False]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("waits: {there: row", "waits: {ther: row", "unknown stage 'ther'; did you mean there"),
        ("moves: not row.held", "moves: not row.hold", "unknown column of row 'hold'; did you mean held"),
        ("[packed, sent, there, done]", "[packed, sennt, there, done]", "unknown label 'sennt'; did you mean sent"),
        (
            "{widget: stages, of: Parcel,",
            "{widget: stages, of: Box,",
            "unknown entity with stages 'Box'; there are Parcel",
        ),
        ("moves_on: parcel", "moves_on: parcels", "unknown row with stages 'parcels'; did you mean parcel"),
        ("when: parcel.stage is", "when: parcel.stages is", "unknown column of parcel 'stages'; did you mean stage"),
        ("opened: 0}\n", "opened: 0, stage: 0}\n", "stages need a table without a column stage"),
    ],
)
def test_a_malformed_spec_is_refused(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in SPEC
    with pytest.raises(UserError, match=says):
        world(tmp_path, SPEC.replace(old, new, 1)).get("/p/0")
