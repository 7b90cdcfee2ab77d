"""Marks can be read only with the key, and no class of a site is mistaken for a mark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.html.marks import ElementKind, Marks
from tests.support.marking import tokens

KEYS = st.binary(min_size=16, max_size=64)


def three(key: bytes, document: int, count: int) -> list[tuple[str, ...]]:
    return list(zip(*(tokens(key, document, kind, count) for kind in ElementKind), strict=True))


@given(KEYS, st.integers(0, 200))
def test_the_key_reads_its_marks_behind_any_class(key: bytes, document: int) -> None:
    marks = Marks(key)
    classes = [f"btn breadcrumb {token}" for those in three(key, document, 5) for token in those]
    page_marks = marks.on_page(classes)
    assert [page_marks.kind(class_list) for class_list in classes] == list(ElementKind) * 5


@given(KEYS, KEYS)
def test_another_key_reads_nothing(key: bytes, another_key: bytes) -> None:
    if key != another_key:
        class_names = [token for those in three(key, 0, 20) for token in those]
        page_marks = Marks(another_key).on_page(class_names)
        assert [page_marks.kind(token) for token in class_names] == [None] * 60


@given(st.lists(st.text(alphabet="abcdefghijklmnopqrstuvwxyz234567", min_size=10, max_size=10), max_size=50))
def test_similar_words_are_no_marks(classes: list[str]) -> None:
    assert Marks(b"k" * 16).on_page(classes).kind(" ".join(classes)) is None


def test_a_long_page_is_read_whole() -> None:
    class_names = [token for those in three(b"k" * 16, 0, 5000) for token in those]
    assert len(set(class_names)) == 15000
    page_marks = Marks(b"k" * 16).on_page(class_names)
    assert [page_marks.kind(token) for token in class_names] == list(ElementKind) * 5000


@pytest.mark.parametrize("document", [1023, 1024, 1025, 5000])
def test_a_document_beyond_the_prefixes_is_read(document: int) -> None:
    marks = Marks(b"k" * 32)
    for kind in ElementKind:
        (token,) = tokens(b"k" * 32, document, kind, 1)
        assert marks.on_page([token]).kind(token) == kind


def test_marks_of_several_documents_are_read_together() -> None:
    class_names = [three(b"k" * 16, document, 3)[2][2] for document in range(5)]
    assert [Marks(b"k" * 16).on_page(class_names).kind(token) for token in class_names] == [ElementKind.ADDED] * 5


def test_without_classes_there_is_no_mark() -> None:
    page_marks = Marks(b"k" * 16).on_page([None, ""])
    assert page_marks.kind(None) is None
    assert page_marks.kind("") is None
