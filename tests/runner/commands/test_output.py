"""Nothing that somebody else wrote steers the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.commands.cli import guarded
from runner.commands.output import printable, say
from stressweb.core.errors import UserError


@given(st.text(st.characters()))
def test_what_is_printed_has_no_control_character_and_loses_nothing(text: str) -> None:
    shown = printable(text)
    assert all(letter in "\t\n" or letter >= " " for letter in shown)
    assert not set(shown) & set("\x7f\x9b\u202e\u2066\u2028")
    if text.isprintable():
        assert shown == text
    shown.encode()


def test_every_message_and_line_goes_through_it(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise UserError("task '\x1b]0;owned\x07' \x9b2J\u202e is unknown")

    assert guarded(fail) == 2
    say("\x1b[2Jgone", err=True)
    say("kept\tas it is: ä · 木\nnext")
    out, err = capsys.readouterr()
    assert err == "stressweb: task '\\x1b]0;owned\\x07' \\x9b2J\\u202e is unknown\n\\x1b[2Jgone\n"
    assert out == "kept\tas it is: ä · 木\nnext\n"
