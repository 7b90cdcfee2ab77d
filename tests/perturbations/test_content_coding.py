"""Content codings decoded piece by piece: the output is that of the whole body, and damage ends it."""

import gzip
from itertools import pairwise

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from stressweb.perturbations.content_coding import CODINGS, SLICE, Decoder, codings_of
from tests.perturbations.coding import ENCODERS, NOISE, bare


def decoded(data: bytes, *codings: str) -> tuple[bytes, bool]:
    decoder = Decoder(codings)
    return b"".join(decoder.feed(data)), decoder.damaged


def test_every_coding_is_tried() -> None:
    assert set(ENCODERS) == set(CODINGS)


@given(
    data=st.binary(max_size=60).map(lambda some_bytes: some_bytes * 300),
    codings=st.lists(st.sampled_from([*ENCODERS, "bare"]), max_size=3),
    cuts=st.data(),
)
def test_the_size_of_the_pieces_is_of_no_account(data: bytes, codings: list[str], cuts: st.DataObject) -> None:
    body = data
    for coding in codings:
        body = bare(body) if coding == "bare" else ENCODERS[coding](body)
    places = cuts.draw(st.lists(st.integers(0, len(body)), max_size=8).map(sorted))
    decoder = Decoder(["deflate" if coding == "bare" else coding for coding in codings])
    pieces = [piece for start, end in pairwise([0, *places, len(body)]) for piece in decoder.feed(body[start:end])]
    assert (b"".join(pieces), decoder.damaged) == (data, False)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_what_follows_the_coded_data_is_dropped(coding: str) -> None:
    body = ENCODERS[coding](b"one")
    decoder = Decoder([coding])
    assert b"".join([*decoder.feed(body), *decoder.feed(b"garbage"), *decoder.feed(body)]) == b"one"
    assert not decoder.damaged


def test_zstd_bodies_may_be_several_frames() -> None:
    assert decoded(zstandard.compress(b"one") + zstandard.compress(b"two"), "zstd") == (b"onetwo", False)


@pytest.mark.parametrize("coding", ENCODERS)
def test_what_came_of_a_body_that_breaks_off_is_kept(coding: str) -> None:
    body = ENCODERS[coding](NOISE)
    got, damaged = decoded(body[: len(body) // 2], coding)
    assert NOISE.startswith(got)
    assert not damaged
    # Brotli and zstd output nothing of a block before its end.
    assert len(got) > 8 * SLICE or coding in ("br", "zstd")


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_what_stands_before_damage_is_kept_and_ends_the_body(coding: str) -> None:
    body = ENCODERS[coding](NOISE)
    decoder = Decoder([coding])
    got = b"".join(decoder.feed(body[: len(body) // 2] + b"\xff" * 300_000))
    assert decoder.damaged
    assert got[: 8 * SLICE] == NOISE[: 8 * SLICE]
    assert b"".join(decoder.feed(body)) == b""


@pytest.mark.parametrize("coding", ENCODERS)
def test_what_is_not_coded_at_all_is_damage(coding: str) -> None:
    assert decoded(b"<p>no coded data at all" * 99, coding) == (b"", True)


def test_a_body_that_grows_a_thousandfold_comes_in_pieces() -> None:
    body = gzip.compress(b"\0" * 50_000_000)
    sizes = [len(piece) for piece in Decoder(["gzip"]).feed(body)]
    assert sum(sizes) == 50_000_000
    # DEFLATE expands a byte to at most 1,032 bytes.
    assert max(sizes) <= 1_032 * SLICE


@pytest.mark.parametrize(
    ("header", "codings"),
    [
        ("", []),
        ("identity", []),
        (" GZIP ", ["gzip"]),
        ("gzip, br", ["gzip", "br"]),
        ("gzip,,identity", ["gzip"]),
        ("foo", None),
        ("gzip, compress", None),
    ],
)
def test_a_header_is_read_as_browsers_read_it(header: str, codings: list[str] | None) -> None:
    assert codings_of(header) == codings
