"""The hooks of the docs site: links lead to its pages, and every room is drawn below its importers."""

import re
import tomllib
from pathlib import Path

import pytest

from scripts.docs.architecture import architecture
from scripts.docs_site import pages, rooms

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("site", "target", "leads"),
    [
        ("index.md", "docs/start.md", "start.md"),
        ("index.md", "docs/pictures/shop-remap.png", "pictures/shop-remap.png"),
        ("index.md", "LICENSE", "LICENSE.txt"),
        ("index.md", "CONTRIBUTING.md", "contributing.md"),
        ("contributing.md", "docs/my-mode.md", "my-mode.md"),
        ("faq.md", "../SECURITY.md", "security.md"),
        ("faq.md", "proof.md", "proof.md"),
        ("bring.md", "../integrations/inspect/README.md", "integrations/inspect.md"),
        ("integrations/inspect.md", "../../docs/bring.md", "../bring.md"),
        ("integrations/inspect.md", "https://example.test/docs/x.md", "https://example.test/docs/x.md"),
    ],
)
def test_a_link_leads_where_the_site_has_the_page(site: str, target: str, leads: str) -> None:
    assert pages.moved(target, site) == leads


def test_every_name_of_the_api_gets_its_docstring_below_its_table() -> None:
    text = "<!-- begin: api-runs -->\n| name | x |\n| --- | --- |\n| `run` | x |\n<!-- end: api-runs -->\nafter"
    homes = pages.homes_of(ROOT / "stressweb" / "__init__.py")
    assert "\n\n::: stressweb.runner.api.run.run\n" in pages.documented(text, homes)
    assert len(homes) > 40


def test_a_room_is_drawn_below_all_that_import_it() -> None:
    diagram = re.search(r"```mermaid\n(.*)```", architecture(), re.DOTALL)
    assert diagram
    imports, houses = rooms.read(diagram[1])
    places = rooms.placed(rooms.floors(imports, houses), imports)
    assert len(places) == len(houses) > 25
    assert [
        (room, imported)
        for room, others in imports.items()
        for imported in others
        if places[room].y >= places[imported].y
    ] == []
    neighbours = [(a, b) for a in places for b in places if a < b and places[a].y == places[b].y]
    do_not_touch = [abs(places[a].x - places[b].x) >= (places[a].width + places[b].width) / 2 for a, b in neighbours]
    assert all(do_not_touch)


def test_a_drawing_has_every_room_and_arrow_and_no_script() -> None:
    drawn = rooms.on_page_markdown(
        "a\n```mermaid\nflowchart TB\n  subgraph top\n    one; two\n  end\n  low\n  one --> low & two\n```\nb\n"
    )
    assert re.findall(r">(\w+)</text>", drawn) == ["one", "two", "low"]
    assert drawn.count("<path") == 2
    assert "one imports low, two" in drawn
    assert "script" not in drawn
    assert "mermaid" not in drawn
    with pytest.raises(ValueError, match="no rooms"):
        rooms.drawing("flowchart TB\n")


def test_the_site_loads_nothing_from_elsewhere_and_lists_every_page() -> None:
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert re.search(r"^  font: false$", config, re.MULTILINE)
    assert re.search(r"https?:", config) is None
    listed = set(re.findall(r": ([\w/-]+\.md)$", config, re.MULTILINE))
    assert listed == {path.name for path in (ROOT / "docs").glob("*.md")} | set(pages.PAGES.values())
    shared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"][
        "shared-data"
    ]
    assert set(shared) == {"mkdocs.yml", "docs", "scripts/docs_site", *pages.PAGES, *pages.FILES}
    assert all(place == f"share/stressweb/{name}" for name, place in shared.items())
