"""Tracebacks are kept whole, without keys and without folders of this machine."""

import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.tracebacks import HIDDEN, LONGEST, concealed, scrubbed, trace_at, trace_of

ROOT = Path(__file__).resolve().parents[3]


def caught() -> BaseException:
    def inner() -> None:
        raise LookupError("inner")

    def outer() -> None:
        try:
            inner()
        except LookupError as error:
            raise ValueError("outer") from error

    with pytest.raises(ValueError, match="outer") as caught_error:
        outer()
    return caught_error.value


def test_causes_are_kept_and_files_are_named_from_their_package_on() -> None:
    text = trace_of(caught())
    assert text.index("LookupError: inner") < text.index("direct cause") < text.index("ValueError: outer")
    assert 'File "tests/stressweb/core/test_tracebacks.py", line ' in text
    assert str(ROOT) not in text


@pytest.mark.parametrize(
    ("file", "named"),
    [
        (f"{ROOT}/runner/browser/actions/perform.py", "runner/browser/actions/perform.py"),
        (threading.__file__, "threading.py"),
        (pytest.__file__, "pytest/__init__.py"),
        ("/home/somebody/secret-project/agent.py", "agent.py"),
        ("<string>", "<string>"),
    ],
    ids=["ours", "of Python", "of a package", "of a user", "without a file"],
)
def test_no_folder_of_this_machine_is_kept(file: str, named: str) -> None:
    assert scrubbed(f'  File "{file}", line 1, in x') == f'  File "{named}", line 1, in x'


def test_a_stack_of_a_running_thread_names_where_it_is() -> None:
    assert ", in test_a_stack_of_a_running_thread_names_where_it_is" in trace_at(sys._getframe())


@given(st.text("abcdefgh0123456789-_", min_size=16, max_size=60), st.text(), st.text())
def test_no_key_of_the_environment_is_kept(key: str, before: str, after: str) -> None:
    text = concealed(f"{before}{key}{after}", {"SOME_API_KEY": key})
    assert key not in text
    assert HIDDEN in text


@pytest.mark.parametrize(
    ("text", "environ", "left"),
    [
        ("Bearer abcdefghijk, please", {}, "Bearer [key] please"),
        ("Incorrect key sk-proj-ABCDEFGHIJKLMNOP1234.", {}, "Incorrect key [key]."),
        ("none was given", {"OPENAI_API_KEY": "none"}, "none was given"),
        ("ask local 1", {"X_TOKEN": "1"}, "ask local 1"),
        ("at /usr/share/fonts", {"FONTS": "/usr/share/fonts"}, "at /usr/share/fonts"),
    ],
)
def test_what_is_a_key(text: str, environ: dict[str, str], left: str) -> None:
    assert concealed(text, environ) == left


def test_what_no_file_can_hold_is_replaced() -> None:
    assert scrubbed("\ud800 said", {}).encode() == b"? said"


def test_of_an_endless_message_beginning_and_end_are_kept() -> None:
    text = scrubbed("a" * LONGEST + "b" * LONGEST)
    assert text.startswith("aaa")
    assert text.endswith("bbb")
    assert f"[{LONGEST} characters left out]" in text
