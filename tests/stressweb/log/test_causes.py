"""Causes of failures are stored beside the run and printed as sentences."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stressweb.core.errors import UserError
from stressweb.log.causes import FILE, Answer, Cause, Effect, keep, read, sentences

SAVE = Cause(injection=("failure", "shop / button Save #1", "1"), step=3, element="button 'Save'")
ANSWER = Answer(verdict="caused by", failure="saw it", causes=(SAVE,), injections=4, episodes=9)
EFFECT = Effect(step=3, causes=(SAVE,), passed_with=(False, False), passed_without=(True, False))


@pytest.mark.parametrize(
    ("injection", "element", "expected"),
    [
        (("failure", "shop / button Go #1", "0"), "button 'Go'", "failure of button 'Go', 1st attempt"),
        (("popup", "shop / link A #1", "11"), "link 'A'", "popup of link 'A', 12th attempt"),
        (("popup", "page /cart", "1"), "/cart", "popup on 2nd load of /cart"),
        (("remap", "shop / link A #1"), "link 'A'", "remap of link 'A'"),
        (("sticky", "page /cart"), "/cart", "sticky of /cart"),
        (
            ("noise", "wrap", "/cart", "p Your cart  1"),
            "wrap of p Your cart 1",
            "noise: wrap of p Your cart 1 on /cart",
        ),
    ],
)
def test_the_words_for_a_cause(injection: tuple[str, ...], element: str, expected: str) -> None:
    assert str(Cause(injection=injection, step=1, element=element)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "caused by: failure of button 'Save', 2nd attempt"),
        (
            {"verdict": "overdetermined"},
            f"overdetermined: {SAVE} is enough, but the other injections break it without that, too",
        ),
        ({"verdict": "fails without any", "causes": ()}, "undisturbed it fails too"),
        ({"verdict": "stopped"}, "stopped with 1 injection left: failure of button 'Save', 2nd attempt"),
        ({"verdict": "slipped", "detail": "it passed"}, "slipped: it passed"),
    ],
)
def test_an_answer_is_one_line(changes: dict[str, object], expected: str) -> None:
    assert str(ANSWER.model_copy(update=changes)) == expected


def test_many_causes_are_not_all_named() -> None:
    many = [SAVE.model_copy(update={"injection": ("failure", "button", str(number))}) for number in range(9)]
    assert str(ANSWER.model_copy(update={"causes": tuple(many)})).endswith("6th attempt; and 3 more")


def test_stored_causes_are_read_back(tmp_path: Path) -> None:
    assert read(tmp_path) == {}
    keep(tmp_path, "one", ANSWER)
    keep(tmp_path, "two", EFFECT)
    keep(tmp_path, "one", EFFECT.model_copy(update={"step": 2}))
    keep(tmp_path, "two", EFFECT.model_copy(update={"passed_with": (True,)}))
    by_episode = read(tmp_path)
    assert by_episode["one"].answer == ANSWER
    assert sentences(by_episode) == {
        "one": [str(ANSWER), "step 2: with failure of button 'Save', 2nd attempt, 0 of 2 passed; without it, 1 of 2 passed"],
        "two": ["step 3: with failure of button 'Save', 2nd attempt, 1 of 1 passed; without it, 1 of 2 passed"],
    }  # fmt: skip
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_concurrent_answers_are_all_stored(tmp_path: Path) -> None:
    keys = [f"episode {number}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: keep(tmp_path, key, ANSWER), keys))
    assert sorted(read(tmp_path)) == sorted(keys)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_an_empty_file_has_no_answers(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    assert read(tmp_path) == {}
    keep(tmp_path, "one", ANSWER)
    assert list(read(tmp_path)) == ["one"]


def test_a_foreign_file_is_refused_and_not_changed(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"episodes": {"one": {"answer": {"verdict": "magic"}}}}', encoding="utf-8")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(UserError, match="was not written by stressweb"):
        keep(tmp_path, "one", ANSWER)
    assert (tmp_path / FILE).read_bytes() == before
