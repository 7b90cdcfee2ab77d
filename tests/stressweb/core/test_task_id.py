"""Task ids are parsed in one place and keep their text."""

import re
from pathlib import Path

import pytest

from stressweb.core.choices import nearest
from stressweb.core.task_id import CHAIN, TASK, TaskId, is_chain, site_of
from stressweb.runner.registry import chain_ids, task_ids

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("shop/checkout", ("shop", "checkout", "", "")),
        ("chains/an-evening-out", ("chains", "an-evening-out", "chains", "")),
        ("mall/cheapest-lamp", ("mall", "cheapest-lamp", "mall", "")),
        ("cases/shop/name", ("shop", "name", "cases", "")),
        ("cases/shop/name#F2", ("shop", "name", "cases", "F2")),
        ("cases/shop", ("cases", "shop", "", "")),
        ("shop/name#F2", ("shop", "name#F2", "", "")),
        ("nothing", ("nothing", "nothing", "", "")),
        ("", ("", "", "", "")),
    ],
)
def test_an_id_has_a_site_a_name_a_kind_and_a_fault(text: str, parts: tuple[str, ...]) -> None:
    task = TaskId.read(text)
    assert (task.site, task.name, task.kind, task.fault) == parts
    assert task.text == text


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("*", ["shop/buy", "cases/shop/buy#F2", "chains/out"]),
        ("shop/*", ["shop/buy"]),
        ("buy", ["shop/buy"]),
        ("buy*", ["shop/buy", "cases/shop/buy#F2"]),
        ("cases/shop/*", ["cases/shop/buy#F2"]),
        ("BUY", []),
    ],
)
def test_a_pattern_is_over_the_id_or_the_name(pattern: str, matched: list[str]) -> None:
    ids = ["shop/buy", "cases/shop/buy#F2", "chains/out"]
    assert [task_id for task_id in ids if TaskId.read(task_id).matches(pattern)] == matched


def test_a_case_may_have_a_bug_of_its_site() -> None:
    ids = ["shop/buy", "cases/shop/buy", "cases/shop/buy#F2", "cases/shop/buy#B1", "shop/buy#B1", "cases/shop/Buy"]
    assert [task_id for task_id in ids if TaskId.read(task_id).has_bug] == ["cases/shop/buy#B1"]


def test_a_misspelt_name_is_near_its_id() -> None:
    assert nearest("chekout", ["shop/checkout", "mail/reply"]) == ["shop/checkout"]
    assert nearest("name#F3", ["cases/shop/name#F2", "mail/reply"]) == ["cases/shop/name#F2"]


def test_shipped_ids_fit_the_grammar() -> None:
    assert all(re.search(TASK, task) and not is_chain(task) for task in task_ids())
    assert all(re.search(CHAIN, chain) and is_chain(chain) and site_of(chain) == "chains" for chain in chain_ids())


SPLIT = re.compile(r"""task\w*(?:\.id|\[0\])?\.r?(?:partition|split)\(["']/""")


def test_only_one_module_parses_ids() -> None:
    files = [file for wing in ("stressweb", "runner", "sites", "scripts") for file in (ROOT / wing).rglob("*.py")]
    assert [str(file) for file in files if SPLIT.search(file.read_text("utf-8"))] == []
    assert SPLIT.search('site = cell.task.partition("/")[0]')
