"""Format and size of recorded pictures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.log.pictures import SCALE, kind_of, window_of
from tests.support.jpegs import jpeg
from tests.support.small_reports import PIXEL


@given(st.integers(1, 60_000), st.integers(1, 60_000), st.binary(max_size=300), st.sampled_from([0xC0, 0xC1, 0xC2]))
def test_a_small_picture_shows_a_window_of_its_scale(width: int, height: int, before: bytes, frame: int) -> None:
    picture = jpeg(width, height, before, frame)
    assert kind_of(picture) == "jpeg"
    assert window_of(picture) == (width / SCALE, height / SCALE)


def test_a_png_has_a_pixel_for_each_of_the_window() -> None:
    assert (kind_of(PIXEL), window_of(PIXEL)) == ("png", (1, 1))


@given(st.sampled_from([b"", PIXEL[:8], PIXEL[:20], b"\xff\xd8\xff", jpeg(4, 4)[:12]]), st.binary(max_size=60))
def test_any_bytes_give_a_size_or_none(head: bytes, rest: bytes) -> None:
    window = window_of(head + rest)
    assert window is None or len(window) == 2


@pytest.mark.parametrize("picture", [b"", b"GIF89a", b"RIFF\x00\x00\x00\x00WEBPVP8 ", jpeg(4, 4)[:10], PIXEL[:20]])
def test_pictures_without_a_size_have_no_window(picture: bytes) -> None:
    assert window_of(picture) is None
