"""Test cases that a world cannot have are all named at once, before a run starts."""

import re

import pytest

from stressweb.cases.case_task import NotMadeError
from stressweb.core.errors import UserError
from stressweb.runner import registry
from stressweb.runner.plan.experiment import Experiment, check_worlds

WORLD = 3
"""A world beyond those in which cases are proven."""
LIBRARY = registry.Library()


def not_made(site: str) -> list[str]:
    cases = []
    for case in LIBRARY.cases(site):
        try:
            LIBRARY.goal(case, WORLD)
        except NotMadeError:
            cases.append(case)
    return cases


def refusal(site: str, *excluded: str) -> str:
    plan = Experiment(agents=("literal",), tasks=(f"cases/{site}/*",), exclude=excluded, seed=(WORLD,)).plan()
    with pytest.raises(UserError) as refused:
        check_worlds(plan, LIBRARY)
    return str(refused.value)


def test_all_cases_that_are_not_made_are_named_with_the_option_that_leaves_them_out() -> None:
    first, *more = cases = not_made("files")
    assert len(cases) > 1
    message = refusal("files")
    assert message.startswith(f"{len(cases)} of {len(LIBRARY.cases('files'))} test cases are not made in every world; ")
    assert f"{first} is not made in world {WORLD}: " in message
    (exclude,) = re.findall(r"--exclude '(.*)'$", message)
    assert exclude.split(",") == cases
    # Of a single case, the line names only this case.
    assert refusal("files", *more).startswith(f"{first} is not made in world {WORLD}: ")
    plan = Experiment(agents=("literal",), tasks=("cases/files/*",), exclude=(exclude,), seed=(WORLD,)).plan()
    check_worlds(plan, LIBRARY)
    assert {*plan.tasks} == LIBRARY.cases("files").keys() - {*cases}
