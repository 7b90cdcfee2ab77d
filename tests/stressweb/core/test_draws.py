"""Keyed draws: the hash, its independence and its uniformity."""

from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stressweb.core.draws import Keyed, Seeds, digest, pick, unit, units

PARTS = st.lists(st.one_of(st.text(), st.integers()), max_size=4)


def test_digest_is_blake2b_of_prefixed_parts() -> None:
    """`printf 2:ab1:7 | b2sum` gives the same, so any language can repeat the draws from the seeds."""
    assert digest("ab", 7).hex().startswith("f6e166f2b258a6b2011975cfa3b27a54b32b34cd421c0f29a87a5e952b988c67")
    assert digest("abc").hex().startswith("779f5fa9e2813e7a902e074574d625bfa4a862160170115cceaf258f383ba7a6")
    assert len(digest("abc")) == 64
    assert digest("abc", size=8) != digest("abc")[:8], "the size is part of what is hashed"


def test_a_draw_is_the_first_53_bits_of_its_digest() -> None:
    assert units(bytes(8)) == (0.0,)
    assert units(bytes.fromhex("8000000000000000")) == (0.5,)
    assert units(b"\xff" * 8 + b"\x40" + bytes(7) + b"rest") == (1 - 2**-53, 0.25)


@given(PARTS, PARTS)
def test_two_lists_never_collide(first: list[str | int], second: list[str | int]) -> None:
    same = [str(part) for part in first] == [str(part) for part in second]
    assert (digest(*first) == digest(*second)) == same


@given(PARTS)
def test_draws_lie_in_the_unit_interval(parts: list[str | int]) -> None:
    assert all(0 <= draw < 1 for draw in units(digest(*parts)))
    assert len(units(digest(*parts))) == 8


@given(PARTS, PARTS, st.integers(0, 40))
def test_draws_of_a_common_beginning_are_those_of_the_whole_key(
    first: list[str | int], rest: list[str | int], count: int
) -> None:
    keyed, key = Keyed(*first), (*first, *rest)
    assert keyed.unit(*rest) == unit(*key)
    assert keyed.order(count, *rest) == sorted(range(count), key=lambda number: unit(*key, number))
    choices = [f"choice {number}" for number in range(count)]
    assert keyed.shuffled(choices, *rest) == [choices[number] for number in keyed.order(count, *rest)]
    if choices:
        assert keyed.pick(choices, *rest) == pick(choices, *key)
    assert keyed.unit(*rest) == unit(*key), "a draw leaves no trace"


def test_draws_are_uniform() -> None:
    assert stats.kstest([unit("uniform", number) for number in range(5000)], "uniform").pvalue > 0.001


def test_a_draw_depends_on_seeds_task_rule_and_element_alone() -> None:
    seeds = Seeds(1, 2, "shop/x")
    first = seeds.drawer("remap")("link 'Home' #1")
    assert first == Seeds(1, 2, "shop/x").drawer("remap")("link 'Home' #1")
    others = [Seeds(0, 2, "shop/x"), Seeds(1, 0, "shop/x"), Seeds(1, 2, "shop/y")]
    assert first not in [other_seeds.drawer("remap")("link 'Home' #1") for other_seeds in others]
    assert first != seeds.drawer("failure")("link 'Home' #1")
    assert seeds.unit("a", 1) != seeds.unit("a", 2)


def test_pick_takes_every_choice() -> None:
    assert {pick("abc", "choice", number) for number in range(50)} == set("abc")
