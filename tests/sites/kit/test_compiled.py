"""Templates of the kit are compiled once for all sites; a site has its own templates for itself."""

from collections import Counter
from pathlib import Path
from typing import Any

import jinja2
import pytest

from stressweb.sites.kit import catalogue
from stressweb.sites.kit.serving import app
from stressweb.sites.kit.serving.compiled import CompiledTemplates
from stressweb.walking.walker import Walker


def test_no_template_is_compiled_twice_for_two_sites(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: Counter[str] = Counter()
    whole = jinja2.Environment._compile

    def compile_one(self: jinja2.Environment, source: str, filename: str) -> Any:
        compiled[filename] += 1
        return whole(self, source, filename)

    monkeypatch.setattr(jinja2.Environment, "_compile", compile_one)
    monkeypatch.setattr(app, "COMPILED", CompiledTemplates())
    pages = []
    for name in ("shop", "food"):
        site = catalogue.KitSite(catalogue.folder_of(name), logic=f"stressweb.sites.{name}.logic")
        pages.append(Walker(site.world(0)).html)
    assert len([name for name in compiled if "/kit/" in name]) > 10
    assert {name: count for name, count in compiled.items() if count > 1} == {}
    assert pages[0] != pages[1]


def test_a_template_is_that_of_its_file_as_it_is_now(tmp_path: Path) -> None:
    compiled = CompiledTemplates()

    def page_text(folder: str) -> str:
        loader = jinja2.FileSystemLoader(tmp_path / folder)
        return jinja2.Environment(loader=loader, bytecode_cache=compiled, autoescape=True).get_template("a").render()

    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a").write_text(folder, "utf-8")
    assert [page_text("one"), page_text("two"), page_text("one")] == ["one", "two", "one"]
    (tmp_path / "one" / "a").write_text("changed", "utf-8")
    assert [page_text("one"), page_text("two")] == ["changed", "two"]
