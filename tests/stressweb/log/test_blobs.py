"""Contents of a run: stored once, and neither written nor read beyond a size."""

import sqlite3

import pytest
import zstandard

from stressweb.core.errors import AlteredError, TooLargeError, UserError
from stressweb.log.blobs import Blobs
from stressweb.log.sealing import hash_of


def test_what_is_as_large_as_may_be_comes_back_and_more_is_not_written(connection: sqlite3.Connection) -> None:
    blobs = Blobs(connection, most=100, together=250)
    assert blobs.text(blobs.put_text("a" * 100)) == "a" * 100
    with pytest.raises(TooLargeError, match="has 101 bytes; the limit is 100"):
        blobs.put_text("a" * 101)
    assert blobs.get(blobs.put(b"")) == b""


def test_an_episode_has_room_for_so_much_and_equal_contents_count_once(connection: sqlite3.Connection) -> None:
    blobs = Blobs(connection, most=100, together=250)
    with blobs.together():
        first, second = blobs.put(b"a" * 100), blobs.put(b"b" * 100)
        blobs.put(b"a" * 100)
        with pytest.raises(TooLargeError, match="have more than 250 bytes"):
            blobs.put(b"c" * 10, weight=6)
    third = blobs.put(b"c" * 100)
    with blobs.together():
        assert [blobs.get(one)[:1] for one in (first, second, first)] == [b"a", b"b", b"a"]
        with pytest.raises(UserError, match="have more than 250 bytes"):
            blobs.get(third)
    with blobs.together():
        assert blobs.get(third) == b"c" * 100


@pytest.mark.parametrize("said", [True, False])
def test_a_content_that_expands_is_refused_before_there_is_room_made_for_it(
    connection: sqlite3.Connection, said: bool
) -> None:
    size = 50_000_000
    data = zstandard.ZstdCompressor(write_content_size=said).compress(bytes(size))
    digest = hash_of(bytes(size))
    connection.execute("INSERT INTO blob VALUES (?, ?)", (digest, data))
    with pytest.raises(UserError, match=f"has {size} bytes" if said else "was changed") as caught:
        Blobs(connection).get(digest)
    assert isinstance(caught.value, AlteredError) is not said
