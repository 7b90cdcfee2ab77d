"""Keys and pairs that Hypothesis draws for the twins of the draws."""

from hypothesis import strategies as st

from stressweb.core.page_draws import Pair

WORDS = st.integers(0, 2**32 - 1)


PAIRS = st.builds(Pair, WORDS, WORDS)


# Any string of JavaScript: unpaired surrogates, characters of all planes, and NUL.
KEYS = st.text(st.one_of(st.characters(codec=None), st.sampled_from("\0\ud800\udfff\uffff😀a "))) | st.text(
    "ab", min_size=60
)


def units(text: str) -> list[int]:
    """Return the code units of a JavaScript string: the connection to the browser takes only whole characters."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[start : start + 2], "little") for start in range(0, len(data), 2)]
