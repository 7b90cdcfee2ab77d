"""Blobs of a run: stored once, with size limits for writing and reading."""

import sqlite3

import pytest
import zstandard

from stressweb.core.errors import AlteredError, TooLargeError, UserError
from stressweb.log.blobs import Blobs
from stressweb.log.sealing import hash_of


def test_contents_of_the_largest_size_are_stored_and_larger_ones_refused(connection: sqlite3.Connection) -> None:
    blobs = Blobs(connection, most=100, together=250)
    assert blobs.text(blobs.put_text("a" * 100)) == "a" * 100
    with pytest.raises(TooLargeError, match="has 101 bytes; the limit is 100"):
        blobs.put_text("a" * 101)
    assert blobs.get(blobs.put(b"")) == b""


def test_an_episode_has_a_limit_in_which_equal_contents_count_once(connection: sqlite3.Connection) -> None:
    blobs = Blobs(connection, most=100, together=250)
    with blobs.together():
        first, second = blobs.put(b"a" * 100), blobs.put(b"b" * 100)
        blobs.put(b"a" * 100)
        with pytest.raises(TooLargeError, match="have more than 250 bytes"):
            blobs.put(b"c" * 10, weight=6)
    third = blobs.put(b"c" * 100)
    with blobs.together():
        assert [blobs.get(digest)[:1] for digest in (first, second, first)] == [b"a", b"b", b"a"]
        with pytest.raises(UserError, match="have more than 250 bytes"):
            blobs.get(third)
    with blobs.together():
        assert blobs.get(third) == b"c" * 100


@pytest.mark.parametrize("size_is_stated", [True, False])
def test_a_content_that_expands_is_refused_before_memory_is_allocated(
    connection: sqlite3.Connection, size_is_stated: bool
) -> None:
    size = 50_000_000
    compressed = zstandard.ZstdCompressor(write_content_size=size_is_stated).compress(bytes(size))
    digest = hash_of(bytes(size))
    connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, compressed))
    with pytest.raises(UserError, match=f"has {size} bytes" if size_is_stated else "was changed") as caught:
        Blobs(connection).get(digest)
    assert isinstance(caught.value, AlteredError) is not size_is_stated
