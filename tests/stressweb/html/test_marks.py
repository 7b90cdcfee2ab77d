"""Marks: only the key reads them, and no class of a site is taken for one."""

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.html.marks import Kind, Marks

KEYS = st.binary(min_size=16, max_size=64)


def three(marks: Marks, document: int, count: int) -> list[tuple[str, ...]]:
    return list(islice(zip(*(marks.tokens(document, kind) for kind in Kind), strict=True), count))


@given(KEYS, st.integers(0, 200))
def test_the_key_reads_its_marks_behind_any_class(key: bytes, document: int) -> None:
    marks = Marks(key)
    classes = [f"btn breadcrumb {token}" for tokens in three(marks, document, 5) for token in tokens]
    reader = marks.reader(classes)
    assert [reader.kind(one) for one in classes] == list(Kind) * 5


@given(KEYS, KEYS)
def test_another_key_reads_nothing(key: bytes, other: bytes) -> None:
    if key != other:
        tokens = [token for tokens in three(Marks(key), 0, 20) for token in tokens]
        reader = Marks(other).reader(tokens)
        assert [reader.kind(token) for token in tokens] == [None] * 60


@given(st.lists(st.text(alphabet="abcdefghijklmnopqrstuvwxyz234567", min_size=10, max_size=10), max_size=50))
def test_words_that_look_alike_are_no_marks(classes: list[str]) -> None:
    assert Marks(b"k" * 16).reader(classes).kind(" ".join(classes)) is None


def test_marks_repeat_for_the_same_document_and_differ_for_another() -> None:
    one, again, other = (three(Marks(b"k" * 16), document, 100) for document in (3, 3, 4))
    assert one == again
    assert not {token for tokens in one for token in tokens} & {token for tokens in other for token in tokens}


def test_a_long_page_is_read_whole() -> None:
    marks = Marks(b"k" * 16)
    tokens = [token for tokens in three(marks, 0, 5000) for token in tokens]
    assert len(set(tokens)) == 15000
    reader = marks.reader(tokens)
    assert [reader.kind(token) for token in tokens] == list(Kind) * 5000


@pytest.mark.parametrize("document", [1023, 1024, 1025, 5000])
def test_a_document_beyond_the_prefixes_is_read(document: int) -> None:
    marks = Marks(b"k" * 32)
    for kind in Kind:
        token = next(marks.tokens(document, kind))
        assert marks.reader([token]).kind(token) == kind


def test_marks_of_several_documents_are_read_together() -> None:
    marks = Marks(b"k" * 16)
    tokens = [three(marks, document, 3)[2][2] for document in range(5)]
    assert [marks.reader(tokens).kind(token) for token in tokens] == [Kind.ADDED] * 5


def test_no_letters_recur_over_two_episodes() -> None:
    first, second = (
        {token[at : at + 6] for tokens in three(Marks(key), 0, 1000) for token in tokens for at in range(5)}
        for key in (b"a" * 16, b"b" * 16)
    )
    assert len(first & second) < 3


def test_no_classes_no_mark() -> None:
    reader = Marks(b"k" * 16).reader([None, ""])
    assert reader.kind(None) is None
    assert reader.kind("") is None
