"""What make was given that it does not know."""

from runner.commands.variables import problems

KNOWN = "MODE MODEL TASK LIMIT"


def test_each_unknown_name_gets_the_nearest_and_all_that_there_are() -> None:
    assert problems({"STRESSWEB_VARIABLES": KNOWN, "STRESSWEB_UNKNOWN": "limits xyz"}) == [
        "limits is no variable of make; did you mean LIMIT? There are MODE, MODEL, TASK, LIMIT",
        "xyz is no variable of make; there are MODE, MODEL, TASK, LIMIT",
    ]


def test_nothing_unknown_is_no_problem() -> None:
    assert problems({}) == []
    assert problems({"STRESSWEB_VARIABLES": KNOWN}) == []
