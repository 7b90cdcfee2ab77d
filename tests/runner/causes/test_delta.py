"""Delta debugging on oracles with a known answer."""

from math import ceil, log2

from hypothesis import given
from hypothesis import strategies as st

from stressweb.core.draws import unit
from stressweb.core.injections import Injection
from stressweb.runner.causes.delta import ddmin, smallest

NAMES = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 4).map(str)), min_size=1, unique=True
)


@st.composite
def injections_with_causes(draw: st.DrawFn) -> tuple[list[Injection], list[frozenset[Injection]]]:
    """Draw injections, and subsets each of which breaks an episode."""
    injections: list[Injection] = list(draw(NAMES))
    causes = st.frozensets(st.sampled_from(injections), min_size=1, max_size=3)
    return injections, draw(st.lists(causes, min_size=1, max_size=3))


@given(injections_with_causes())
def test_a_planted_cause_is_found(plant: tuple[list[Injection], list[frozenset[Injection]]]) -> None:
    injections, causes = plant
    minimal = smallest(injections, lambda some: any(cause <= some for cause in causes))
    least = [cause for cause in causes if not any(smaller < cause for smaller in causes)]
    assert minimal in least


@given(NAMES, st.integers())
def test_no_member_can_be_left_out_whatever_the_oracle(there: list[Injection], seed: int) -> None:
    """This holds even if more injections do not always break more."""

    def breaks(some: frozenset[Injection]) -> bool:
        return some == frozenset(there) or (bool(some) and unit(seed, *sorted(map(str, some))) < 0.3)

    minimal = smallest(there, breaks)
    assert breaks(minimal)
    assert not any(breaks(minimal - {injection}) for injection in minimal)


@given(st.integers(1, 40), st.integers(), st.floats(0, 1))
def test_tests_are_bounded(size: int, seed: int, share: float) -> None:
    tried = []

    def breaks(some: object) -> bool:
        tried.append(some)
        return unit(seed, len(tried)) < share

    ddmin(range(size), breaks)
    assert len(tried) <= size**2 + 3 * size


@given(st.integers(1, 500), st.data())
def test_a_single_cause_takes_a_logarithm_of_tests(size: int, draws: st.DataObject) -> None:
    cause = draws.draw(st.integers(0, size - 1))
    tried = []

    def breaks(some: object) -> bool:
        tried.append(some)
        return cause in some  # type: ignore[operator]

    assert ddmin(range(size), breaks) == [cause]
    assert len(tried) <= 2 * ceil(log2(size)) + 2


def test_a_whole_level_is_left_out_at_once() -> None:
    """Of 2,000 injections only one mode's matter: the others cost one test."""
    injections = [
        (mode, str(page), str(number)) for mode in ("noise", "failure") for page in range(10) for number in range(100)
    ]
    tried = []

    def breaks(some: frozenset[Injection]) -> bool:
        tried.append(some)
        return ("failure", "3", "41") in some

    assert smallest(injections, breaks) == {("failure", "3", "41")}
    assert len(tried) <= 2 + 2 * 4 + 2 * 7 + 4
    assert {injection[0] for injection in tried[2]} == {"failure"}
