"""`stressweb run`: choice of tasks, and checks before anything is written."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from stressweb.core.browser_program import check_display
from stressweb.core.errors import UserError
from stressweb.runner.registry import site_names, task_ids
from tests.runner.commands.command_line import Result

pytestmark = pytest.mark.sample(4, "file")


def tasks(call: Callable[..., Result], *arguments: str) -> list[str]:
    status, out, err = call("run", "--dry-run", "--json", "--agent", "naive", *arguments)
    assert (status, err) == (0, "")
    task_names: list[str] = json.loads(out)["plan"]["tasks"]
    return task_names


def site_of(task: str) -> str:
    return task.partition("/")[0]


def test_tasks_are_chosen_and_left_out_by_patterns(call: Callable[..., Result]) -> None:
    shop = [task for task in task_ids() if task.startswith("shop/")]
    assert tasks(call, "--task", "shop/*") == shop
    assert tasks(call, "--exclude", "shop/*") == [task for task in task_ids() if task not in shop]
    assert tasks(call, "--task", "shop/*", "--exclude", "profile,first-*") == [
        task for task in shop if task != "shop/profile" and not task.startswith("shop/first-")
    ]


def test_a_limit_applies_after_exclusions(call: Callable[..., Result]) -> None:
    every = str(2 * len(site_names()))
    assert Counter(map(site_of, tasks(call, "--limit", every))) == dict.fromkeys(site_names(), 2)
    others = [name for name in site_names() if name != "shop"]
    left_out = ",".join(f"{name}/*" for name in others)
    assert {*map(site_of, tasks(call, "--limit", "4", "--exclude", left_out))} == {"shop"}


@pytest.mark.parametrize("environ", [{}, {"DISPLAY": "", "WAYLAND_DISPLAY": ""}])
def test_a_browser_cannot_be_shown_without_a_screen(environ: dict[str, str]) -> None:
    with pytest.raises(UserError, match="neither DISPLAY nor WAYLAND_DISPLAY is set; leave out --headed, or put xvfb"):
        check_display(environ, "linux")
    check_display(environ, "darwin")
    check_display({"DISPLAY": ":0"}, "linux")
    check_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have a screen without these variables")
def test_headed_without_a_screen_makes_nothing(
    call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    status, out, err = call("run", "--headed")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "--headed needs a screen" in err
    assert "xvfb-run" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "environ", "recorded"),
    [
        ([], {}, True),
        (["--no-screenshots"], {}, False),
        ([], {"STRESSWEB_SCREENSHOTS": "0"}, False),
        (["--screenshots"], {"STRESSWEB_SCREENSHOTS": "0"}, True),
    ],
)
def test_pictures_are_recorded_unless_they_are_switched_off(
    call: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    environ: dict[str, str],
    recorded: bool,
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    _, out, _ = call("run", "--dry-run", "--json", "--limit", "1", *arguments)
    assert json.loads(out)["plan"]["screenshots"] == recorded
