"""Data of a report: once, within limits, and the same every time."""

import base64
import gzip
import hashlib

from hypothesis import given
from hypothesis import strategies as st

from stressweb.report.pack import Limits, Pack, packed, source_of


def unpacked(block: str) -> str:
    return gzip.decompress(base64.b64decode(block)).decode()


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back_and_is_packed_the_same_every_time(text: str) -> None:
    assert unpacked(packed(text)) == text
    assert packed(text) == packed(text)


def test_no_letter_of_a_block_ends_a_script_element() -> None:
    assert not set(packed("</script><!--\ud800")) & set("<>&\"'")


def test_a_picture_is_kept_once() -> None:
    pack = Pack(Limits())
    assert pack.picture(b"one") == pack.picture(b"one") != pack.picture(b"two")
    assert sorted(map(base64.b64decode, pack.blocks.values())) == [b"one", b"two"]


def test_what_finds_no_room_is_counted_once_and_what_was_there_stays() -> None:
    pack = Pack(Limits(pictures=8))
    first = pack.picture(b"123456")
    assert first
    assert pack.picture(b"654321") is None
    assert pack.picture(b"654321") is None
    assert pack.picture(b"123456") == first
    assert pack.pictures_left_out == 1


def test_pages_of_an_episode_are_in_as_a_whole_or_not_at_all() -> None:
    pages = ["<p>first\0</p>", "<p>second</p>"]
    room = len(packed("\0".join(pages)))
    pack = Pack(Limits(pages=room + 10))
    assert pack.pages("p1", pages)
    assert not pack.pages("p2", pages)
    assert pack.pages_left_out == 1
    assert list(pack.blocks) == ["p1"]
    assert unpacked(pack.blocks["p1"]).split("\0") == ["<p>first\N{REPLACEMENT CHARACTER}</p>", "<p>second</p>"]


def test_repeated_pages_cost_little() -> None:
    page = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(200))
    assert len(packed("\0".join([page] * 10))) < 1.3 * len(packed(page))


def test_a_script_is_named_by_what_it_says() -> None:
    # As `printf 'go()' | openssl dgst -sha256 -binary | base64` has it.
    assert source_of("go()") == f"'sha256-{base64.b64encode(hashlib.sha256(b'go()').digest()).decode()}'"
    assert source_of("go()") != source_of("go( )")
