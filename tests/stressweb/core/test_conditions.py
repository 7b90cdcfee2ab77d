"""Conditions: valid labels, and messages for invalid ones."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.conditions import Applied, Condition, parse, split
from stressweb.core.errors import UserError

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
        ("remop", "unknown mode 'remop'; did you mean remap? There are clean, sham, remap, remap_explicit"),
        ("remop@4", "unknown mode 'remop@4'; did you mean remap? There are clean"),
        ("xyz", "unknown mode 'xyz'; there are clean, sham, remap"),
        ("remap@6", "severity 6 of mode 'remap' is outside 0 to 5"),
        ("remap@-1", "severity -1 of mode 'remap' is outside 0 to 5"),
        ("all@6", "severity 6 of mode 'remap' is outside 0 to 5"),
        ("all@x", "mode 'all@x': all means every mode by itself"),
        ("all(rate=1)", "mode 'all(rate=1)': all means"),
        ("all+noise", "mode 'all+noise': all means every mode by itself, so it is not joined with +"),
        ("remap@x", "mode 'remap@x' is not of the form remap, remap@3 or remap@3(parameter=value)"),
        ("noise+noise@2", "names 'noise' twice"),
        ("failure(rate)", "not of the form name=value"),
        ("failure(rate=high)", "takes a number, true or false"),
        ("clean+remap", "mode 'clean+remap': clean means that nothing is disturbed, so it is not joined with +"),
        ("remap@2+clean", "mode 'remap@2+clean': clean means that nothing is disturbed"),
        ("sham@3", "mode 'sham@3': sham means that everything is set up and nothing is disturbed"),
    ],
)
def test_an_invalid_condition_gets_one_line(text: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        parse(text, MODES)
    assert "\n" not in str(caught.value)


def test_a_label_reads_back() -> None:
    condition = Condition((Applied("failure", 2, (("rate", 0.2),)), Applied("noise", 4)))
    assert parse(condition.label, MODES) == [condition]


def test_active_conditions() -> None:
    assert [condition.active for condition in parse("clean,sham,noise@0", MODES)] == [False, True, True]


@given(st.text(st.sampled_from("a(),+ "), max_size=30), st.sampled_from(",+"))
def test_a_text_is_split_where_no_parenthesis_closes_first(text: str, separator: str) -> None:
    parts = re.split(rf"{re.escape(separator)}(?![^(]*\))", text)
    assert split(text, separator) == [part.strip() for part in parts if part.strip()]


def test_many_separators_take_time_by_their_number() -> None:
    """The time of a split by regular expression grew with the square: 400,000 of them would take minutes."""
    started = time.process_time()
    assert len(split(f"remap@3({',+' * 200_000})", "+")) == 1
    assert len(split(f"({',' * 400_000}")) == 1
    assert time.process_time() - started < 10


def test_a_long_condition_is_refused_by_its_beginning() -> None:
    with pytest.raises(UserError, match=r"has 2009 characters; a condition has at most 1000") as caught:
        parse(f"remap@3({'a' * 2000})", MODES)
    assert len(str(caught.value)) < 200
