"""A site of one page with a kind of widget of its own."""

from pathlib import Path

from stressweb.sites.kit import KitSite

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

from stressweb.sites.kit import Widget
from stressweb.sites.kit import Label


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
