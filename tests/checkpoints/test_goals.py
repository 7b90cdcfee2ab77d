"""Goals read by a machine: what is to be entered as a sentence stands in quotation marks, and weeks have a first day."""

import re

import pytest

from tests.checkpoints.walks import TASKS, goal

WORLDS = [0, 1, 2]
SENTENCE = re.compile(r"\w+( \S+){2,}[.!?]$")


@pytest.mark.sample(30)
@pytest.mark.parametrize("name", TASKS)
def test_sentences_to_enter_stand_in_quotation_marks(name: str) -> None:
    for seed in WORLDS:
        made = goal(name, seed)
        entered = {step.value for step in made.ways[0] if step.verb == "enter" and step.value}
        for text in entered:
            if SENTENCE.fullmatch(text) and text in made.text:
                assert re.search(rf'"(@[\w -]+ )?{re.escape(text)}"', made.text), text


@pytest.mark.sample(30)
@pytest.mark.parametrize("name", TASKS)
def test_a_day_of_a_week_says_where_weeks_begin(name: str) -> None:
    text = goal(name, 0).text
    if re.search(r"of next week|week after next|due next week", text):
        assert re.search(r"begins? on Monday|from Monday to Sunday", text)
