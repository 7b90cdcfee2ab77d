"""draws.js: the page makes the same draws as the program."""

from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Page

from stressweb.core.page_draws import Pair, draw, key_words
from stressweb.perturbations.page.fingerprint import FOLDER
from tests.perturbations.bundled import changed, exported
from tests.perturbations.drawn_keys import KEYS, PAIRS, units
from tests.support.twins import DRAWS, HASHES

CASES = st.lists(st.tuples(KEYS, PAIRS, st.integers(0, 10**9), st.integers(0, 64)), max_size=40)
DRAWN_BY_PAGE = f"""(cases) => {{
  const {{ keyWords, draw }} = ({exported("draws")})();
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
    """With the published vectors of the table that the test of stressweb.core.page_draws reads, too."""
    # The script returns the hash only under two seeds of its own, so the test exports the bare hash, too.
    script = (FOLDER / "draws.js").read_text("utf-8")
    hashed = changed("draws", {"draws": script.replace("keyWords: (key) =>", "murmur3, keyWords: (key) =>")})
    # The page hashes whole code units.
    vectors = [(content, seed, word) for content, seed, word in HASHES if len(content) % 2 == 0]
    cases = [[[*memoryview(content).cast("H")] if content else [], seed] for content, seed, _ in vectors]
    hashes = tab.evaluate(
        f"(cases) => cases.map(([units, seed]) => ({hashed})().murmur3(String.fromCharCode(...units), seed))", cases
    )
    assert hashes == [word for _, _, word in vectors]
    assert len(vectors) > 8


def test_draws_are_those_of_the_table_that_python_is_compared_with(tab: Page) -> None:
    cases = [[units(vector.key), vector.rule, vector.attempt, vector.lane] for vector in DRAWS]
    assert tab.evaluate(DRAWN_BY_PAGE, cases) == [[*vector.words, vector.drawn] for vector in DRAWS]


def test_no_script_of_the_page_can_replace_what_it_draws_with(own_tab: Page) -> None:
    overrides = "Math.imul = () => 1; String.prototype.charCodeAt = () => 1;"
    script = f"() => {{ const draws = ({exported('draws')})(); {overrides} return draws.keyWords('key'); }}"
    assert own_tab.evaluate(script) == [*key_words("key")]
