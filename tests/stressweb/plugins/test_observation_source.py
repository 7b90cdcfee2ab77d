"""Values of observation sources: recorded unchanged, or refused."""

import copy
import math
import pickle
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressweb.plugins.observation_source import MOST_BYTES, ObservationSource, SourceValues, pack, unpack

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def typed(value: Any) -> Any:
    """Return a value with the types of all its parts, as True == 1 == 1.0."""
    if isinstance(value, dict):
        return [(key, typed(part)) for key, part in value.items()]
    return [typed(part) for part in value] if isinstance(value, list) else (type(value), value)


@given(st.dictionaries(TEXTS, st.binary() | TEXTS | JSON, max_size=4))
def test_values_come_back_as_they_were(values: dict[str, Any]) -> None:
    read = SourceValues(values)
    assert typed(dict(read)) == typed(values)
    again = SourceValues.of_packed(read.packed)
    assert again == read
    assert hash(again) == hash(read)
    assert copy.deepcopy(read) == read
    assert pickle.loads(pickle.dumps(read)) == read
    assert read == values


def test_different_values_are_not_equal() -> None:
    assert SourceValues({"a": 1}) != SourceValues({"a": 1.0})
    assert SourceValues({"a": "x"}) != SourceValues({"a": b"x"})
    assert SourceValues({"a": "[]"}) != SourceValues({"a": []})
    assert SourceValues({"a": 1}) != {"a": 2}
    assert SourceValues() != 0


@pytest.mark.parametrize(
    "value",
    [
        (1, 2), [(1,)], {1: "one"}, {None: 0}, {"deep": {2: 3}}, math.nan, [math.inf], {"a", "b"}, object(), bytearray(b"x"),
        "half a pair \ud800", ["\udfff"], 10**5000,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_values_that_cannot_be_recorded_unchanged_are_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        pack(value)


def test_deep_nesting_is_refused() -> None:
    value: list[Any] = []
    for _ in range(30):
        value = [value]
    assert unpack(pack(value)) == value
    for depth in (5, 50_000):
        for _ in range(depth):
            value = [value]
        with pytest.raises(ValueError, match="nested"):
            pack(value)


@pytest.mark.parametrize("content", [b"", b"x", b"t\xff", b"j{", b"jNaN]", b"j" + b"[" * 99 + b"]" * 99])
def test_malformed_packed_values_are_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        SourceValues.of_packed({"links": content})


def test_all_sources_of_a_page_share_one_limit() -> None:
    half_text = "x" * (MOST_BYTES // 2 - 1)
    assert len(SourceValues({"a": half_text, "b": half_text})) == 2
    for making in (SourceValues, lambda values: SourceValues.of_packed({n: pack(v) for n, v in values.items()})):
        with pytest.raises(
            ValueError, match=f"{MOST_BYTES + 1} bytes were read of one page; the limit .* {MOST_BYTES}$"
        ):
            making({"a": half_text, "b": f"{half_text}x"})


def test_values_are_copied() -> None:
    table = {"rows": [1, 2]}
    read = SourceValues({"table": table})
    table["rows"].append(3)
    read["table"]["rows"].clear()
    assert read["table"] == {"rows": [1, 2]}
    with pytest.raises(TypeError):
        read["table"] = 1  # type: ignore[index]
    read.packed.clear()  # type: ignore[attr-defined]
    assert list(read) == ["table"]


def test_the_description_of_a_source_for_a_model() -> None:
    class Plain(ObservationSource):
        """The links of a page.

        And more.
        """

        name: ClassVar[str] = "links"

        async def read(self, page: object) -> str:
            return ""

        def render(self, value: str) -> str:
            return value

    class Said(Plain):
        shows = "its links, one a line"

    assert Plain.words() == "its links (The links of a page)"
    assert Said.words() == "its links, one a line"
