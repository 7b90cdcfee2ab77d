"""Draws that pages and the program compute identically and synchronously, with 32-bit words only.

Pages without a secure context have no `crypto.subtle`, and BLAKE2b in JavaScript is too slow for a whole page. So the
page gets a pair of words for each rule, hashes an element's key to another pair, and mixes both with the number of the
attempt. `perturbations/page/draws.js` computes the same numbers.

The hash is MurmurHash3_x86_32 by Austin Appleby (SMHasher, public domain). It is not cryptographic; it need not be,
because keys are the words of sites, which do not try to cause collisions.
"""

import struct
from typing import NamedTuple

from stressweb.core.draws import Seeds, digest

_WORD = 0xFFFFFFFF
# Two arbitrary seeds. They give 64 bits, which do not collide on a page of 10,000 elements.
_FIRST, _SECOND = 0x2545F491, 0x9E3779B9


class Pair(NamedTuple):
    """Two unsigned words of 32 bits."""

    first: int
    second: int


def rule_words(seeds: Seeds, rule: str) -> Pair:
    """Return the start words of a rule's draws in the pages of an episode.

    The pair is a BLAKE2b digest of seeds, task and rule, and contains no secret of the episode. A page that has it can
    compute the draws of this rule, but of no other. World and stress seeds are small numbers that can be guessed from
    it, but they are no secret: every report prints them.
    """
    # The prefix keeps the pair from revealing `Seeds.unit(rule)`, a draw of the program.
    return Pair(*struct.unpack(">II", digest("page draws", seeds.world, seeds.stress, seeds.task, rule, size=8)))


def key_words(key: str) -> Pair:
    """Return the hash of an element's key: MurmurHash3 of its UTF-16 code units under two seeds."""
    # UTF-16, as in JavaScript strings; pages may contain lone surrogates.
    data = key.encode("utf-16-le", "surrogatepass")
    return Pair(murmur3(data, _FIRST), murmur3(data, _SECOND))


def draw(rule: Pair, key: Pair, attempt: int = 0, lane: int = 0) -> float:
    """Return a draw, uniform on [0, 1) in steps of 2**-32.

    `attempt` counts from 0. A rule that needs several draws of one element and attempt numbers them by `lane`.
    """
    mixed = murmur3(struct.pack("<4I", *key, attempt, lane), rule.first)
    # Divided by 2**32, not by the largest word, so that a draw is below 1 and a rate of 1 always hits.
    return _finalize(mixed ^ rule.second) / (_WORD + 1)


def murmur3(data: bytes, seed: int) -> int:
    """Return the MurmurHash3_x86_32 of `data` under a seed, both unsigned words."""
    mixed, whole = seed, len(data) // 4 * 4
    for (word,) in struct.iter_unpack("<I", data[:whole]):
        mixed = _rotate(mixed ^ _scramble(word), 13) * 5 + 0xE6546B64 & _WORD
    # An absent tail scatters to 0 and changes nothing.
    mixed ^= _scramble(int.from_bytes(data[whole:], "little"))
    return _finalize(mixed ^ len(data))


def _scramble(word: int) -> int:
    return _rotate(word * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD


def _rotate(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _WORD


def _finalize(mixed: int) -> int:
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
    return mixed ^ mixed >> 16
