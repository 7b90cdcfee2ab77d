"""Experiment files: their entries, changes on the command line, and errors with line numbers."""

import json
from pathlib import Path

import pytest

from scripts.docs import schemas
from stressweb.core.errors import UserError
from stressweb.runner.plan.experiment import Experiment
from stressweb.runner.plan.file import read_experiment

SHIPPED = sorted((Path(__file__).resolve().parents[3] / "experiments").glob("*.yaml"))


def write_file(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_states_an_experiment(tmp_path: Path) -> None:
    text = """
agents: [naive, {agent: resilient, gesture: false}, {model: gpt-5.2, observation: tree}]
tasks: [shop/*, week-view]
exclude: [shop/checkout]
conditions: [remap@1..3, failure+noise@2]
seed: 0..1
stress_seeds: [3, 5]
epochs: 2
budget: {usd: 40, hours: 3}
prices: {gpt-5.2: {input: 1.25, output: 10}}
"""
    experiment = read_experiment(write_file(tmp_path, text))
    assert experiment.name == "mine"
    assert experiment.agents == ("naive", "resilient(-gesture)", "model(model=gpt-5.2,observation=tree)")
    assert (experiment.seed, experiment.stress_seeds, experiment.budget.usd) == ((0, 1), (3, 5), 40)
    plan = experiment.plan()
    assert [condition.label for condition in plan.conditions] == [
        "clean",
        "remap@1",
        "remap@2",
        "remap@3",
        "failure@3+noise@2",
    ]
    assert (plan.worlds, plan.stress) == ((0, 1), (3, 5))
    assert "shop/checkout" not in plan.tasks
    assert "calendar/week-view" in plan.tasks
    assert dict(plan.agents[1].options) == {"gesture": False}


def test_changes_override_the_file(tmp_path: Path) -> None:
    path = write_file(tmp_path, "agents: [naive]\nepochs: 2\nbudget: {usd: 40, hours: 3}\n")
    experiment = read_experiment(path, ["epochs=5", "budget.usd=1", "conditions=[failure@1..2]"], {"agents": ("null",)})
    assert (experiment.epochs, experiment.budget.usd, experiment.budget.hours) == (5, 1, 3)
    assert (experiment.conditions, experiment.agents) == (("failure@1..2",), ("null",))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("agents: [naive]\nepoch: 2\n", 2, "epoch: is no known name; did you mean epochs?"),
        ("budget:\n  usd: 1\n  tokenz: 3\n", 3, "budget.tokenz: is no known name; did you mean tokens?"),
        ("agents:\n  - naive\n  - resilent\n", 3, "unknown agent 'resilent'; did you mean resilient?"),
        ("agents:\n  - {agent: resilient, gestur: false}\n", 2, "unknown option '-gestur'"),
        ("tasks: [shop/*,\n  shap/*]\n", 2, "task 'shap/*' matches no task"),
        ("conditions:\n- remap\n- failure@9\n", 3, "severity 9 of mode 'failure' is outside 0 to 5"),
        ("conditions: [noise@4..2]\n", 1, "severities 4..2 of mode 'noise' end before they begin"),
        ("agents: naive\n", 1, "agents: is 'naive'; it takes a list"),
        ("epochs: 0\n", 1, "epochs: is 0; it takes at least 1"),
        ("stress_seeds: 0..b\n", 1, "'0..b' is not a seed"),
        ("conditions: []\n", 1, "conditions: it takes 1 or more entries"),
        ("agents: [naive]\nagents: [null]\n", 2, "agents: duplicate key"),
        ("? [a, b]\n: 1\n", 1, "found unhashable key"),
        ("prices: {m: {input: -1, output: 1}}\n", 1, "prices.m.input: is -1; it takes at least 0"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = write_file(tmp_path, text)
    with pytest.raises(UserError) as raised:
        read_experiment(path)
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("epochs", "--set 'epochs' is not of the form key=value"),
        ("epoch=3", "--set epoch=3: unknown key 'epoch'; did you mean epochs?"),
        ("epochs=many", "--set epochs=many: epochs is 'many'; it takes a whole number"),
        ("budget.usd=-1", "--set budget.usd=-1: budget.usd is -1; it takes more than 0"),
        ("epochs=[", "--set epochs=[: the value is not YAML"),
        ("epochs=" + "[" * 50_000, f"--set epochs={'[' * 93}: the value is not YAML"),
        ("epochs.x=1", "--set epochs.x=1: epochs is not a mapping"),
    ],
)
def test_a_wrong_change_is_named(tmp_path: Path, change: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        read_experiment(write_file(tmp_path, "agents: [naive]\nepochs: 2\n"), [change])
    assert message in str(raised.value)


def test_plug_ins_of_a_file_are_found_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    agent = "from stressweb import Action, Agent\n\n\nclass Idle(Agent):\n    name = 'idle_of_a_file'\n\n"
    (folder / "idle.py").write_text(agent + "    def act(self, observation):\n        return Action(kind='DONE')\n")
    monkeypatch.chdir(tmp_path)
    experiment = read_experiment(write_file(folder, "load: [idle.py]\nagents: [idle_of_a_file]\n"))
    assert [agent.name for agent in experiment.plan().agents] == ["idle_of_a_file"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_files_can_be_run(path: Path) -> None:
    plan = read_experiment(path).plan()
    assert plan.cells()
    assert path.read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=schema.json\n")


def test_the_shipped_files_are_known_by_name() -> None:
    assert [path.stem for path in SHIPPED] == ["graded", "nightly", "pairs", "paper", "smoke"]


def test_the_schema_is_that_of_the_code() -> None:
    assert schemas.PATHS["experiment"].read_text(encoding="utf-8") == schemas.schema("experiment"), "run `make docs`"
    entries = json.loads(schemas.schema("experiment"))["properties"]
    assert entries.keys() == Experiment.model_fields.keys()
    assert all(entry["description"] for entry in entries.values())
