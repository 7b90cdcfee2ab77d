"""Keyed random draws: every choice depends only on its key, never on the time or order of drawing."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

type Part = str | int

_UNIT = float(1 << 53)


def digest(*parts: Part, size: int = 64) -> bytes:
    """Return the BLAKE2b digest of `parts`, each prefixed by its length so that different lists do not collide.

    `size` is the length of the digest in bytes, 1 to 64.
    """
    return hashlib.blake2b(_joined(parts), digest_size=size).digest()


def _joined(parts: Iterable[Part]) -> bytes:
    # Without lengths, ("ab", "c") and ("a", "bc") would share all their draws.
    return b"".join([b"%d:%b" % (len(data), data) for data in [str(part).encode() for part in parts]])


def units(data: bytes) -> tuple[float, ...]:
    """Split a digest into draws, uniform on [0, 1), one for each whole 8 bytes."""
    # 53 of the 64 bits fit exactly into a float; with more, a draw could round up to 1.
    return tuple((int.from_bytes(data[start : start + 8]) >> 11) / _UNIT for start in range(0, len(data) - 7, 8))


def unit(*parts: Part) -> float:
    """Return one draw, uniform on [0, 1)."""
    return units(digest(*parts, size=8))[0]


def pick[T](choices: Iterable[T], *parts: Part) -> T:
    """Return the choice for a draw; raises IndexError without choices."""
    options = list(choices)
    # The draw is below 1, so the index never reaches the end.
    return options[int(unit(*parts) * len(options))]


class Keyed:
    """Draws with keys that share their first parts, which are hashed once."""

    def __init__(self, *parts: Part) -> None:
        """Take the common first parts of the keys."""
        self._state = hashlib.blake2b(_joined(parts), digest_size=8)

    def unit(self, *parts: Part) -> float:
        """Return the draw for the whole key, as `unit` does."""
        state = self._state.copy()
        state.update(_joined(parts))
        return (int.from_bytes(state.digest()) >> 11) / _UNIT

    def pick[T](self, choices: Sequence[T], *parts: Part) -> T:
        """Return the choice for a draw, as `pick` does."""
        return choices[int(self.unit(*parts) * len(choices))]

    def order(self, count: int, *parts: Part) -> list[int]:
        """Return the numbers below `count` sorted by their draws; the number is the last part of each key."""
        start = self._state.copy()
        start.update(_joined(parts))
        draws = []
        for number in range(count):
            state = start.copy()
            state.update(_number(number))
            draws.append(int.from_bytes(state.digest()) >> 11)
        return sorted(range(count), key=draws.__getitem__)

    def shuffled[T](self, choices: Sequence[T], *parts: Part) -> list[T]:
        """Return all choices in the order of their draws."""
        return [choices[index] for index in self.order(len(choices), *parts)]


@cache
def _number(number: int) -> bytes:
    return _joined((number,))


@dataclass(frozen=True)
class Seeds:
    """The seeds of an episode's draws. Draws depend on no agent, condition, severity, worker or clock."""

    world: int
    stress: int
    task: str

    def unit(self, rule: str, *about: Part) -> float:
        """Return the draw of `rule` for an element, an attempt or both."""
        return unit(self.world, self.stress, self.task, rule, *about)

    def drawer(self, rule: str) -> Callable[[str], bytes]:
        """Return a function from an element's key to 64 bytes, which are eight draws of `rule`."""
        # The common parts are hashed once, because a page may have a thousand elements.
        start = hashlib.blake2b(digest(self.world, self.stress, self.task, rule))

        def draw(about: str) -> bytes:
            state = start.copy()
            state.update(about.encode())
            return state.digest()

        return draw
