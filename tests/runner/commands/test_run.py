"""`stressweb run`: what is checked before anything is made, and what a name that is taken gets."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.browser.install import check_display
from runner.commands.cli import cli, guarded
from runner.experiment.plan import Plan
from runner.registry import task_ids
from stressweb.core.errors import UserError
from stressweb.log.store import FILE, Store

type Result = tuple[int, str, str]


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run the command line in this process, away from the tree's own runs."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("STRESSWEB_")]:
        monkeypatch.delenv(name)

    def _call(*arguments: str) -> Result:
        status = guarded(lambda: cli.main(["run", *arguments], standalone_mode=False))
        out, err = capfd.readouterr()
        return status, out, err

    return _call


def tasks(call: Callable[..., Result], *arguments: str) -> list[str]:
    status, out, err = call("--dry-run", "--json", "--agent", "naive", *arguments)
    assert (status, err) == (0, "")
    found: list[str] = json.loads(out)["plan"]["tasks"]
    return found


def test_tasks_are_chosen_and_left_out_by_patterns(call: Callable[..., Result]) -> None:
    shop = [task for task in task_ids() if task.startswith("shop/")]
    assert tasks(call, "--task", "shop/*") == shop
    assert tasks(call, "--exclude", "calendar/*") == shop
    assert tasks(call, "--task", "shop/*", "--exclude", "profile,first-*") == [
        task for task in shop if task != "shop/profile" and not task.startswith("shop/first-")
    ]


def test_a_limit_counts_what_is_left(call: Callable[..., Result]) -> None:
    limited = tasks(call, "--limit", "4")
    assert sorted(task.partition("/")[0] for task in limited) == ["calendar", "calendar", "shop", "shop"]
    assert all(task.startswith("shop/") for task in tasks(call, "--limit", "4", "--exclude", "calendar/*"))


@pytest.mark.parametrize("environ", [{}, {"DISPLAY": "", "WAYLAND_DISPLAY": ""}])
def test_a_browser_cannot_be_shown_without_a_screen(environ: dict[str, str]) -> None:
    with pytest.raises(UserError, match="neither DISPLAY nor WAYLAND_DISPLAY is set; leave out --headed, or put xvfb"):
        check_display(environ, "linux")
    check_display(environ, "darwin")
    check_display({"DISPLAY": ":0"}, "linux")
    check_display({"WAYLAND_DISPLAY": "wayland-0"}, "linux")


def test_headed_without_a_screen_makes_nothing(
    call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    status, out, err = call("--headed")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "--headed needs a screen" in err
    assert "xvfb-run" in err
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_of_a_name_that_is_taken_warns(call: Callable[..., Result], tmp_path: Path) -> None:
    plan = Plan(agents=("naive",), tasks=(task_ids()[0],), conditions=("clean",))
    Store.create(tmp_path / "runs" / "old" / FILE, {"plan": plan.model_dump()}, plan.cells()).close()
    options = ("--dry-run", "--limit", "1", "--mode", "clean", "--agent", "naive")
    status, out, err = call(*options, "--run", "old")
    assert (status, err.count("\n")) == (0, 1)
    assert "run runs/old exists already: without --dry-run this command is refused; choose another name" in err
    assert out
    assert call(*options, "--run", "new")[2] == ""
    assert call(*options, "--run", "old", "--resume")[2] == ""


def test_a_resumed_run_of_many_tasks_is_not_answered_with_all_of_them(
    call: Callable[..., Result], tmp_path: Path
) -> None:
    plan = Plan(agents=("naive",), tasks=tuple(task_ids()), conditions=("clean",))
    Store.create(tmp_path / "runs" / "old" / FILE, {"plan": plan.model_dump()}, plan.cells()).close()
    status, _, err = call("--resume", "--run", "old", "--exclude", "calendar/*")
    assert (status, err) == (
        2,
        f"stressweb: exclude differs from what run runs/old was made with: {len(plan.tasks)} tasks\n",
    )
