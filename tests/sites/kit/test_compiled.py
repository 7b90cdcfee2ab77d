"""Templates of the kit are compiled once for all sites; a site has its own templates for itself."""

import json
import subprocess
import sys
from pathlib import Path

import jinja2

from stressweb.sites.kit.serving.compiled import CompiledTemplates

PROGRAM = """
import json, sys
from collections import Counter

from stressweb.sites.kit import load
from stressweb.walking.walker import Walker

compiled = Counter()
sys.addaudithook(lambda event, values: compiled.update([values[1]]) if event == "compile" else None)
for name in ("shop", "food"):
    Walker(load(name, 0))
print(json.dumps({str(file): count for file, count in compiled.items() if str(file).endswith(".html")}))
"""


def test_no_template_is_compiled_twice_for_two_sites() -> None:
    # In a process of its own, in which no site has been opened yet.
    done = subprocess.run([sys.executable, "-P", "-c", PROGRAM], capture_output=True, text=True, check=True)
    compiled: dict[str, int] = json.loads(done.stdout)
    assert len([name for name in compiled if "/kit/" in name]) > 10
    assert {name: count for name, count in compiled.items() if count > 1} == {}


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
