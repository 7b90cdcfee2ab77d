import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from runner.commands import precheck

ROOT = Path(precheck.__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with two modes in one file, two agents and two sites that share a task's short name."""
    files = {
        "perturbations/remap.py": ["class A:", '    mode = "remap"', "class B(A):", '    mode: str = "remap_explicit"'],
        "perturbations/noise.py": ['raise SystemError("never imported")', "class C:", '    mode = "noise"'],
        "runner/agents/scripted.py": ["class A:", '    name = "naive"', "class B:", '    name = "resilient"'],
        "sites/shop/tasks.yaml": [
            "- id: shop/buy",
            "  goal: Buy.",
            "- id: shop/find  # it",
            "  steps:",
            "    - open: id",
        ],
        "sites/bank/tasks.yaml": ["- id: bank/find"],
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(text))
    return tmp_path


def test_names_are_read_off_the_files(tree: Path) -> None:
    assert precheck.modes(tree) == ["noise", "remap", "remap_explicit"]
    assert precheck.agents(tree) == ["naive", "resilient"]
    assert precheck.tasks(tree) == ["bank/find", "shop/buy", "shop/find"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("MODE", value)
            for value in ("clean", "remap", "remap@4", "noise@0", "noise@2+remap@5", "remap,noise", "all")
        ),
        ("MODE", "noise(density=0.2)"),
        *(("TASK", value) for value in ("shop/buy", "buy", "buy,shop/find", "bank/find")),
        *(
            ("AGENT", value)
            for value in ("naive", "naive,resilient", "resilient(-gesture)", "resilient(-look,-gesture),naive")
        ),
        *(("MODEL", value) for value in ("gpt-5.2", "org/Model-7B:free")),
        *(("BASE_URL", value) for value in ("http://localhost:8080/v1", "https://models.test")),
        *(("SEED", value) for value in ("0", "17")),
        *((name, "1") for name in ("WORKERS", "LIMIT")),
        *(("RUN", value) for value in ("first", "2026-11-21-remap", "a_b.c")),
        ("BROWSER", sys.executable),
        *((name.removeprefix("STRESSWEB_"), value) for name in precheck.CHECKS for value in ("", "  ")),
    ],
)
def test_a_right_value_passes(tree: Path, name: str, value: str) -> None:
    assert precheck.problems({f"STRESSWEB_{name}": value}, tree) == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MODE", "remapp", "remap_explicit"),
        ("MODE", "remap@6", "0 to 5"),
        ("MODE", "remap@-1", "0 to 5"),
        ("MODE", "remap@x", "'remap@x'"),
        ("MODE", "remap+remap@2", "twice"),
        ("MODE", "x; touch pwned", "choose from"),
        ("MODE", ",", "choose from"),
        ("TASK", "sell", "shop/buy, shop/find"),
        ("TASK", "find", "bank/find, shop/find"),
        ("TASK", "buy,,no", "'no'"),
        ("TASK", ",", "choose from"),
        ("AGENT", ",", "choose from"),
        ("AGENT", "clever", "naive, resilient"),
        ("AGENT", "resilient(-gesture", "naive, resilient"),
        ("MODEL", "gpt 5", "not a valid model name"),
        ("BASE_URL", "localhost:8080", "http://localhost:8080/v1"),
        ("BASE_URL", "http://me:secret@models.test", "OPENAI_API_KEY"),
        ("SEED", "-1", "from 0"),
        ("SEED", "1.5", "from 0"),
        ("WORKERS", "0", "from 1"),
        ("LIMIT", "many", "from 1"),
        ("LIMIT", "9" * 40, "from 1"),
        ("RUN", "../elsewhere", "plain folder name"),
        ("RUN", "a/b", "plain folder name"),
        ("RUN", "..", "plain folder name"),
        ("RUN", "a\nb", "plain folder name"),
        ("BROWSER", "/missing/chromium", "no executable file"),
        ("BROWSER", "/", "no executable file"),
    ],
)
def test_a_wrong_value_gets_one_line_with_the_choices(tree: Path, name: str, value: str, said: str) -> None:
    [problem] = precheck.problems({f"STRESSWEB_{name}": value}, tree)
    assert problem.startswith((f"{name}: ", f"STRESSWEB_{name}: "))
    assert said in problem
    assert "\n" not in problem


def test_it_runs_without_our_packages_installed() -> None:
    # -S leaves out site-packages and -I the environment and the current folder.
    done = subprocess.run(
        [sys.executable, "-I", "-S", ROOT / "runner" / "commands" / "precheck.py"],
        env={"PATH": os.defpath, "STRESSWEB_MODE": "nonsense", "STRESSWEB_LIMIT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert [line.split(":")[:2] for line in done.stderr.splitlines()] == [
        ["stressweb", " MODE"],
        ["stressweb", " LIMIT"],
    ]


def test_what_this_tree_ships_is_found() -> None:
    assert {"failure", "noise", "remap", "remap_explicit"} <= set(precheck.modes())
    assert {"naive", "null", "resilient", "talker"} <= set(precheck.agents())
    sites = Counter(task.partition("/")[0] for task in precheck.tasks())
    assert sites == {"calendar": 18, "shop": 12}
