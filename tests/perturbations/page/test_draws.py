"""draws.js: the page makes the same draws as the program."""

from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from stressweb.core.javascript import source
from stressweb.core.page_draws import Pair, draw, key_words
from stressweb.perturbations.page.parts import DRAWS
from tests.perturbations.page.drawn_keys import KEYS, PAIRS, units

CASES = st.lists(st.tuples(KEYS, PAIRS, st.integers(0, 10**9), st.integers(0, 64)), max_size=40)
DRAWN_BY_PAGE = f"""(cases) => {{
  const {{ keyWords, draw }} = ({source(DRAWS)})();
  return cases.map(([units, rule, attempt, lane]) => {{
    const key = keyWords(String.fromCharCode(...units));
    return [...key, draw(rule, key, attempt, lane)];
  }});
}}"""


@given(CASES)
def test_the_page_draws_as_the_program_does(tab: Page, cases: list[tuple[str, Pair, int, int]]) -> None:
    arguments = [[units(key), rule, attempt, lane] for key, rule, attempt, lane in cases]
    expected = [[*key_words(key), draw(rule, key_words(key), attempt, lane)] for key, rule, attempt, lane in cases]
    assert tab.evaluate(DRAWN_BY_PAGE, arguments) == expected


def test_the_pages_hash_is_the_published_one(tab: Page) -> None:
    """With the published vectors of whole code units; see the test of stressweb.core.page_draws."""
    # The script returns the hash only under two seeds of its own, so the test exports the bare hash, too.
    hashed = source(DRAWS).replace("keyWords: (key) =>", "murmur3, keyWords: (key) =>")
    cases = [
        ([], 0),
        ([], 1),
        ([], 0xFFFFFFFF),
        ([0xFFFF] * 2, 0),
        ([0x4321, 0x8765], 0),
        ([0x4321, 0x8765], 0x5082EDEE),
        ([0x4321], 0),
        ([0, 0], 0),
        ([0], 0),
        ([0x6161] * 2, 0x9747B28C),
    ]
    hashes = tab.evaluate(
        f"(cases) => cases.map(([units, seed]) => ({hashed})().murmur3(String.fromCharCode(...units), seed))", cases
    )
    assert hashes == [
        0,
        0x514E28B7,
        0x81F16F39,
        0x76293B50,
        0xF55B516B,
        0x2362F9DE,
        0xA0F7B07A,
        0x2362F9DE,
        0x30F4C306,
        0x5A97808A,
    ]


def test_no_script_of_the_page_can_replace_what_it_draws_with(own_tab: Page) -> None:
    spoilt = "Math.imul = () => 1; String.prototype.charCodeAt = () => 1;"
    script = f"() => {{ const draws = ({source(DRAWS)})(); {spoilt} return draws.keyWords('key'); }}"
    assert own_tab.evaluate(script) == [*key_words("key")]
