"""Observation sources, each with a name, a reader and a renderer, and the values that they return."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from stressweb.core.bounded_json import json_in
from stressweb.core.words import paragraphs

if TYPE_CHECKING:
    from playwright.async_api import Page

READ_S = 10.0
"""Time limit of a source for one read, in seconds; exceeding it counts as a failure of the agent."""
MOST_BYTES = 4_000_000
"""Largest recorded size of all values of one page together, in bytes."""


class ObservationSource(ABC):
    """The base of observation sources: `read` returns a value for a page, and `render` turns the value into text.

    An agent lists the source's name in `wants` and gets the value in `observation.sources[name]`. `stressweb list
    observations` shows the first line of the docstring. One instance serves one episode. It is created without
    arguments; `read` is called for each page that the agent sees, in order, and again if the page is replaced
    meanwhile.

    A source counts as a part of the agent. If its constructor or `read` raises an exception, or if `read` takes longer
    than 10 seconds or returns an unrecordable value, the episode ends as "crashed", a failure of the agent. If the
    browser died, the episode is an infrastructure error instead, excluded from all rates.
    """

    name: ClassVar[str]
    """Its name in `wants`: letters, digits, `.`, `_` and `-`."""
    shows: ClassVar[str] = ""
    """Description of the value in the prompt, such as "its links, one a line". If empty, the prompt uses the name and
    the first line of the docstring. It must be constant, so that every condition has the same prompt."""

    @abstractmethod
    async def read(self, page: "Page") -> Any:
        """Return the value for a page: text, bytes, or JSON values.

        `page` is the live page of Playwright's asynchronous API, settled and already read by the recorder; its lengths
        are in CSS pixels, its times in milliseconds. JSON means None, bool, int, finite float, str, list and dict with
        str as keys, at most 32 levels deep. The values of all sources of a page may take up to 4 MB together.

        Only read: no click, no navigation, no script that changes the document, no waiting for something that may never
        happen. Otherwise the agent would work on different pages in different conditions, and the comparison would be
        invalid.
        """

    @abstractmethod
    def render(self, value: Any) -> str:
        """Return a value of `read` as text for a language model. The text must depend on nothing else.

        Called on a separate instance, in the agent's thread. An exception, or a return value other than str, ends the
        episode as "crashed".
        """

    @classmethod
    def words(cls) -> str:
        """Return the description in the prompt: `shows`, or the name and the first line of the docstring."""
        return cls.shows or f"its {cls.name} ({paragraphs(cls)[0].rstrip('.')})"


class SourceValues(Mapping[str, Any]):
    """The values of sources for one page, by name. Changing a value does not change the recording.

    Values are stored as bytes, as in the recording; each access returns a new copy.
    """

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        """Take values by name; raises TypeError or ValueError for unrecordable or too large values."""
        self._packed = {name: pack(value) for name, value in (values or {}).items()}
        self._check_size()

    @classmethod
    def of_packed(cls, packed: Mapping[str, bytes]) -> Self:
        """Return the values from `packed`; raises ValueError for invalid bytes."""
        # Without the constructor's argument, which would be packed again.
        source_values = cls()
        source_values._packed = dict(packed)
        source_values._check_size()
        # Unpack all now, so that an invalid recording is rejected as a whole.
        dict(source_values)
        return source_values

    def _check_size(self) -> None:
        size = sum(map(len, self._packed.values()))
        if size > MOST_BYTES:
            raise ValueError(f"{size} bytes were read of one page; the limit for all sources is {MOST_BYTES}")

    @property
    def packed(self) -> Mapping[str, bytes]:
        """The values as bytes, by name, as they are recorded."""
        return dict(self._packed)

    def __getitem__(self, name: str) -> Any:
        """Return a new copy of a value."""
        # A new object, so that changes by the agent do not affect the recording.
        return unpack(self._packed[name])

    def __iter__(self) -> Iterator[str]:
        """Return the names."""
        return iter(self._packed)

    def __len__(self) -> int:
        """Return the number of sources."""
        return len(self._packed)

    def __eq__(self, other: object) -> bool:
        """Whether the values are equal, the order of keys included; a plain mapping is compared as a dict."""
        if isinstance(other, SourceValues):
            # Compares bytes, because 1, 1.0 and True are equal in Python but different in a recording.
            return self._packed == other._packed
        return dict(self) == other if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash that equal objects share."""
        return hash(frozenset(self._packed.items()))

    def __repr__(self) -> str:
        """Return the names."""
        return f"SourceValues({', '.join(self._packed)})"


NOTHING_READ = SourceValues()
"""No values; one object suffices, because it never changes."""


def pack(value: Any) -> bytes:
    """Return a value as bytes with its type: text, bytes or JSON; raises TypeError or ValueError for others."""
    # The first letter is the type, because the text "1" and the number 1 would be the same bytes.
    if isinstance(value, str):
        return b"t" + value.encode()
    if isinstance(value, bytes):
        return b"b" + value
    try:
        # Python writes NaN, which is not JSON and other programs cannot read.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    # A tuple would become a list, and a numeric key a text, so the recording would differ from the observation.
    if json_in(text) != value:
        raise TypeError("the value changes in JSON; use lists instead of tuples, and texts as keys")
    return b"j" + text.encode()


def unpack(data: bytes) -> Any:
    """Return the value from `pack`; raises ValueError for other bytes."""
    kind, content = data[:1], data[1:]
    if kind == b"b":
        return content
    if kind == b"t":
        return content.decode()
    if kind == b"j":
        return json_in(content)
    raise ValueError("it is neither text, nor bytes, nor JSON")
