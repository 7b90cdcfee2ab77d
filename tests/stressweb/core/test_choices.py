"""Messages for unknown names suggest the nearest ones and stay short."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.choices import FEW, nearest, offered, unknown

MODES = ["clean", "sham", "remap", "remap_explicit", "failure", "noise"]
TASKS = [f"shop/{name}" for name in ("profile", "first-hit", "two-of-a-named-product")] + [
    f"calendar/event-{number}" for number in range(20)
]


@pytest.mark.parametrize(
    ("name", "choices", "expected"),
    [
        ("rmap", MODES, ["remap"]),
        ("REMAP", MODES, ["remap", "remap_explicit"]),
        ("explode", MODES, []),
        ("profil", TASKS, ["shop/profile"]),
        ("shop/profle", TASKS, ["shop/profile"]),
        ("MODES", ["MODE", "MODEL", "TASK"], ["MODE", "MODEL"]),
        ("limit", ["MODE", "LIMIT"], ["LIMIT"]),
        ("", MODES, []),
    ],
)
def test_the_nearest(name: str, choices: list[str], expected: list[str]) -> None:
    assert nearest(name, choices)[: len(expected) or 3] == expected


def test_few_choices_are_listed() -> None:
    assert unknown("mode", "rmap", MODES[:3], more=" or all") == (
        "unknown mode 'rmap'; did you mean remap? There are clean, sham, remap or all"
    )
    assert unknown("mode", "xyz", MODES[:3]) == "unknown mode 'xyz'; there are clean, sham, remap"
    assert unknown("run", "x", []) == "unknown run 'x'; there are none"


def test_of_many_choices_three_are_named_and_the_command_that_lists_them() -> None:
    command = "stressweb list tasks"
    assert unknown("task", "profil", TASKS, command=command) == (
        "unknown task 'profil'; did you mean shop/profile? `stressweb list tasks` lists all 23"
    )
    assert unknown("task", "zzz", TASKS, command=command) == "unknown task 'zzz'; `stressweb list tasks` lists all 23"
    assert offered("event", TASKS).startswith("did you mean calendar/event-0, calendar/event-1 or calendar/event-2?")


@given(st.text(max_size=2000), st.lists(st.text(max_size=30), max_size=30))
def test_the_message_is_always_short(name: str, choices: list[str]) -> None:
    message = unknown("task", name, choices)
    assert message.isprintable() or not all(choice.isprintable() for choice in choices)
    assert len(nearest(name, choices)) <= 3
    assert len(message) < 1000 + 40 * FEW


@pytest.mark.starts
def test_it_needs_no_package() -> None:
    code = "import sys; sys.path.insert(0, '.'); import stressweb.core.choices"
    assert subprocess.run([sys.executable, "-I", "-S", "-c", code], check=False).returncode == 0
