"""The registry: agents, modes, sites and tasks that ship, and those that a user adds."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import flask
import pytest
from pydantic import ValidationError

from stressweb import sites
from stressweb.core.errors import UserError
from stressweb.perturbations import MODES
from stressweb.plugins.checks import checklist
from stressweb.runner import registry
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.scaffold.folder import new_site
from stressweb.sites.kit.serving.functions import Functions
from tests.support.isolated_plugins import isolate_plugins

pytestmark = pytest.mark.usefixtures("isolated_plugins")


def agent_file(folder: Path, name: str = "mine") -> str:
    path = folder / "my_agents.py"
    path.write_text(f"""from stressweb import Action, Agent, Observation

class Mine(Agent):
    "Does nothing."
    name = "{name}"
    def __init__(self, *, patience: int = 3) -> None:
        self.patience = patience
    def act(self, observation: Observation) -> Action:
        return Action(kind="DONE")
""")
    return str(path)


def test_shipped_plug_ins_are_listed() -> None:
    assert set(MODES) <= set(registry.MODES.names())
    assert {"naive", "null", "resilient", "talker"} <= set(registry.AGENTS.names())
    counts = Counter(task.partition("/")[0] for task in registry.task_ids())
    assert set(counts) == set(registry.site_names())
    for site in registry.site_names():
        assert [task.id for task in registry.SITES.get(site).tasks()] == [
            task for task in registry.task_ids() if task.startswith(f"{site}/")
        ]


def test_a_loaded_agent_takes_its_options(tmp_path: Path) -> None:
    registry.load([agent_file(tmp_path)])
    (spec,) = registry.chosen_agents("mine(patience=5)")
    assert (spec.label, spec.name, spec.options) == ("mine(patience=5)", "mine", (("patience", 5),))
    from stressweb.runner.agents import make

    assert vars(make("mine(patience=5)")) == {"patience": 5}
    with pytest.raises(UserError, match="patience cannot be 'x'"):
        registry.chosen_agents("mine(patience=x)")


def test_a_reference_is_loaded_and_replaced_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert [*map(str, registry.chosen_agents("naive,my_agents:Mine(patience=2)"))] == ["naive", "mine(patience=2)"]
    assert registry.EXTENSIONS.sources == ("my_agents:Mine",)


def test_nothing_that_ships_can_be_replaced(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="agent 'naive' ships with stressweb; choose another name"):
        registry.load([agent_file(tmp_path, "naive")])
    assert registry.AGENTS.plugins() == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_there_at_all", r"broken\.py:1: ModuleNotFoundError"),
        ("x = 1", "defines no class of an agent, a perturbation, an observation source or a backend, and no site"),
        ("def f(:", r"broken\.py:1: SyntaxError"),
        ("import os\n\nraise RuntimeError('no')", r"broken\.py:3: RuntimeError: no"),
    ],
)
def test_a_load_error_is_reported_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        registry.load([str(path)])


def test_a_file_may_import_proxies_that_fail_outside_a_request(tmp_path: Path) -> None:
    path = tmp_path / "proxied.py"
    path.write_text("from flask import g, request\n" + Path(agent_file(tmp_path)).read_text())
    registry.load([str(path)])
    assert registry.AGENTS.plugins() == ["agent mine"]
    proxied, checks = ModuleType("proxied"), ModuleType("checks")
    vars(proxied)["request"] = vars(checks)["request"] = flask.request
    assert Functions([proxied]).names() == []
    assert checklist([checks]).checks == {}


def test_a_task_of_a_site_whose_file_is_malformed_is_reported_with_file_and_line(tmp_path: Path) -> None:
    new_site("shed", tmp_path)
    registry.load([str(tmp_path / "shed")])
    path = tmp_path / "shed" / "tasks.yaml"
    path.write_text(path.read_text("utf-8") + "  steps: [\n", "utf-8")
    for chosen in ("shed/*", "shed/lend-a-tool", "shop/checkout,shed/*"):
        with pytest.raises(UserError, match=r"shed/tasks\.yaml:\d+: "):
            registry.chosen_tasks(chosen)
    assert registry.chosen_tasks("shop/checkout") == ["shop/checkout"]


@pytest.mark.parametrize("source", ["missing.py", "missing", "no:such:thing", "nothing_there_at_all:Mine"])
def test_a_missing_source_is_reported(source: str) -> None:
    with pytest.raises(UserError, match="--load"):
        registry.load([source])


class Point:
    """An entry point."""

    def __init__(self, name: str, value: object) -> None:
        self.name, self.value, self._loaded = name, f"pkg:{name}", value

    def load(self) -> object:
        """Return the plug-in, or raise the error of a broken package."""
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


def test_a_broken_entry_point_leaves_the_others_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    from stressweb.runner.agents import make
    from stressweb.runner.agents.null import Null

    class Fine(Null):
        """Fine."""

        name = "fine"

    points = {
        "stressweb.agents": [
            Point("broken", ImportError("no such thing")), Point("fine", Fine), Point("naive", Fine), Point("odd", Fine),
        ],
        "stressweb.perturbations": [Point("wrong", Fine)],
    }  # fmt: skip
    isolate_plugins(monkeypatch, lambda group: tuple(points.get(group, ())))  # type: ignore[arg-type]
    assert isinstance(make("fine"), Fine)
    assert not isinstance(make("naive"), Fine)
    with pytest.raises(
        UserError, match=r"agent 'broken' \(entry point broken = pkg:broken\) cannot be used: .*no such"
    ):
        make("broken")
    reasons = {plugin.name: plugin.reason for plugin in registry.broken()}
    assert set(reasons) == {"broken", "naive", "odd", "wrong"}
    assert "stressweb ships one with this name" in reasons["naive"]
    assert "its name is 'fine'" in reasons["odd"]
    assert "is not a Perturbation" in reasons["wrong"]

    from stressweb.runner.registry.inventory import list_agents, list_modes

    assert {"fine", "naive"} <= {line["agent"] for line in list_agents()}
    assert not {"broken", "odd"} & {line["agent"] for line in list_agents()}
    assert [line["mode"] for line in list_modes()] == [name for name in registry.MODES.names() if name != "wrong"]


def test_a_folder_is_a_site(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is a folder; give a Python file, a folder with a site\.yaml"):
        registry.load([str(tmp_path)])


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A tree with two sites of one task each, instead of ours."""
    for site in ("bank", "shop"):
        (tmp_path / "sites" / site).mkdir(parents=True)
        (tmp_path / "sites" / site / "tasks.yaml").write_text(f"# Ours.\n- id: {site}/find\n  goal: Find it.\n")
        (tmp_path / "sites" / site / "site.yaml").write_text("")
    monkeypatch.setattr(sites, "FOLDER", tmp_path / "sites")
    sites.names.cache_clear()
    yield tmp_path
    sites.names.cache_clear()


def test_an_id_of_two_files_names_both(tree: Path) -> None:
    assert registry.task_ids() == ["bank/find", "shop/find"]
    bank, shop = (tree / "sites" / site / "tasks.yaml" for site in ("bank", "shop"))
    bank.write_text(f"{bank.read_text()}- id: shop/find\n  goal: Find it again.\n")
    with pytest.raises(UserError) as caught:
        registry.task_ids()
    assert str(caught.value) == f"{shop}:2: shop/find: two tasks have this id, the other is at {bank}:4"


def test_tasks_are_chosen_and_excluded(tree: Path) -> None:
    assert registry.chosen_tasks(None) == ["bank/find", "shop/find"]
    assert registry.chosen_tasks("shop/*") == registry.chosen_tasks(None, "bank/*") == ["shop/find"]
    with pytest.raises(UserError, match="leaves no task of 2"):
        registry.chosen_tasks(None, "find")


def test_a_name_that_a_user_gives_is_part_of_the_label(tmp_path: Path) -> None:
    registry.load([agent_file(tmp_path)])
    specs = registry.chosen_agents("quick=mine(patience=1), slow = mine(patience=9),mine")
    assert [spec.label for spec in specs] == ["quick=mine(patience=1)", "slow = mine(patience=9)", "mine"]
    assert [dict(spec.options) for spec in specs] == [{"patience": 1}, {"patience": 9}, {}]
    registry.check_recorded(specs, [])
    (spec,) = registry.chosen_agents("big=model", "small")
    assert (spec.label, spec.options) == ("big=model(model=small)", (("model", "small"),))
    registry.check_recorded([spec], [])


def test_a_model_alone_in_parentheses_is_the_model() -> None:
    (spec,) = registry.chosen_agents("big=model(gpt-5.2,observation=tree)")
    assert dict(spec.options) == {"model": "gpt-5.2", "observation": "tree"}
    registry.check_recorded([spec], [])
    for wrong in ("model(a,b)", "model(model=a,b)", "resilient(gpt-5.2)"):
        with pytest.raises(UserError, match="unknown option"):
            registry.chosen_agents(wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("big=naive,big=resilient", "two agents are called 'big'; give each its own name"),
        ("naive=resilient", "naive is the name of another agent"),
        ("1st=naive", "unknown agent '1st=naive'"),
        ("big=nobody", "unknown agent 'nobody'"),
        ("big=", "unknown agent 'big='"),
    ],
)
def test_a_name_must_be_valid_and_differ(text: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        registry.chosen_agents(text)


@pytest.mark.parametrize(
    "agents", [["big=resilient(-gesture)"], [{"name": "big", "agent": "resilient", "gesture": False}]]
)
def test_an_experiment_can_name_agents(agents: list[object]) -> None:
    plan = Experiment(agents=agents, tasks=("shop/profile",)).plan()
    assert {cell.agent for cell in plan.cells()} == {"big=resilient(-gesture)"}
    with pytest.raises(ValidationError, match="agent name 'a b' must be a letter, then letters"):
        Experiment(agents=[{"name": "a b", "agent": "naive"}])
