"""Widgets and parts are folders, of the kit or of the site that needs them; what is wrong with a folder is said at once."""

from pathlib import Path

import pytest

from sites.kit import KitSite
from sites.kit.kinds import shipped
from stressweb.core.errors import UserError
from tests.sites.walker import Walker

SPEC = """
host: tiny.test
since: 2026-01-05
within: 100
frame: {name: tiny_name}
labels: {tiny_name: Tiny, title_home: Home, shout: "{word}!"}
entities: {Thing: {table: thing, count: 2, columns: {id: "thing-{n}"}}}
pages:
  home:
    path: /
    title: title_home
    widgets:
      - {widget: shout, label: shout, times: 3}
      - {widget: bar, widgets: [{widget: shout, label: shout, times: 1}]}
"""
MODEL = """
from typing import Literal

from sites.kit.shown import Widget
from sites.kit.strict import Label


class Shout(Widget):
    widget: Literal["shout"]
    label: Label
    times: int

    def view(self, visit):
        return [visit.say(self.label, {"word": f"<{at}>"}) for at in range(self.times)]
"""
TEMPLATE = "{% macro shout(visit, w, it) %}{% for said in it %}<b>{{ said }}</b>{% endfor %}{% endmacro %}"


def tiny(folder: Path, spec: str = SPEC, model: str = MODEL, template: str = TEMPLATE, name: str = "shout") -> KitSite:
    own = folder / "tiny" / "widgets" / name
    own.mkdir(parents=True)
    (folder / "tiny" / "site.yaml").write_text(spec, "utf-8")
    (own / "model.py").write_text(model, "utf-8")
    (own / "style.css").write_text(".shout { color: red }", "utf-8")
    (own / "script.js").write_text("// shouts", "utf-8")
    if template:
        (own / "template.html").write_text(template, "utf-8")
    return KitSite(folder / "tiny")


def test_a_site_has_widgets_of_its_own(tmp_path: Path) -> None:
    world = tiny(tmp_path).world(0)
    walker = Walker(world)
    # Escaped as everything is that a macro prints, also within another widget.
    assert [one.text for one in walker.page.xpath("//main//b")] == ["<0>!", "<1>!", "<2>!", "<0>!"]
    assert ".shout { color: red }" in walker.fetch(f"/assets/{world.look.theme}.css").get_data(as_text=True)
    assert walker.fetch("/assets/shout.js").get_data(as_text=True) == "// shouts"
    # A change of the widget is a change of the site.
    assert "tiny/widgets/shout/template.html" in world.files()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"template": ""}, "has a model and no template.html"),
        ({"template": "{% macro shut(visit, w, it) %}{% endmacro %}"}, "has no macro shout"),
        ({"model": MODEL.replace('["shout"]', '["hero"]')}, "there is a widget 'hero' already"),
        ({"model": "X = 1"}, "defines no widget"),
        ({"name": "hero"}, "the kit has widgets of this name"),
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
    for group in models.values():
        assert all(model.__doc__ and model.__doc__ != model.__base__.__doc__ for model in group.values())
