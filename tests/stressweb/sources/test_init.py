"""The registry of observation sources: shipped ones, plug-ins, and unknown names."""

from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from scripts.blocking import blocking
from stressweb import sources
from stressweb.core.errors import UserError
from stressweb.plugins.agent import Observation
from stressweb.plugins.observation_source import ObservationSource, SourceValues
from stressweb.runner import registry
from stressweb.runner.plan.experiment import check_agents
from stressweb.runner.registry import inventory
from stressweb.sources import rendered, source, wanted
from tests.support.isolated_plugins import isolate_plugins
from tests.support.made_up_sources import Links
from tests.support.plans import plan

FILE = '''from stressweb import Action, Agent, ObservationSource


class Links(ObservationSource):
    """The text of every link.

    Nothing else.
    """

    name = "{name}"

    async def read(self, page):
        return page.locator("a").all_inner_texts()

    def render(self, value):
        return {rendered}


class Reader(Agent):
    "Reads."
    name = "reader"
    wants = {wants}

    def act(self, observation):
        return Action(kind="DONE")
'''


@pytest.fixture(autouse=True)
def _isolated(isolated_plugins: None) -> None:
    """Isolate the plug-ins of each test."""


def load(folder: Path, name: str = "links", wants: str = '{"links"}', rendered: str = '", ".join(value)') -> str:
    path = folder / "mine.py"
    path.write_text(FILE.format(name=name, wants=wants, rendered=rendered))
    registry.load([str(path)])
    return str(path)


def test_shipped_sources_fit_their_names() -> None:
    assert sources.REGISTRY.names() == ["dom", "boxes", "tree", "screenshots"]
    for name in sources.REGISTRY.names():
        kind = source(name)
        assert kind.name == name
        assert kind.field in Observation.__dataclass_fields__  # type: ignore[attr-defined]
        assert isinstance(kind(), ObservationSource)
        assert kind.shows


def test_a_plug_in_source_is_listed_with_its_origin(tmp_path: Path) -> None:
    path = load(tmp_path)
    *shipped, mine = inventory.list_observations()
    assert {row["from"] for row in shipped} == {"ships"}
    assert mine == {"source": "links", "from": path, "reads": "The text of every link."}
    assert registry.SOURCES.names() == ["dom", "boxes", "tree", "screenshots", "links"]
    assert "observation source links" in registry.extensions()


@pytest.mark.parametrize("name", ["tree", "dom"])
def test_nothing_that_ships_can_be_replaced(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=f"observation source '{name}' ships with stressweb; choose another name"):
        load(tmp_path, name)


@pytest.mark.parametrize("name", ["two words", "a,b", "a(b)", "é", "x" * 101])
def test_a_name_that_an_option_could_not_hold_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="needs to be letters, digits") as caught:
        load(tmp_path, name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("wants", "message"),
    [
        ('{"tre"}', "unknown observation source 'tre'; did you mean tree?"),
        ('{"boxes", "link"}', "unknown observation source 'link'; did you mean links?"),
        ('{"smell"}', "unknown observation source 'smell'; there are dom, boxes, tree, screenshots, links"),
        ('"boxes"', "wants is 'boxes', not a set of names of observation sources"),
        ("{1}", "wants is {1}, not a set of names"),
        ("7", "wants is 7, not a set of names"),
    ],
)
def test_an_unknown_source_is_reported_before_the_run_with_its_agent(tmp_path: Path, wants: str, message: str) -> None:
    load(tmp_path, wants=wants)
    with pytest.raises(UserError) as caught:
        check_agents(plan(["naive", "reader"]), None, None)
    assert str(caught.value).startswith(f"agent 'reader': {message}")
    assert "\n" not in str(caught.value)


def test_known_names_are_accepted(tmp_path: Path) -> None:
    load(tmp_path, wants='["links", "boxes"]')
    check_agents(plan(["naive", "reader"]), None, None)
    assert wanted(["links", "boxes"]) == {"links", "boxes"}


def test_a_broken_source_affects_only_agents_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point(EntryPoint):
        def load(self) -> object:
            raise ImportError("no such thing")

    entry_points = {"stressweb.observations": (Point("broken", "pkg:Broken", "stressweb.observations"),)}
    isolate_plugins(monkeypatch, lambda group: entry_points.get(group, ()))
    assert wanted({"tree"}) == {"tree"}
    message = (
        r"observation source 'broken' \(entry point broken = pkg:Broken\) cannot be used: .*test_init.py:\d+: Import"
    )
    with pytest.raises(UserError, match=message):
        wanted({"broken"})
    assert [plugin.group for plugin in registry.broken()] == ["observations"]
    assert [row["source"] for row in inventory.list_observations()] == ["dom", "boxes", "tree", "screenshots"]


def test_each_is_rendered_from_an_observation(tmp_path: Path) -> None:
    load(tmp_path)
    seen = Observation(
        "http://shop.test/", "<html><body><p>a<script>b</script></body></html>", boxes=((1, 2, 3, 4),), tree="- a",
        screenshots=(b"1", b"2"), sources=SourceValues({"links": ["One", "Two"]}),
    )  # fmt: skip
    assert {name: rendered(seen, name) for name in sources.REGISTRY.names()} == {
        "dom": "<html><body><p>a</p></body></html>",
        "boxes": "0: 1 2 3 4",
        "tree": "- a",
        "screenshots": "2 pictures",
        "links": "One, Two",
    }
    assert rendered(Observation("http://shop.test/", ""), "links") == "", "nothing was read behind a dialog"


@pytest.mark.parametrize(
    ("text", "error"), [("value", "renders a list, not a text"), ("value.nothing", "no attribute")]
)
def test_rendering_anything_but_a_string_raises(tmp_path: Path, text: str, error: str) -> None:
    load(tmp_path, rendered=text)
    seen = Observation("http://shop.test/", "", sources=SourceValues({"links": ["One"]}))
    with pytest.raises((TypeError, AttributeError), match=error):
        rendered(seen, "links")


def test_a_part_reads_the_same_by_itself_as_in_an_observation(page: Page) -> None:
    from scripts.waited import Observer

    page.set_content("<!DOCTYPE html><title>t</title><body><i>a</i><p>b")
    observation = Observer(frozenset(sources.SHIPPED)).read(page)
    for name in sources.SHIPPED:
        kind: Any = source(name)
        assert blocking(kind)().read(page) == getattr(observation, kind.field)
    assert blocking(Links)().read(page) == []
