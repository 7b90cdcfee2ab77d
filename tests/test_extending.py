"""The files of the guides, tried in an empty folder outside the project."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import stressweb as sw
from scripts import node
from stressweb.html import annotated_form
from stressweb.log.store import FILE, Store
from stressweb.perturbations.page.fingerprint import FOLDER
from stressweb.plugins.scripted_model import ScriptedModel
from stressweb.runner.registry.plugins import REGISTRIES
from tests.support.command_line import stressweb
from tests.support.documented_files import FILES, ROOT

pytestmark = [pytest.mark.long, pytest.mark.sample(3, "file")]


MODES = ("advert", "sticky", "engine")
BROKEN = "\nimport nothing_of_this_name\n"
WRONG_SOURCE = """
from stressweb import Action, Agent, ObservationSource


class Prices(ObservationSource):
    "The prices of the page."
    name = "prices"

    def read(self, page):
        return {"prices": (1, 2)}

    def render(self, value):
        return str(value)


class Buyer(Agent):
    "Reads prices."
    name = "buyer"
    deterministic = True

    def __init__(self, *, wants: str = "prices") -> None:
        self.wants = frozenset({wants})

    def act(self, observation):
        return Action(kind="DONE")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the guides, and one that does not import."""
    root = tmp_path_factory.mktemp("outside")
    for name, text in {**FILES, "broken.py": BROKEN, "wrong_source.py": WRONG_SOURCE}.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def test_the_page_has_every_kind_of_file() -> None:
    assert sorted(FILES) == [
        "board.py",
        "board_site.py",
        "board_tasks.yaml",
        "library/checks.py",
        "library/site.yaml",
        "library/tasks.yaml",
        "my_agent.py",
        "my_backend.py",
        "my_mode.js",
        "my_mode.py",
        "my_source.py",
        "my_sticky.js",
        "my_sticky.py",
    ]


@pytest.mark.audit
def test_an_agent_a_mode_and_a_site_of_ones_own_run_and_are_graded(folder: Path) -> None:
    loads = ("--load", "library", "--load", "my_mode.py", "--load", "my_sticky.py")
    done = stressweb(
        folder, "run", *loads, "--agent", "my_agent:FirstLink,naive,resilient", "--mode", "advert@5,sticky@5",
        "--task", "library/borrow-a-book", "--run", "first", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = {(row["agent"], row["condition"]): row for row in json.loads(done.stdout)["rows"]}
    successes = {key: row["successes"] for key, row in rows.items()}
    assert successes == {
        ("first-link", "clean"): 0, ("first-link", "advert@5"): 0, ("first-link", "sticky@5"): 0,
        ("naive", "clean"): 1, ("naive", "advert@5"): 1, ("naive", "sticky@5"): 0,
        ("resilient", "clean"): 1, ("resilient", "advert@5"): 1, ("resilient", "sticky@5"): 1,
    }  # fmt: skip
    assert rows["first-link", "clean"]["false_claims"] == 1
    check_disturbed(folder / "runs" / "first" / FILE)
    # Grading needs only the site with its checkpoints, not the agent or the modes.
    graded = stressweb(folder, "grade", "first", "--load", "library", "--json")
    assert (graded.returncode, json.loads(graded.stdout)["regraded"]) == (0, 0), graded.stderr


def test_an_application_that_is_wrapped_runs_and_is_graded(folder: Path) -> None:
    done = stressweb(
        folder, "run", "--load", "board_site.py", "--task", "board/*", "--agent", "naive,resilient", "--mode", "remap",
        "--run", "wrapped", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    successes = {(row["agent"], row["condition"]): row["successes"] for row in json.loads(done.stdout)["rows"]}
    assert successes == {
        ("naive", "clean"): 2, ("naive", "remap@3"): 0, ("resilient", "clean"): 2, ("resilient", "remap@3"): 2,
    }  # fmt: skip


@pytest.mark.audit
def test_verify_has_nothing_to_say_about_the_wrapped_application(folder: Path) -> None:
    done = stressweb(folder, "verify", "board", "--load", "board_site.py", "--seeds", "2")
    assert (done.returncode, "no findings in 2 worlds" in done.stdout) == (0, True), done.stdout + done.stderr


def check_disturbed(run: Path) -> None:
    """Check the modes' scripts: the added nodes are known as ours, and the delayed presses took effect later."""
    with Store.read(run) as store:
        records = [store.load(cell) for cell in store.cells()]
    phases = {mode: {line.phase for record in records for line in record.ledger if line.mode == mode} for mode in MODES}
    assert phases == {
        "advert": {"planned", "delivered", "met"},
        "sticky": {"planned", "delivered", "overcome"},
        "engine": set(),
    }
    for agent in ("naive", "resilient"):
        clean, advert = (
            next(record for record in records if (record.cell.agent, record.cell.condition) == (agent, condition))
            for condition in ("clean", "advert@5")
        )
        pages = [step.page for step in advert.steps]
        assert any("Today only" in page.html for page in pages)
        assert [annotated_form.digest(page.recorded) for page in pages] == [
            annotated_form.digest(step.page.recorded) for step in clean.steps
        ]
        assert not any(re.search(r"sw\d+-", page.html) for page in pages), "the agent's page must not show it"
    played = next(
        record for record in records if (record.cell.agent, record.cell.condition) == ("resilient", "sticky@5")
    )
    # Each first press did nothing, and the second took effect.
    assert [step.action.selector for step in played.steps[1:3]] == [played.steps[1].action.selector] * 2  # type: ignore[union-attr]
    assert [line.phase for line in played.ledger if line.element] == ["delivered", "overcome"] * 2


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("(runtime, settings) => {\n  let let = 1;\n}\n", r"my_sticky\.js:2 does not parse: SyntaxError: .*let"),
        ("const a = 1;\n", r"my_sticky\.js:1 does not parse: SyntaxError"),
        (None, r"my_sticky\.js cannot be read: No such file or directory"),
    ],
)
def test_a_script_with_a_syntax_error_is_named_before_a_run(tmp_path: Path, script: str | None, message: str) -> None:
    """In a page it would fail silently, together with all other scripts of ours."""
    (tmp_path / "my_sticky.py").write_text(FILES["my_sticky.py"])
    if script is not None:
        (tmp_path / "my_sticky.js").write_text(script)
    done = stressweb(tmp_path, "run", "--load", "my_sticky.py", "--mode", "sticky@5", "--agent", "naive")
    assert done.returncode == 2
    assert re.fullmatch(rf"stressweb: mode 'sticky': its script \S+{message}.*\n", done.stderr), done.stderr
    assert not (tmp_path / "runs").exists()


def test_the_scripts_fit_the_types_of_the_runtime(folder: Path) -> None:
    types = FOLDER / "plugin.d.ts"
    options = ("--noEmit", "--allowJs", "--checkJs", "--target", "esnext")
    for script, fits in ((FILES["my_sticky.js"], True), (FILES["my_sticky.js"].replace(".pressed", ".presed"), False)):
        (folder / "checked.js").write_text(script)
        done = node.node(node.tool("tsc"), *options, "my_mode.js", "checked.js", types, cwd=folder)
        wrong = re.findall(r"^(?:my_mode|checked)\.js.*", done.stdout, re.MULTILINE)
        assert bool(wrong) != fits, done.stdout


def test_the_agent_of_the_guide_runs_as_it_stands(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "my-agent.md").read_text("utf-8")
    (line,) = re.findall(r"^    .venv/bin/stressweb (run --agent my_agent:.*)$", guide, re.MULTILINE)
    (tmp_path / "my_agent.py").write_text(FILES["my_agent.py"], encoding="utf-8")
    done = stressweb(tmp_path, *shlex.split(line), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = {(row["agent"], row["condition"]): row for row in json.loads(done.stdout)["rows"]}
    assert {row["errors"] for row in rows.values()} == {0}
    assert (rows["first-link", "clean"]["steps"], rows["first-link", "clean"]["claimed"]) == (6, 1)
    episodes = sw.open_run(tmp_path / "runs" / "mine").episodes()
    assert {episode.status for episode in episodes if episode.agent == "first-link"} == {"done"}


def test_plug_ins_are_listed_and_a_broken_one_is_named(folder: Path) -> None:
    listed = stressweb(folder, "list", "agents", "--load", "my_agent.py", "--json")
    assert {"first-link", "naive"} <= {row["agent"] for row in json.loads(listed.stdout)}
    listed = stressweb(folder, "list", "tasks", "--load", "library", "--json")
    assert "library/borrow-a-book" in {row["task"] for row in json.loads(listed.stdout)}
    wrong = stressweb(folder, "list", "modes", "--load", "broken.py")
    assert wrong.returncode == 2
    assert re.search(r"broken\.py:2: ModuleNotFoundError: No module named 'nothing_of_this_name'\n$", wrong.stderr)
    assert len(wrong.stderr.splitlines()) == 1


def recorded_links(folder: Path, name: str) -> list[list[str]]:
    """Return the recorded links that the source read on the first page."""
    with Store.read(folder / "runs" / name / FILE) as store:
        records = [store.load(cell) for cell in store.cells()]
        assert store.altered(contents=True) == {}
    first = [record.steps[0].page.sources["links"] for record in records]
    assert all(other_links == first[0] for other_links in first), (
        "the source reads the same page alike under every condition"
    )
    return list(first[0])


@pytest.mark.audit
@pytest.mark.parametrize(
    "loads", [("--load", "my_source.py"), ("--load", "my_source:Links", "--load", "my_source:LastLink")]
)
def test_a_source_of_ones_own_is_listed_read_recorded_and_reported(folder: Path, loads: tuple[str, ...]) -> None:
    name = f"source-{len(loads)}"
    listed = stressweb(folder, "list", "observations", *loads, "--json")
    (mine,) = [row for row in json.loads(listed.stdout) if row["source"] == "links"]
    assert mine == {"source": "links", "from": loads[1], "reads": "Text and address of every link, in document order."}
    run = ("run", *loads, "--agent", "last-link", "--mode", "sham", "--task", "shop/first-hit", "--run", name, "--json")
    done = stressweb(folder, *run)
    assert done.returncode == 0, done.stderr
    links = recorded_links(folder, name)
    assert len(links) > 3
    assert all(address.startswith("http://") for _, address in links)
    with Store.read(folder / "runs" / name / FILE) as store:
        assert {store.load(cell).steps[1].action.url for cell in store.cells()} == {links[-1][1]}  # type: ignore[union-attr]
    # Reporting and grading do not need the plug-in.
    reported = stressweb(folder, "report", name)
    assert reported.returncode == 0, reported.stderr
    assert stressweb(folder, "grade", name).returncode == 0
    (steps,) = [json.loads(json.dumps(step)) for step in [list(sw.open_run(folder / "runs" / name).steps())]]
    assert steps[0]["sources"] == {"links": links}


@pytest.mark.audit
@pytest.mark.parametrize("named", [("--load", "my_backend.py", "--backend", "nice"), ("--backend", "my_backend:Nice")])
def test_a_backend_of_ones_own_starts_the_workers(folder: Path, tmp_path: Path, named: tuple[str, ...]) -> None:
    # An agent that reports the niceness of its process.
    (folder / "polite.py").write_text(
        "import os\nfrom stressweb import Action, Agent\n\nclass Polite(Agent):\n    'Looks.'\n    name = 'polite'\n"
        "    deterministic = True\n\n    def act(self, observation):\n"
        "        return Action(kind='FAIL', message=str(os.nice(0)))\n"
    )
    options = ("--agent", "polite:Polite", "--mode", "clean", "--task", "shop/profile", "--runs-dir", str(tmp_path))
    done = stressweb(folder, "run", *named, *options, "--run", "nice")
    assert done.returncode == 0, done.stderr
    with Store.read(tmp_path / "nice" / FILE) as store:
        (episode,) = store.episodes()
    assert episode.message == str(min(19, os.nice(0) + 10))


@pytest.mark.audit
def test_invalid_readings_and_unknown_names_of_sources(folder: Path) -> None:
    loads = ("--load", "wrong_source.py")
    typo = stressweb(folder, "run", *loads, "--agent", "naive,buyer(wants=price)", "--run", "typo")
    assert typo.returncode == 2
    assert typo.stderr.splitlines()[-1].endswith(
        "agent 'buyer(wants=price)': unknown observation source 'price'; did you mean prices? There are dom, boxes, tree, "
        "screenshots, prices"
    )
    assert not (folder / "runs" / "typo").exists()
    wrong = stressweb(
        folder,
        "run",
        *loads,
        "--agent",
        "buyer",
        "--mode",
        "clean",
        "--task",
        "shop/first-hit",
        "--run",
        "wrong",
        "--json",
    )
    assert wrong.returncode == 0, wrong.stderr
    with Store.read(folder / "runs" / "wrong" / FILE) as store:
        (episode,) = store.episodes()
    assert episode.status == "crashed"
    assert episode.message.startswith("observation source 'prices': TypeError: the value changes in JSON")
    assert stressweb(folder, "report", "wrong").returncode == 0


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed package with a plug-in of each kind, and for each kind one that does not import."""
    root = tmp_path_factory.mktemp("installed")
    package_folder = root / "my_package"
    for name, text in FILES.items():
        (package_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (package_folder / name).write_text(text, encoding="utf-8")
    (package_folder / "__init__.py").write_text("")
    (package_folder / "broken.py").write_text("\n\nimport nothing_of_this_name\n")
    (package_folder / "sites.py").write_text(
        "from pathlib import Path\n\nfrom stressweb.sites.kit import KitSite\n\nlibrary = KitSite(Path(__file__).parent / 'library')\n"
    )
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    offered = re.findall(r'^\[project\.entry-points\."([\w.]+)"\]\n([\w-]+) = "([\w.:]+)"$', page, re.MULTILINE)
    assert {group for group, _, _ in offered} == {f"stressweb.{registry.kind.group}" for registry in REGISTRIES}
    points = [
        *offered,
        *((f"stressweb.{registry.kind.group}", "broken", "my_package.broken:Mine") for registry in REGISTRIES),
    ]
    dist = root / "my_package-1.0.dist-info"
    dist.mkdir()
    (dist / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    groups = {
        group: [f"{name} = {target}" for of_group, name, target in points if of_group == group]
        for group, _, _ in points
    }
    (dist / "entry_points.txt").write_text(
        "".join(f"[{group}]\n" + "\n".join(lines) + "\n" for group, lines in groups.items())
    )
    return root


@pytest.mark.audit
def test_plug_ins_of_a_package_run_beside_a_broken_one(package: Path, tmp_path: Path) -> None:
    done = stressweb(
        tmp_path, "run", "--agent", "first-link,naive", "--mode", "advert@5", "--task", "library/*", "--run", "one", "--json",
        path=package,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = {(row["agent"], row["condition"]): row["successes"] for row in json.loads(done.stdout)["rows"]}
    assert rows == {
        ("first-link", "clean"): 0, ("first-link", "advert@5"): 0, ("naive", "clean"): 1, ("naive", "advert@5"): 1,
    }  # fmt: skip
    for command in ("grade", "report"):
        assert stressweb(tmp_path, command, "one", path=package).returncode == 0
    listed = stressweb(tmp_path, "list", "agents", "--json", path=package)
    assert {"first-link", "naive"} <= {row["agent"] for row in json.loads(listed.stdout)}
    assert re.search(r"left out: agent 'broken' .*my_package/broken\.py:3: ModuleNotFoundError", listed.stderr)
    run = stressweb(tmp_path, "run", "--agent", "broken", path=package)
    assert run.returncode == 2
    assert re.search(r"agent 'broken' .*broken\.py:3: ModuleNotFoundError: No module named", run.stderr)
    doctor = stressweb(tmp_path, "doctor", "--json", path=package)
    assert [check["ok"] for check in json.loads(doctor.stdout) if check["name"] == "plug-in"] == [False] * len(
        REGISTRIES
    )


@pytest.mark.audit
def test_a_source_that_a_package_offers_is_listed_and_shown_to_a_model(package: Path, tmp_path: Path) -> None:
    listed = stressweb(tmp_path, "list", "observations", path=package)
    assert re.search(
        r"^links +entry point links = my_package.my_source:Links  Text and address", listed.stdout, re.MULTILINE
    )
    assert re.search(r"left out: observation source 'broken' .*my_package/broken\.py:3: Modul", listed.stderr)
    with ScriptedModel('{"action_type": "DONE", "parameters": {}, "reasoning": "no"}') as model:
        options = (
            "--task",
            "library/*",
            "--mode",
            "clean",
            "--run",
            "two",
            "--base-url",
            model.url,
            "--model",
            "small",
        )
        run = stressweb(tmp_path, "run", "--agent", "model(observation=links,-screenshots)", *options, path=package)
        assert run.returncode == 0, run.stderr
        (text,) = model.bodies[0]["messages"][1]["content"]
    links = recorded_links(tmp_path, "two")
    assert text["text"].endswith("Page, its links, one a line:\n" + "\n".join(": ".join(link) for link in links))


@pytest.mark.audit
def test_three_lines_load_a_run_into_pandas(tmp_path: Path) -> None:
    """Uses a separate environment, because pandas is an extra."""
    packages = tmp_path / "pandas"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(packages), "pandas>=2.2,<4"]
    installed = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    if installed.returncode:
        pytest.skip(f"pandas cannot be installed here: {installed.stderr.strip().splitlines()[-1]}")
    golden = ROOT / "tests" / "golden"
    program = f"import stressweb as sw\nrun = sw.open_run({str(golden)!r})\nframe = run.to_pandas()\n"
    program += "print(len(frame), frame.success.sum(), len(run.to_pandas('steps')), len(run.to_pandas('ledger')))"
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{packages}"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environ, capture_output=True, text=True, check=True
    )
    figures = json.loads((golden / "figures.json").read_text("utf-8"))
    counts = [int(word) for word in done.stdout.split()]
    assert counts[:2] == [len(figures), sum(figure["success"] for figure in figures.values())]
    assert counts[2] == sum(figure["steps"] + 1 for figure in figures.values())
    assert counts[3] > 0
