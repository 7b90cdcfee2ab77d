"""Conditions: what a user may type, and what a wrong word is told."""

import pytest

from stressweb.conditions import Applied, Condition, parse
from stressweb.errors import UserError

MODES = ("remap", "remap_explicit", "failure", "noise")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("remap", ["remap@3"]),
        ("noise@4", ["noise@4"]),
        ("remap,failure", ["remap@3", "failure@3"]),
        ("noise@2+failure@4", ["failure@4+noise@2"]),
        ("clean, sham", ["clean", "sham"]),
        ("all", ["remap@3", "remap_explicit@3", "failure@3", "noise@3"]),
        ("all@5", ["remap@5", "remap_explicit@5", "failure@5", "noise@5"]),
        ("remap,all,remap", ["remap@3", "remap_explicit@3", "failure@3", "noise@3"]),
        ("failure(rate=0.2)", ["failure@3(rate=0.2)"]),
        ("failure@1(rate=0.2, typed=false)+noise@0", ["failure@1(rate=0.2,typed=False)+noise@0"]),
    ],
)
def test_parse(text: str, labels: list[str]) -> None:
    assert [condition.label for condition in parse(text, MODES)] == labels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mode is empty"),
        ("remop", "unknown mode 'remop'; choose from clean, sham, remap, remap_explicit"),
        ("remap@6", "severity 6 of mode 'remap' is outside 0 to 5"),
        ("remap@-1", "severity -1 of mode 'remap' is outside 0 to 5"),
        ("all@6", "severity 6 of mode 'remap' is outside 0 to 5"),
        ("all@x", "unknown mode 'all@x'; choose from clean"),
        ("all(rate=1)", "unknown mode 'all"),
        ("all+noise", "unknown mode 'all'"),
        ("remap@x", "unknown mode 'remap@x'"),
        ("noise+noise@2", "names 'noise' twice"),
        ("failure(rate)", "not of the form name=value"),
        ("failure(rate=high)", "takes a number, true or false"),
        ("clean+remap", "unknown mode 'clean'"),
    ],
)
def test_a_wrong_word_gets_one_line(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message.replace("(", r"\(")) as caught:
        parse(text, MODES)
    assert "\n" not in str(caught.value)


def test_a_label_reads_back() -> None:
    condition = Condition((Applied("failure", 2, (("rate", 0.2),)), Applied("noise", 4)))
    assert parse(condition.label, MODES) == [condition]


def test_what_is_active() -> None:
    assert [condition.active for condition in parse("clean,sham,noise@0", MODES)] == [False, True, True]
