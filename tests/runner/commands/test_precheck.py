import os
import subprocess
import sys
from pathlib import Path

import pytest

from stressweb.runner.commands import precheck

ROOT = Path(precheck.__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("MODE", value)
            for value in ("clean", "remap", "remap@4", "noise@0", "noise@2+remap@5", "remap,noise", "all")
        ),
        ("MODE", "noise(density=0.2)"),
        # Only the registry knows all modes, tasks and agents, because plug-ins add to them.
        *(("MODE", value) for value in ("mine", "my_package.my_module:Mine@2", "remap+my-mode")),
        *(("TASK", value) for value in ("mine/any", "shop/*", "*/buy")),
        *(("AGENT", value) for value in ("mine", "my_package.my_module:Mine(-look)")),
        *(("TASK", value) for value in ("shop/buy", "buy", "buy,shop/find", "bank/find")),
        *(
            ("AGENT", value)
            for value in ("naive", "naive,resilient", "resilient(-gesture)", "resilient(-look,-gesture),naive")
        ),
        *(("MODEL", value) for value in ("gpt-5.2", "org/Model-7B:free")),
        *(("BASE_URL", value) for value in ("http://localhost:8080/v1", "https://models.test")),
        *(("SEED", value) for value in ("0", "17")),
        *((name, "1") for name in ("WORKERS", "IN_FLIGHT", "LIMIT", "EPOCHS", "SCREENSHOTS")),
        *(("STRESS_SEEDS", value) for value in ("3", "0,1,2", "0..4, 9")),
        *(("SCREENSHOTS", value) for value in ("0", "true", "off")),
        *(("EXCLUDE", value) for value in ("calendar/*", "shop/buy,find")),
        *(("RUN", value) for value in ("first", "2026-11-21-remap", "a_b.c")),
        pytest.param("BROWSER", sys.executable, id="BROWSER-a program"),
        *((name.removeprefix("STRESSWEB_"), value) for name in precheck.CHECKS for value in ("", "  ")),
    ],
)
def test_a_right_value_passes(name: str, value: str) -> None:
    assert precheck.problems({f"STRESSWEB_{name}": value}) == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("MODE", "remap@6", "0 to 5"),
        ("MODE", "remap@-1", "0 to 5"),
        ("MODE", "remap@x", "'remap@x'"),
        ("MODE", "remap+remap@2", "twice"),
        ("MODE", "x; touch pwned", "there are clean, sham"),
        ("MODE", ",", "there are clean, sham"),
        ("TASK", "buy; rm", "write shop/checkout"),
        ("TASK", ",", "empty"),
        ("AGENT", ",", "empty"),
        ("AGENT", "resilient(-gesture", "resilient(-gesture)"),
        ("AGENT", "$(reboot)", "cannot be an agent"),
        ("MODEL", "gpt 5", "not a valid model name"),
        ("BASE_URL", "localhost:8080", "http://localhost:8080/v1"),
        ("BASE_URL", "http://me:secret@models.test", "OPENAI_API_KEY"),
        ("SEED", "-1", "from 0"),
        ("SEED", "1.5", "from 0"),
        ("STRESS_SEEDS", "1..", "a seed is a whole number from 0 on"),
        ("STRESS_SEEDS", "-1", "a seed is a whole number from 0 on"),
        ("EPOCHS", "0", "from 1"),
        ("SCREENSHOTS", "maybe", "neither 1 nor 0"),
        ("EXCLUDE", ",", "exclude is empty"),
        ("WORKERS", "0", "from 1"),
        ("IN_FLIGHT", "0", "from 1"),
        ("LIMIT", "many", "from 1"),
        ("LIMIT", "9" * 40, "from 1"),
        ("RUN", "../elsewhere", "plain folder name"),
        ("RUN", "a/b", "plain folder name"),
        ("RUN", "..", "plain folder name"),
        ("RUN", "a\nb", "plain folder name"),
        ("BROWSER", "/missing/chromium", "not an executable file"),
        ("BROWSER", "/", "not an executable file"),
    ],
)
def test_a_wrong_value_gets_one_line_with_the_choices(name: str, value: str, message: str) -> None:
    [problem] = precheck.problems({f"STRESSWEB_{name}": value})
    assert problem.startswith((f"{name}: ", f"STRESSWEB_{name}: "))
    assert message in problem
    assert "\n" not in problem


def test_it_runs_without_our_packages_installed() -> None:
    # -S leaves out site-packages and -I the environment and the current folder.
    done = subprocess.run(
        [sys.executable, "-I", "-S", ROOT / "runner" / "commands" / "precheck.py"],
        env={"PATH": os.defpath, "STRESSWEB_MODE": "remap@9", "STRESSWEB_LIMIT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert [line.split(":")[:2] for line in done.stderr.splitlines()] == [
        ["stressweb", " MODE"],
        ["stressweb", " LIMIT"],
    ]


KNOWN = "MODE MODEL TASK LIMIT"


def test_each_unknown_name_gets_the_nearest_and_all_that_there_are() -> None:
    assert precheck.unknown({"STRESSWEB_VARIABLES": KNOWN, "STRESSWEB_UNKNOWN": "limits xyz"}) == [
        "limits is not a variable of make; did you mean LIMIT? There are MODE, MODEL, TASK, LIMIT",
        "xyz is not a variable of make; there are MODE, MODEL, TASK, LIMIT",
    ]


def test_nothing_unknown_is_no_problem() -> None:
    assert precheck.unknown({}) == []
    assert precheck.unknown({"STRESSWEB_VARIABLES": KNOWN}) == []
