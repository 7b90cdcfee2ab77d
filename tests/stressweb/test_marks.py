"""Marks: only the key reads them, and no class of a site is taken for one."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from stressweb.marks import Kind, Marks

KEYS = st.binary(min_size=16, max_size=64)


@given(KEYS, st.text(max_size=20))
def test_the_key_reads_its_marks_behind_any_class(key: bytes, about: str) -> None:
    marks = Marks(key)
    for tokens in islice(marks.tokens(about), 5):
        assert [marks.kind(f"btn btn-primary {token}") for token in tokens] == list(Kind)


@given(KEYS, KEYS)
def test_another_key_reads_nothing(key: bytes, other: bytes) -> None:
    if key != other:
        tokens = [token for three in islice(Marks(key).tokens("page"), 20) for token in three]
        assert [Marks(other).kind(token) for token in tokens] == [None] * 60


@given(st.lists(st.text(alphabet="abcdefghijklmnopqrstuvwxyz234567", min_size=10, max_size=10), max_size=50))
def test_words_that_look_alike_are_no_marks(classes: list[str]) -> None:
    assert Marks(b"k" * 16).kind(" ".join(classes)) is None


def test_marks_repeat_for_the_same_page_and_differ_for_another() -> None:
    one, again, other = (list(islice(Marks(b"k" * 16).tokens(page), 100)) for page in ("a", "a", "b"))
    assert one == again
    assert not {token for three in one for token in three} & {token for three in other for token in three}


def test_tokens_go_on_beyond_a_block() -> None:
    tokens = [three[0] for three in islice(Marks(b"k" * 16).tokens("page"), 3000)]
    assert len(set(tokens)) == 3000


def test_no_classes_no_mark() -> None:
    assert Marks(b"k" * 16).kind(None) is None
    assert Marks(b"k" * 16).kind("") is None
