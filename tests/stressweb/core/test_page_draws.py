"""Draws in the page: published MurmurHash3, its uniformity, and secrecy of other draws."""

import struct
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stressweb.core.draws import Seeds
from stressweb.core.page_draws import Pair, draw, key_words, murmur3, rule_words
from tests.support.twins import DRAWS, HASHES, DrawVector

# The keys and seeds are fixed, so a test at this level always gives the same result.
LEVEL = 1e-3
RULES = [rule_words(Seeds(world, stress, "shop/x"), "failure") for world in range(6) for stress in range(10)]
KEYS = [
    key_words(f"shop /c/* {role} {verb} {name} /cart #{n}")
    for role in ("button", "link")
    for verb in ("Add", "Remove", "Save")
    for name in ("Blue lamp", "Blue lamps", "Chair", "Ämter 😀", "x" * 40)
    for n in range(1, 41)
]
SMHASHER = 0xB0F57EE3


@pytest.mark.parametrize(("content", "seed", "expected"), HASHES)
def test_the_hash_is_murmur3_as_published(content: bytes, seed: int, expected: int) -> None:
    assert murmur3(content, seed) == expected


@pytest.mark.parametrize("vector", DRAWS, ids=range(len(DRAWS)))
def test_draws_are_those_of_the_table_that_the_page_is_compared_with(vector: DrawVector) -> None:
    assert key_words(vector.key) == vector.words
    assert draw(vector.rule, vector.words, vector.attempt, vector.lane) == vector.drawn


def test_the_hash_passes_the_test_of_its_author() -> None:
    """SMHasher's VerificationTest: hashes of 0, 1, … 255 bytes under seeds 256, 255, … 1, hashed together."""
    hashes = [murmur3(bytes(range(size)), 256 - size) for size in range(256)]
    assert murmur3(struct.pack("<256I", *hashes), 0) == SMHASHER


@given(st.text(st.characters(codec=None)))
def test_a_key_is_hashed_as_utf_16(key: str) -> None:
    content = key.encode("utf-16-le", "surrogatepass")
    assert key_words(key) == (murmur3(content, 0x2545F491), murmur3(content, 0x9E3779B9))


def test_a_draw_is_murmur3_of_key_attempt_and_lane_under_the_rule() -> None:
    mixed = murmur3(struct.pack("<4I", 3, 4, 5, 6), 1)
    # The finaliser alone is the hash of no bytes.
    assert draw(Pair(1, 2), Pair(3, 4), 5, 6) == murmur3(b"", mixed ^ 2) / 2**32
    assert draw(Pair(1, 2), Pair(3, 4)) == draw(Pair(1, 2), Pair(3, 4), 0, 0)


@given(*[st.integers(0, 2**32 - 1)] * 6)
def test_a_draw_lies_in_the_unit_interval(
    first: int, second: int, third: int, fourth: int, attempt: int, lane: int
) -> None:
    assert 0 <= draw(Pair(first, second), Pair(third, fourth), attempt, lane) < 1


def drawn() -> np.ndarray:
    """Return first draws, by rule and key."""
    return np.array([[draw(rule, key) for key in KEYS] for rule in RULES])


def test_draws_are_uniform_over_seeds_and_keys() -> None:
    """For each seed, over the p-values of all seeds, and for all draws in 1024 bins."""
    table = drawn()
    each = [stats.kstest(row, "uniform").pvalue for row in table]
    assert stats.kstest(each, "uniform").pvalue > LEVEL
    assert stats.kstest(table.ravel(), "uniform").pvalue > LEVEL
    assert stats.chisquare(np.histogram(table, 1024, (0, 1))[0]).pvalue > LEVEL


def test_the_hits_of_a_key_over_seeds_are_binomial() -> None:
    hits = (drawn() < 0.35).sum(0)
    spread = ((hits - len(RULES) * 0.35) ** 2).sum() / (len(RULES) * 0.35 * 0.65)
    assert LEVEL < stats.chi2(len(KEYS)).cdf(spread) < 1 - LEVEL


def correlated(columns: np.ndarray) -> float:
    """Return the probability that unrelated columns are at least as correlated as these."""
    coefficients = np.corrcoef(columns)[np.triu_indices(len(columns), 1)]
    largest = np.abs(np.arctanh(coefficients)).max() * np.sqrt(columns.shape[1] - 3)
    return float(1 - (1 - 2 * stats.norm.sf(largest)) ** len(coefficients))


def test_draws_of_one_key_are_independent_of_each_other() -> None:
    """By attempt, by lane, by rule and by seed."""
    rules = [rule_words(Seeds(0, 1, "shop/x"), rule) for rule in ("a", "b", "c", "aa", "ab", "")]
    assert correlated(np.array([[draw(rules[0], key, n) for key in KEYS] for n in range(12)])) > LEVEL
    assert correlated(np.array([[draw(rules[0], key, 0, n) for key in KEYS] for n in range(12)])) > LEVEL
    assert correlated(np.array([[draw(rule, key) for key in KEYS] for rule in rules])) > LEVEL
    assert correlated(drawn()) > LEVEL


def test_keys_that_differ_in_one_letter_draw_independently() -> None:
    texts = [(f"shop /c/* button Add {n} /cart #1", f"shop /c/* button Add {n} /cart #2") for n in range(3000)]
    first_draws, second_draws = ([draw(RULES[1], key_words(pair[index])) for pair in texts] for index in (0, 1))
    assert correlated(np.array([first_draws, second_draws])) > LEVEL
    joint = np.histogram2d(first_draws, second_draws, 8, [[0, 1], [0, 1]])[0]
    assert stats.chisquare(joint.ravel()).pvalue > LEVEL


def test_attempts_until_one_passes_are_geometric() -> None:
    """For an agent that retries at a failure rate of 0.35."""
    waits = [next(n for n in range(200) if draw(RULES[2], key, n) >= 0.35) for key in KEYS]
    expected = np.array([0.65 * 0.35**n for n in range(5)] + [0.35**5]) * len(KEYS)
    assert stats.chisquare(np.bincount(np.minimum(waits, 5), minlength=6), expected).pvalue > LEVEL


def test_every_bit_of_a_key_flips_half_of_the_bits_of_a_draw() -> None:
    flips = np.zeros(64)
    for key in KEYS[:400]:
        plain = int(draw(Pair(5, 7), key) * 2**32)
        for bit in range(64):
            flipped = Pair(key.first ^ (1 << bit & 0xFFFFFFFF), key.second ^ (1 << bit >> 32))
            flips[bit] += (plain ^ int(draw(Pair(5, 7), flipped) * 2**32)).bit_count() / 32
    assert np.all(abs(flips / 400 - 0.5) < 0.03), flips / 400


def test_no_two_of_many_keys_have_the_same_words() -> None:
    texts = [f"shop /c/* button Add {n} /cart #{m}" for n in range(4000) for m in range(1, 6)]
    words = [key_words(text) for text in texts]
    assert len(set(words)) == len(texts)
    # Single words collide for one pair in 2**32, like any hash.
    same = sum(len(texts) - len({word[index] for word in words}) for index in (0, 1))
    assert stats.poisson.sf(same - 1, 2 * len(texts) ** 2 / 2**33) > LEVEL


def test_the_words_of_a_rule_are_unique() -> None:
    """They depend on world seed, stress seed, task and rule."""
    about = [(0, 0, "a", "b"), (1, 0, "a", "b"), (0, 1, "a", "b"), (0, 0, "ab", ""), (0, 0, "", "ab"), (0, 0, "a", "c")]
    words = [rule_words(Seeds(world, stress, task), rule) for world, stress, task, rule in about]
    assert all(first != second for first, second in combinations(words, 2))
    # `printf '10:page draws1:01:06:shop/x7:failure' | b2sum -l 64` gives the same.
    assert rule_words(Seeds(0, 0, "shop/x"), "failure") == (0xE2A4FBC5, 0x367F1E69)


def test_the_words_of_a_rule_are_independent_of_other_rules_and_of_python_draws() -> None:
    """Over many seeds the words of two rules, and the draws in Python for the same rule, are unrelated."""
    episodes = [Seeds(n % 40, n // 40, "shop/x") for n in range(1600)]
    words = np.array([[*rule_words(seeds, "remap"), *rule_words(seeds, "failure")] for seeds in episodes], float).T
    programs = np.array([[seeds.unit("failure") for seeds in episodes], [seeds.unit("remap") for seeds in episodes]])
    assert correlated(np.vstack([words, programs])) > LEVEL
    bits = np.array([[int(word) >> n & 1 for n in (0, 15, 31)] for word in words.ravel()]).reshape(4, -1, 3)
    joint = np.histogram2d(bits[0].dot([1, 2, 4]), bits[2].dot([1, 2, 4]), 8)[0]
    assert stats.chisquare(joint.ravel()).pvalue > LEVEL
