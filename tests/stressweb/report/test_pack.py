"""The data of a report: without duplicates, within limits, and reproducible."""

import base64
import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from stressweb.report.pack import Limits, Pack, Side, packed, source_of
from stressweb.report.side_files import NAME, SideFile, folder_name, name_of
from tests.support.small_reports import unpacked


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back_and_is_packed_the_same_every_time(text: str) -> None:
    assert unpacked(packed(text)) == text
    assert packed(text) == packed(text)


def test_no_letter_of_a_block_ends_a_script_element() -> None:
    assert not set(packed("</script><!--\ud800")) & set("<>&\"'")


def test_a_picture_is_kept_once() -> None:
    pack = Pack(Limits())
    assert pack.add_picture(b"one") == pack.add_picture(b"one") != pack.add_picture(b"two")
    assert sorted(map(base64.b64decode, pack.blocks.values())) == [b"one", b"two"]


def test_a_picture_without_room_is_counted_once_and_earlier_ones_stay() -> None:
    pack = Pack(Limits(pictures=8))
    first = pack.add_picture(b"123456")
    assert first
    assert pack.add_picture(b"654321") is None
    assert pack.add_picture(b"654321") is None
    assert pack.add_picture(b"123456") == first
    assert pack.pictures_left_out == 1


def test_pages_of_an_episode_are_in_as_a_whole_or_not_at_all() -> None:
    pages = ["<p>first\0</p>", "<p>second</p>"]
    room = len(packed("\0".join(pages)))
    pack = Pack(Limits(pages=room + 10))
    assert pack.add_pages("p1", pages)
    assert not pack.add_pages("p2", pages)
    assert pack.pages_left_out == 1
    assert list(pack.blocks) == ["p1"]
    assert unpacked(pack.blocks["p1"]).split("\0") == ["<p>first\N{REPLACEMENT CHARACTER}</p>", "<p>second</p>"]


def test_repeated_pages_cost_little() -> None:
    page = "".join(hashlib.sha256(str(n).encode()).hexdigest() for n in range(200))
    assert len(packed("\0".join([page] * 10))) < 1.3 * len(packed(page))


def test_a_script_source_is_the_hash_of_its_text() -> None:
    # `printf 'go()' | openssl dgst -sha256 -binary | base64` gives the same.
    assert source_of("go()") == f"'sha256-{base64.b64encode(hashlib.sha256(b'go()').digest()).decode()}'"
    assert source_of("go()") != source_of("go( )")


def payload(file: SideFile) -> dict[str, dict[str, str]]:
    """Return the object that a side file assigns in a browser."""
    assigned = file.text.removeprefix("document.currentScript.payload = ").removesuffix(";\n")
    contents: dict[str, dict[str, str]] = json.loads(assigned)
    return contents


def filled(room: int) -> tuple[Pack, dict[str, SideFile]]:
    """Return a pack of three episodes; the first and the last share picture and style sheet."""
    written_files: dict[str, SideFile] = {}
    pack = Pack(Limits(pages=0, pictures=0), Side("report", lambda file: written_files.update({file.name: file}), room))
    for number in (1, 2, 3):
        if number != 2:
            assert pack.add_picture(b"same")
            assert pack.add_sheet("h1 {}", str)
        assert pack.add_pages(f"p{number}", [f"<p>{number}</p>"])
        pack.add_text(f"d{number}", f"details {number}")
        pack.end_episode(number)
    return pack, written_files


def test_a_small_report_is_one_file_without_a_folder() -> None:
    pack, written_files = filled(room=10_000)
    assert (written_files, pack.files, pack.folder) == ({}, {}, "")
    assert {"d1", "d2", "d3", "p1", "p2", "p3"} < set(pack.blocks)
    assert sum(name.startswith("c") for name in pack.blocks) == 1


def test_a_large_report_has_a_file_per_episode_without_limits() -> None:
    # Room for the first episode only: it is written to a file when the second one comes.
    pack, written_files = filled(room=len(packed("details 1")) + len(packed("<p>1</p>")) + 100)
    assert pack.blocks == {}
    assert [*pack.files] == [1, 2, 3]
    assert len(written_files) == 3
    assert pack.pages_left_out == pack.pictures_left_out == 0
    for number, name in pack.files.items():
        assert NAME.fullmatch(name)
        assert name_of(written_files[name].text.encode()) == name
        assert unpacked(payload(written_files[name])["blocks"][f"d{number}"]) == f"details {number}"


def test_a_file_refers_to_the_file_of_shared_blocks() -> None:
    pack, written_files = filled(room=0)
    first, last = payload(written_files[pack.files[1]]), payload(written_files[pack.files[3]])
    assert first["elsewhere"] == {}
    shared = set(first["blocks"]) - {"d1", "p1"}
    assert last["elsewhere"] == dict.fromkeys(shared, pack.files[1])
    assert len(shared) == 2
    assert not shared & set(last["blocks"])


def test_the_name_of_a_folder_depends_on_its_contents() -> None:
    folder, folder_again = filled(room=0)[0].folder, filled(room=0)[0].folder
    assert folder == folder_again
    assert folder.startswith("report-")
    pack, _ = filled(room=0)
    pack.add_text("d4", "more")
    pack.end_episode(4)
    assert pack.folder != folder
    # The order of the files does not matter.
    assert folder_name("report", ["b.js", "a.js"]) == folder_name("report", ["a.js", "b.js"])
