"""Goals are unambiguous: sentences to enter are quoted, and a goal that mentions weeks gives their first day."""

import re

import pytest

from tests.support.walks import TASKS, goal

WORLDS = [0, 1, 2]
SENTENCE = re.compile(r"\w+( \S+){2,}[.!?]$")


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", TASKS)
def test_sentences_to_enter_are_quoted(name: str) -> None:
    for seed in WORLDS:
        task_goal = goal(name, seed)
        entered = {step.value for step in task_goal.ways[0] if step.verb == "enter" and step.value}
        for text in entered:
            if SENTENCE.fullmatch(text) and text in task_goal.text:
                assert re.search(rf'"(@[\w -]+ )?{re.escape(text)}"', task_goal.text), text


@pytest.mark.sample(30)
@pytest.mark.parametrize("name", TASKS)
def test_goals_that_mention_weeks_give_their_first_day(name: str) -> None:
    text = goal(name, 0).text
    if re.search(r"of next week|week after next|due next week", text):
        assert re.search(r"begins? on Monday|from Monday to Sunday", text)
