"""Similar pages are stored as differences and come back byte by byte."""

import random
import sqlite3

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.errors import AlteredError
from stressweb.log import schema
from stressweb.log.blobs import Blobs
from stressweb.log.deltas import BASES, HEAD, LARGEST_BASE, Deltas, base_of
from stressweb.log.sealing import hash_of

WORDS = [f"<a href='/p/{n}'>{random.Random(n).random()}</a>" for n in range(400)]


def stored(connection: sqlite3.Connection) -> dict[bytes, bytes]:
    return dict(connection.execute("SELECT hash, data FROM blob").fetchall())


def pages(count: int, chance: random.Random) -> list[str]:
    return ["".join(WORDS) + f"<p>{chance.random()}</p>" for _ in range(count)]


def test_pages_that_repeat_each_other_take_little(connection: sqlite3.Connection) -> None:
    texts = pages(30, random.Random(1))
    blobs = Blobs(connection)
    with blobs.together():
        digests = [blobs.put_text(page) for page in texts]
    blobs_by_hash = stored(connection)
    assert [base_of(blobs_by_hash[digest]) for digest in digests] == [None, *[digests[0]] * 29]
    assert sum(map(len, blobs_by_hash.values())) < 2 * len(blobs_by_hash[digests[0]])
    fresh = Blobs(connection)
    assert [fresh.text(digest) for digest in reversed(digests)] == texts[::-1]
    with fresh.together():
        assert [fresh.text(digest) for digest in digests] == texts


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.text(st.characters(exclude_categories=["Cs"]), max_size=40)), min_size=1, max_size=20
    )
)  # fmt: skip
def test_every_text_comes_back(drawn: list[tuple[int, str]]) -> None:
    connection = sqlite3.connect(":memory:")
    schema.make(connection)
    texts = ["".join(WORDS[100 * kind : 100 * kind + 100]) + text for kind, text in drawn]
    blobs = Blobs(connection)
    with blobs.together():
        digests = [blobs.put_text(text) for text in texts]
    assert [Blobs(connection).text(digest) for digest in digests] == texts
    # Bases are stored whole.
    blobs_by_hash = stored(connection)
    assert all(base_of(blobs_by_hash[base]) is None for content in blobs_by_hash.values() if (base := base_of(content)))
    connection.close()


def test_only_texts_of_one_episode_are_built_on_each_other(connection: sqlite3.Connection) -> None:
    blobs, texts = Blobs(connection), pages(4, random.Random(2))
    first = blobs.put_text(texts[0])
    with blobs.together():
        second = blobs.put_text(texts[1])
    with blobs.together():
        third, picture = blobs.put_text(texts[2]), blobs.put(texts[3].encode())
    assert [base_of(stored(connection)[digest]) for digest in (first, second, third, picture)] == [None] * 4


def test_bases_are_limited_in_number_and_size() -> None:
    chance = random.Random(3)
    deltas = Deltas(zstandard.ZstdCompressor())
    large = chance.randbytes(LARGEST_BASE + 1)
    assert [base_of(deltas.squeezed(large)) for _ in range(2)] == [None, None]
    others = [chance.randbytes(20_000 + 1_000 * n) for n in range(BASES + 1)]
    assert [base_of(deltas.squeezed(content)) for content in others] == [None] * (BASES + 1)
    assert [base_of(deltas.squeezed(content)) for content in others] == [*map(hash_of, others[:BASES]), None]


@pytest.mark.parametrize(
    "damage", ["a base that is missing", "a base that was changed", "a base that has one", "half of it", "itself"]
)
def test_a_damaged_content_is_found(connection: sqlite3.Connection, damage: str) -> None:
    blobs, texts = Blobs(connection), pages(3, random.Random(4))
    with blobs.together():
        base, second, third = (blobs.put_text(page) for page in texts)
    blobs_by_hash = stored(connection)
    change = {
        "a base that is missing": ("DELETE FROM blob WHERE hash = ?", (base,)),
        "a base that was changed": (
            "UPDATE blob SET data = ? WHERE hash = ?",
            (zstandard.compress(b"x" * 30_000), base),
        ),
        "a base that has one": ("UPDATE blob SET data = ? WHERE hash = ?", (blobs_by_hash[second], base)),
        "half of it": ("UPDATE blob SET data = ? WHERE hash = ?", (blobs_by_hash[third][: HEAD + 10], third)),
        "itself": (
            "UPDATE blob SET data = ? WHERE hash = ?",
            (blobs_by_hash[third][:1] + third + blobs_by_hash[third][HEAD:], third),
        ),
    }[damage]
    connection.execute(*change)
    with pytest.raises(AlteredError, match=r"is missing|was changed"):
        Blobs(connection).text(third)


def test_a_small_content_that_expands_is_refused(connection: sqlite3.Connection) -> None:
    """The declared size of a frame is checked before memory is allocated, with and without a base."""
    blobs = Blobs(connection, most=100_000)
    base = blobs.put_text("a" * 1000)
    bomb = zstandard.ZstdCompressor(
        dict_data=zstandard.ZstdCompressionDict(b"a" * 1000, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    )
    content = b"\xd1" + base + bomb.compress(bytes(50_000_000))
    connection.execute("INSERT INTO blob VALUES (?, ?)", (hash_of(bytes(50_000_000)), content))
    with pytest.raises(Exception, match="has 50000000 bytes; the limit is 100000"):
        blobs.get(hash_of(bytes(50_000_000)))
