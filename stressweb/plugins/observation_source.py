"""Sources of observations: each has a name, a reader and a renderer. Also the values that they return."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from stressweb.core.bounded_json import json_in
from stressweb.core.words import paragraphs

if TYPE_CHECKING:
    from playwright.async_api import Page

READ_S = 10.0
"""Seconds that a source may take for one read; after that the agent that asked for it has failed."""
MOST_BYTES = 4_000_000
"""Largest size, as recorded, of all values of one page together."""


class ObservationSource(ABC):
    """Something that an agent can be shown of every page: `read` takes it off the page, `render` writes it as text.

    An agent asks for a source by its name in `wants` and finds the value in `observation.sources[name]`. The first line
    of the docstring is what `stressweb list observations` shows. One instance serves one episode; it is made without
    arguments, and its `read` is called for each page that the agent is shown, in order; again if the page is replaced
    meanwhile.

    A source belongs to the agent that asks for it. If its constructor or `read` raises an exception, if `read` takes
    longer than 10 seconds or returns what cannot be recorded, the episode ends as "crashed", a failure of the agent. If
    the browser died, the episode is an infrastructure error instead, excluded from all rates.
    """

    name: ClassVar[str]
    """What agents call it: letters, digits, `.`, `_` and `-`."""
    shows: ClassVar[str] = ""
    """How the prompt names the value, such as "its links, one a line". If empty, the prompt uses the name and the first
    line of the docstring. It must not depend on anything that happens in a run: every condition gets the same words."""

    @abstractmethod
    async def read(self, page: "Page") -> Any:
        """Return the value for a page: text, bytes, or JSON values.

        `page` is the live page of Playwright's asynchronous API, settled and already read by the recorder; lengths that
        it gives are in CSS pixels, and times in milliseconds. JSON means None, bool, int, finite float, str, list and
        dict with str as keys, at most 32 levels deep. What all sources of one page return may take 4 MB together.

        A reader must only read: no click, no navigation, no script that changes the document, no waiting for something
        that the page may never do. Otherwise the agent would work on different pages in different conditions, and the
        comparison would be invalid.
        """

    @abstractmethod
    def render(self, value: Any) -> str:
        """Return a value that `read` gave as the text that a language model is shown; it depends on nothing else.

        It is called on a separate instance, in the thread of the agent. An exception, or anything but a text, ends the
        episode as "crashed".
        """

    @classmethod
    def words(cls) -> str:
        """Return how the prompt names the value: `shows`, else the name and the first line of the docstring."""
        return cls.shows or f"its {cls.name} ({paragraphs(cls)[0].rstrip('.')})"


class SourceValues(Mapping[str, Any]):
    """What sources read of one page, by name. Nothing that is done to a value changes the recording.

    Values are kept as they are recorded, as bytes, and made anew whenever one is looked up.
    """

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        """Take values by name; raises TypeError or ValueError for what cannot be recorded, or is too large."""
        self._packed = {name: pack(value) for name, value in (values or {}).items()}
        self._check_size()

    @classmethod
    def of_packed(cls, packed: Mapping[str, bytes]) -> Self:
        """Take values as `packed` gave them; raises ValueError for what it would not give."""
        # Not by the constructor, which would pack the values again.
        source_values = cls()
        source_values._packed = dict(packed)
        source_values._check_size()
        # Checked now and not on access: an unreadable recording must be rejected as a whole.
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
        """Return how many sources there are."""
        return len(self._packed)

    def __eq__(self, other: object) -> bool:
        """Whether the values are equal, the order of keys included; a plain mapping is compared by its values alone."""
        if isinstance(other, SourceValues):
            # Bytes and not values: 1, 1.0 and True are equal in Python and different in a recording.
            return self._packed == other._packed
        return dict(self) == other if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        """Return a hash that equal objects share."""
        return hash(frozenset(self._packed.items()))

    def __repr__(self) -> str:
        """Return the names."""
        return f"SourceValues({', '.join(self._packed)})"


NOTHING_READ = SourceValues()
"""Values of no source; one object is enough because it never changes."""


def pack(value: Any) -> bytes:
    """Return a value as bytes with its type: text, bytes or JSON; raises TypeError or ValueError for others."""
    # The first letter is the type; the text "1" and the number 1 would otherwise be the same bytes.
    if isinstance(value, str):
        return b"t" + value.encode()
    if isinstance(value, bytes):
        return b"b" + value
    try:
        # NaN is not JSON, though Python writes it: other programs could not read the recording.
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None
    # A tuple would come back as a list, and a numeric key as a text: the recording would differ from what was shown.
    if json_in(text) != value:
        raise TypeError("the value is another one in JSON: it needs lists instead of tuples, and texts as keys")
    return b"j" + text.encode()


def unpack(data: bytes) -> Any:
    """Return the value from `pack`; raises ValueError for other bytes."""
    kind, rest = data[:1], data[1:]
    if kind == b"b":
        return rest
    if kind == b"t":
        return rest.decode()
    if kind == b"j":
        return json_in(rest)
    raise ValueError("it is neither text, nor bytes, nor JSON")
