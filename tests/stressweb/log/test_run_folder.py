"""Run folders: never used twice, found by name, resumed with their own plan."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from stressweb.core.errors import UserError
from stressweb.log.run_folder import new_folder, resumed_plan, run_folder
from stressweb.log.store import FILE, Store
from stressweb.runner.outcome.results import graded
from tests.support.plans import plan as planned

PLAN = planned(agents=("naive",), tasks=tuple(f"shop/task-{number}" for number in range(20)), conditions=("clean",))


def new_run(folder: Path) -> Path:
    Store.create(folder / FILE, {"plan": PLAN.model_dump()}, PLAN.cells()).close()
    return folder


def test_a_folder_is_never_used_twice(tmp_path: Path) -> None:
    names = [new_folder(tmp_path, None, "remap@3+noise").name[len("2026-01-01-") :] for _ in range(3)]
    assert names == ["remap-3-noise", "remap-3-noise-2", "remap-3-noise-3"]
    new_folder(tmp_path, "mine", "remap")
    with pytest.raises(UserError, match="exists; choose another name, or continue it with --resume"):
        new_folder(tmp_path, "mine", "remap")


def test_a_run_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "one")
    assert run_folder("one", tmp_path) == run_folder(str(folder), Path("elsewhere")) == folder


def test_a_name_that_no_run_has_gets_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"unknown run 'x'; there are none in "):
        run_folder("x", tmp_path)
    for number in range(2):
        new_run(tmp_path / f"2026-11-2{number}-remap")
    with pytest.raises(
        UserError, match=r"did you mean 2026-11-20-remap\? There are 2026-11-20-remap, 2026-11-21-remap"
    ):
        run_folder("2026-11-20-rmap", tmp_path)
    for number in range(12):
        new_run(tmp_path / f"other-{number}")
    with pytest.raises(UserError, match=r"unknown run 'zzz'; `ls .*` lists all 14"):
        run_folder("zzz", tmp_path)


def test_a_run_is_continued_with_its_own_plan(tmp_path: Path) -> None:
    folder = new_run(tmp_path / "one")
    changed_plan = PLAN.model_copy(update={"tasks": PLAN.tasks[:3], "worlds": (5,)})
    assert resumed_plan(folder, changed_plan, typed=()) == PLAN
    for option, recorded in (("exclude", "20 tasks"), ("limit", "20 tasks"), ("seed", "0")):
        with pytest.raises(UserError) as caught:
            resumed_plan(folder, changed_plan, typed=(option,))
        difference = f"{option} differs from what run {folder} was made with: {recorded}"
        assert str(caught.value) == f"{difference}; leave {option} out, or give the new run another name"


def changed(folder: Path, **parts: Any) -> Path:
    """Change parts of the plan of a recorded run."""
    connection = sqlite3.connect(folder / FILE)
    with connection:
        plan = json.dumps({**PLAN.model_dump(), **parts})
        connection.execute("UPDATE meta SET value = ? WHERE name = 'plan'", (plan,))
    connection.close()
    return folder


def test_a_plan_of_an_earlier_form_is_answered_in_one_line(tmp_path: Path) -> None:
    """Plans of earlier runs had labels of agents and conditions."""
    folder = changed(new_run(tmp_path / "one"), agents=["naive"], conditions=["clean"], sampled=[])
    beginning = f"{folder / FILE} holds no plan that this version of stressweb can read: "
    with pytest.raises(UserError) as caught:
        resumed_plan(folder, PLAN, typed=())
    assert str(caught.value) == f"{beginning}agents.0: it takes names with values; start a new run"
    with Store.read(folder / FILE) as store, pytest.raises(UserError, match=r"agents\.0: it takes names with values"):
        graded(store)


def test_a_plan_that_cannot_be_read_is_answered_in_plain_words(tmp_path: Path) -> None:
    folder = changed(new_run(tmp_path / "one"), epochs=0)
    with pytest.raises(
        UserError,
        match="holds no plan that this version of stressweb can read: epochs: it takes at least 1; start a new run",
    ):
        resumed_plan(folder, PLAN, typed=())
