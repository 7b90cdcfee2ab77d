"""The ids of all tasks: one task has one id, wherever its file lies."""

from pathlib import Path

import pytest

from runner import registry
from runner.commands import precheck
from runner.registry import chosen_tasks, task_ids
from stressweb.core.errors import UserError


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with two sites of one task each, in place of ours."""
    for site in ("bank", "shop"):
        (tmp_path / "sites" / site).mkdir(parents=True)
        (tmp_path / "sites" / site / "tasks.yaml").write_text(f"# Ours.\n- id: {site}/find\n  goal: Find it.\n")
    tasks = precheck.tasks
    monkeypatch.setattr(registry.precheck, "ROOT", tmp_path)
    monkeypatch.setattr(registry.precheck, "tasks", lambda: tasks(tmp_path))
    return tmp_path


def test_an_id_of_two_files_names_both(tree: Path) -> None:
    assert task_ids() == ["bank/find", "shop/find"]
    bank, shop = (tree / "sites" / site / "tasks.yaml" for site in ("bank", "shop"))
    bank.write_text(f"{bank.read_text()}- id: shop/find\n  goal: Find it again.\n")
    with pytest.raises(UserError) as caught:
        task_ids()
    assert str(caught.value) == f"{shop}:2: shop/find: two tasks of this id, the other is at {bank}:4"


def test_what_is_chosen_and_left_out(tree: Path) -> None:
    assert chosen_tasks(None) == ["bank/find", "shop/find"]
    assert chosen_tasks("shop/*") == chosen_tasks(None, "bank/*") == ["shop/find"]
    with pytest.raises(UserError, match="leaves no task of 2"):
        chosen_tasks(None, "find")
