"""Settings of a page: in a search for a cause, they allow the same injections as the search."""

from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.injections import AllowedInjections, Injection
from stressweb.perturbations.page.runtime_settings import RuntimeSettings
from stressweb.plugins.rule import Narrowing

MODES, KEYS = ("failure", "remap"), ("toy / link a", "toy / link b", "toy / link c")
CONTROLS = st.tuples(st.sampled_from(MODES), st.sampled_from(KEYS))
ATTEMPTS = st.tuples(st.sampled_from(MODES), st.sampled_from(KEYS), st.sampled_from("012"))


@given(data=st.data(), by_attempt=st.booleans(), step=st.integers(0, 4))
def test_a_page_is_let_what_the_search_lets(data: st.DataObject, by_attempt: bool, step: int) -> None:
    names = st.one_of(st.just(("noise", "wrap", "/", "p x 1")), ATTEMPTS if by_attempt else CONTROLS)
    only = data.draw(st.none() | st.lists(names, max_size=5))
    without = data.draw(st.dictionaries(names, st.integers(0, 4), max_size=5))
    # A search either allows some injections or holds some back.
    allowed = AllowedInjections(only, None if only is not None else without)
    for mode in MODES:
        narrowing = Narrowing.of(allowed, mode, step, by_attempt=by_attempt)
        for key in (*KEYS, "toy / link nobody named"):
            for attempt in range(4):
                name: Injection = (mode, key, str(attempt)) if by_attempt else (mode, key)
                assert narrowing.lets(key, attempt) == allowed.lets(name, step), name


def test_half_of_a_character_may_stand_in_a_key() -> None:
    """Pages may contain it, and keys consist of their words."""
    attempts = {"failure": {"toy / button \ud800 #1": 3}}
    settings = RuntimeSettings(path="/", page="page /", site="toy", attempts=attempts, read="r", report="/r")
    assert settings.model_dump()["attempts"] == attempts
    Narrowing(others=True, controls={"\ud800": (True, [0])})
