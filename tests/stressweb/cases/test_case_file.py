"""The file of proven test cases: the program reads what it writes, and mistakes have their line."""

from pathlib import Path

import pytest

from stressweb.cases.building import Fault, Rejection
from stressweb.cases.case_file import NAME, read_cases, written
from stressweb.core.errors import UserError

FAULTS = {
    "toy/checkout": [Fault("wrong_count", 3), Fault("wrong_page", 12), Fault("dead_button", 4)],
    "toy/look": [],
}
REJECTIONS = [
    Rejection("cases/toy/lost", None, "390 pixels wide: step 3: not visible"),
    Rejection("cases/toy/checkout", Fault("wrong_text", 2), "world 1: the text is there"),
]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(written(FAULTS, REJECTIONS), "utf-8")
    proven = read_cases(tmp_path)
    assert {f"toy/{task}": [*proven.faults(task)] for task in proven.cases} == FAULTS
    assert proven.rejected == {
        "lost": "390 pixels wide: step 3: not visible",
        "checkout wrong_text@2": "world 1: the text is there",
    }
    (tmp_path / NAME).unlink()
    assert not read_cases(tmp_path).cases


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("wrong_cuont@3", "unknown operator 'wrong_cuont'; did you mean wrong_count"),
        ("wrong_count@0", "is not an operator and a step, such as wrong_count@3"),
        ("wrong_count", "is not an operator and a step, such as wrong_count@3"),
    ],
)
def test_a_wrong_fault_is_refused_with_its_line(tmp_path: Path, fault: str, message: str) -> None:
    text = "# Mine.\n" + written(FAULTS, []).replace("wrong_count@3", fault)
    (tmp_path / NAME).write_text(text, "utf-8")
    line = next(number for number, words in enumerate(text.splitlines(), start=1) if fault in words)
    with pytest.raises(UserError) as raised:
        read_cases(tmp_path)
    assert str(raised.value).startswith(f"{tmp_path / NAME}:{line}: cases.checkout.0: ")
    assert message in str(raised.value)
