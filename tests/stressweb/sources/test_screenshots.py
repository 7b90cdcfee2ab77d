"""Pictures of a page."""

import pytest

from scripts.waited import still
from stressweb.sources.screenshots import distinct


@pytest.mark.parametrize(("taken", "kept"), [(b"aa", b"a"), (b"abb", b"b"), (b"abcdee", b"e"), (b"abcdefgh", b"e")])
def test_a_picture_is_taken_until_it_stands_still(taken: bytes, kept: bytes) -> None:
    class Changing:
        pictures = list(taken) + [taken[-1]] * 9

        async def screenshot(self) -> bytes:
            return bytes([self.pictures.pop(0)])

    assert still(Changing()) == kept  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("taken", "kept"),
    [([b"a"], [b"a"]), ([b"a", b"b", b"a", b"c", b"d"], [b"a", b"b", b"c"]), ([b"a", b"a", b"b"], [b"a", b"b"])],
)
def test_distinct(taken: list[bytes], kept: list[bytes]) -> None:
    assert distinct(tuple(taken)) == tuple(kept)
