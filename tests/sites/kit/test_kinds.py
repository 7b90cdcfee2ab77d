"""Widgets, parts and fields are folders, of the kit or of the site that needs them; a wrong folder is named at once."""

import io
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.sites.kit import KitSite
from stressweb.sites.kit.spec.kinds import shipped
from stressweb.walking.walker import Walker
from tests.sites.kit.tiny_site import MODEL, SPEC, tiny


def test_a_site_has_widgets_of_its_own(tmp_path: Path) -> None:
    world = tiny(tmp_path).world(0)
    walker = Walker(world)
    # Escaped like everything that a macro prints, also within another widget.
    assert [element.text for element in walker.page.xpath("//main//b")] == ["<0>!", "<1>!", "<2>!", "<0>!"]
    assert ".shout { color: red }" in walker.fetch(f"/assets/{world.look.theme}.css").get_data(as_text=True)
    assert walker.fetch("/assets/shout.js").get_data(as_text=True) == "// shouts"
    # A change of the widget is a change of the site.
    assert "tiny/widgets/shout/template.html" in world.files()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"template": ""}, "has a model.py but no template.html"),
        ({"template": "{% macro shut(visit, w, it) %}{% endmacro %}"}, "has no macro shout"),
        ({"model": MODEL.replace('["shout"]', '["hero"]')}, "there is already a widget 'hero'"),
        ({"model": "X = 1"}, "defines no widget"),
        ({"name": "hero"}, "the kit has widgets with this name"),
    ],
)
def test_what_is_wrong_with_a_folder_is_said(tmp_path: Path, change: dict[str, str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        tiny(tmp_path, **change).world(0)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("times: 3", "times: many", ":13: pages.home.widgets.0.times: is 'many'; it takes a whole number"),
        ("times: 1", "tims: 1", ":14: .*tims: is no known name; did you mean times"),
        ("label: shout, times: 1", "label: shut, times: 1", ":14: .*unknown label 'shut'; did you mean shout"),
        ("widget: shout, label: shout, times: 3", "label: shout", ":13: .*has no widget, which says what it is"),
    ],
)
def test_a_mistake_in_a_site_s_own_widget_names_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        tiny(tmp_path, spec=SPEC.replace(old, new)).world(0)


def test_every_kind_of_the_kit_says_what_it_is() -> None:
    models = shipped().models
    assert {"items", "listing", "form", "feed"} <= models["widgets"].keys()
    assert {"name", "price", "button", "items"} <= models["parts"].keys()
    assert {"text", "choice", "rows", "date"} <= models["fields"].keys()
    for group in models.values():
        assert all(model.__doc__ and model.__doc__ != model.__base__.__doc__ for model in group.values())


FORM = """
host: tiny.test
since: 2026-01-05
within: 100
frame: {name: tiny_name}
labels: {tiny_name: Tiny, title_home: Home, plate: Number plate, papers: Papers, park: Park, parks: What parks,
  error_plate: This is no number plate., did_park: "{plate} is parked with {papers}."}
entities: {Car: {table: car, count: 3, columns: {id: "car-{n}"}}}
pages: {home: {path: /, title: title_home, widgets: [{widget: form, action: park}]}}
actions:
  park:
    path: /park
    fields: {plate: {type: plate, length: 9}, papers: {type: papers}, parks: {type: rows, row: Car, choices: {of: Car}, says: "{row.id}"}}
    do: [{insert: Car, values: {id: "{plate}"}}]
    flash: did_park
"""
FIELDS = """
import re
from typing import ClassVar, Literal

from stressweb.sites.kit import Field, Line


class Plate(Line):
    type: Literal["plate"]

    def problem(self, text):
        return "" if re.fullmatch("[A-Z]{2}-[0-9]{4}", text.upper()) else "error_plate"

    def worth(self, text, answers):
        return text.upper()


class Papers(Field):
    sends_files: ClassVar[bool] = True
    type: Literal["papers"]

    def sent(self, name, answers):
        return [file.filename for file in answers.files.getlist(name)]

    def accept(self, name, answers):
        return "".join(file.read().decode() for file in answers.files.getlist(name))
"""
DRAWN = """
{% from "templates/fields.html" import input %}
{% macro plate(visit, field, id, inline, it) %}{{ input(field, id, inline, "text") }}{{ script(visit, "plate") }}{% endmacro %}
{% macro papers(visit, field, id, inline, it) %}{{ input(field, id, inline, "file") }}{{ script(visit, "plate") }}{% endmacro %}
"""


def parking(folder: Path, spec: str = FORM) -> KitSite:
    own = folder / "tiny" / "fields" / "plate"
    own.mkdir(parents=True)
    for path, text in (
        (folder / "tiny" / "site.yaml", spec),
        (own / "model.py", FIELDS),
        (own / "template.html", DRAWN),
    ):
        path.write_text(text, "utf-8")
    (own / "script.js").write_text("// plates", "utf-8")
    return KitSite(folder / "tiny")


def send(walker: Walker, plate: str, parks: list[str]) -> None:
    form = dict(walker.page.forms[0].form_values())
    walker.post("/park", {**form, "plate": plate, "parks": parks, "papers": (io.BytesIO(b"a receipt"), "receipt.txt")})


def test_a_site_has_fields_of_its_own(tmp_path: Path) -> None:
    walker = Walker(parking(tmp_path).world(0))
    (form,) = walker.page.xpath("//main//form")
    assert form.get("enctype") == "multipart/form-data"
    assert [label.text for label in form.iter("label")] == ["Number plate", "Papers", "car-0", "car-1", "car-2"]
    assert [legend.text for legend in form.iter("legend")] == ["What parks"]
    # Two fields need the script, and the page loads it once.
    assert walker.html.count('src="/assets/plate.js"') == 1
    send(walker, "ab-1234", ["car-0", "car-2"])
    assert "AB-1234 is parked with a receipt." in walker.html
    assert [row["id"] for row in walker.changes()["car"].added] == ["AB-1234"]


def test_a_field_that_refuses_shows_what_was_entered_and_why(tmp_path: Path) -> None:
    walker = Walker(parking(tmp_path).world(0))
    send(walker, "AB-12", ["car-2"])
    (field,) = walker.page.xpath("//input[@name='plate']")
    assert (field.get("value"), field.get("aria-invalid")) == ("AB-12", "true")
    assert [element.text for element in walker.page.xpath("//*[@class='invalid-feedback d-block']")] == [
        "This is no number plate."
    ]
    assert [box.get("value") for box in walker.page.xpath("//input[@name='parks'][@checked]")] == ["car-2"]
    assert "car" not in walker.changes()
    # Longer than the spec allows, which the kit checks for every line.
    send(walker, "AB-1234567", [])
    assert len(walker.page.xpath("//*[contains(@class, 'invalid-feedback')]")) == 2


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("type: plate, length: 9", "type: plate, low: 9", ":13: .*low: is no known name; .*length"),
        ("type: papers", "type: paper", ":13: .*unknown type 'paper'; did you mean papers"),
        ("type: rows, row: Car", "type: rows, row: Cart", ":13: .*unknown entity 'Cart'; did you mean Car"),
    ],
)
def test_a_mistake_in_a_field_names_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        parking(tmp_path, FORM.replace(old, new)).world(0)
