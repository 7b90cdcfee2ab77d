"""Marks: only the key reads them, and no class of a site is taken for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.html.marks import Kind, Marks
from tests.stressweb.html.marking import tokens

KEYS = st.binary(min_size=16, max_size=64)


def three(key: bytes, document: int, count: int) -> list[tuple[str, ...]]:
    return list(zip(*(tokens(key, document, kind, count) for kind in Kind), strict=True))


@given(KEYS, st.integers(0, 200))
def test_the_key_reads_its_marks_behind_any_class(key: bytes, document: int) -> None:
    marks = Marks(key)
    classes = [f"btn breadcrumb {token}" for those in three(key, document, 5) for token in those]
    reader = marks.reader(classes)
    assert [reader.kind(one) for one in classes] == list(Kind) * 5


@given(KEYS, KEYS)
def test_another_key_reads_nothing(key: bytes, other: bytes) -> None:
    if key != other:
        found = [token for those in three(key, 0, 20) for token in those]
        reader = Marks(other).reader(found)
        assert [reader.kind(token) for token in found] == [None] * 60


@given(st.lists(st.text(alphabet="abcdefghijklmnopqrstuvwxyz234567", min_size=10, max_size=10), max_size=50))
def test_words_that_look_alike_are_no_marks(classes: list[str]) -> None:
    assert Marks(b"k" * 16).reader(classes).kind(" ".join(classes)) is None


def test_a_long_page_is_read_whole() -> None:
    found = [token for those in three(b"k" * 16, 0, 5000) for token in those]
    assert len(set(found)) == 15000
    reader = Marks(b"k" * 16).reader(found)
    assert [reader.kind(token) for token in found] == list(Kind) * 5000


@pytest.mark.parametrize("document", [1023, 1024, 1025, 5000])
def test_a_document_beyond_the_prefixes_is_read(document: int) -> None:
    marks = Marks(b"k" * 32)
    for kind in Kind:
        (token,) = tokens(b"k" * 32, document, kind, 1)
        assert marks.reader([token]).kind(token) == kind


def test_marks_of_several_documents_are_read_together() -> None:
    found = [three(b"k" * 16, document, 3)[2][2] for document in range(5)]
    assert [Marks(b"k" * 16).reader(found).kind(token) for token in found] == [Kind.ADDED] * 5


def test_no_classes_no_mark() -> None:
    reader = Marks(b"k" * 16).reader([None, ""])
    assert reader.kind(None) is None
    assert reader.kind("") is None
