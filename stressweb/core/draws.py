"""Keyed random draws: every choice is a function of what it is about, never of when it is made."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

type Part = str | int

_UNIT = float(1 << 53)


def digest(*parts: Part, size: int = 64) -> bytes:
    """Return the BLAKE2b digest of `parts`, each prefixed by its length so that no two lists collide.

    `size` is the length of the digest in bytes, 1 to 64.
    """
    state = hashlib.blake2b(digest_size=size)
    for part in parts:
        data = str(part).encode()
        # Without lengths ("ab", "c") and ("a", "bc") would share all their draws.
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.digest()


def units(data: bytes) -> tuple[float, ...]:
    """Split a digest into draws, uniform on [0, 1), one for each whole 8 bytes."""
    # 53 of the 64 bits are what a float holds exactly; with more, a draw could round up to 1.
    return tuple((int.from_bytes(data[at : at + 8]) >> 11) / _UNIT for at in range(0, len(data) - 7, 8))


def unit(*parts: Part) -> float:
    """Return one draw, uniform on [0, 1)."""
    return units(digest(*parts, size=8))[0]


def pick[T](choices: Iterable[T], *parts: Part) -> T:
    """Return the choice that the draw falls on; raises IndexError if there is none."""
    options = list(choices)
    # The draw is below 1, so the index never reaches the end.
    return options[int(unit(*parts) * len(options))]


@dataclass(frozen=True)
class Seeds:
    """What a draw of an episode may depend on: never agent, condition, severity, worker or clock."""

    world: int
    stress: int
    task: str

    def unit(self, rule: str, *about: Part) -> float:
        """Return the draw of `rule` about an element, an attempt or both."""
        return unit(self.world, self.stress, self.task, rule, *about)

    def drawer(self, rule: str) -> Callable[[str], bytes]:
        """Return a function from an element's key to 64 bytes: eight draws of `rule` at the price of one."""
        # What all elements have in common is hashed once; a page has a thousand of them.
        start = hashlib.blake2b(digest(self.world, self.stress, self.task, rule))

        def draw(about: str) -> bytes:
            state = start.copy()
            state.update(about.encode())
            return state.digest()

        return draw
