"""The episodes of a large run that a report details: some of every kind, failures first."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stressweb.analysis.graded import Graded
from stressweb.report.chosen import chosen
from stressweb.report.page import in_order
from stressweb.report.story import verdict
from tests.support.small_reports import recorded


def of(agent: str, condition: str, *, success: bool, task: str = "shop/buy") -> Graded:
    return recorded(agent, task, condition, success=success)[0]


EPISODES = st.lists(
    st.builds(of, st.sampled_from("ab"), st.sampled_from(["clean", "remap@3"]), success=st.booleans()), max_size=40
)


@given(EPISODES, st.integers(0, 40), st.integers(1, 20))
def test_the_wanted_number_is_chosen_in_order_and_without_repetition(
    graded: list[Graded], large: int, most: int
) -> None:
    numbered = in_order(graded)
    selection = chosen(numbered, large, most)
    assert len(selection) == (len(graded) if len(graded) <= large else min(most, len(graded)))
    assert selection == [entry for entry in numbered if entry in selection]
    assert len({number for number, _ in selection}) == len(selection)


def test_every_agent_has_episodes_of_each_verdict_under_each_condition() -> None:
    kinds = [(agent, label, success) for agent in "ab" for label in ("clean", "remap@3") for success in (True, False)]
    graded = [of(agent, label, success=success) for agent, label, success in kinds for _ in range(50)]
    # One agent's failures outnumber all other episodes.
    graded += [of("a", "remap@3", success=False) for _ in range(1000)]
    selection = chosen(in_order(graded), 100, 50)
    counts = Counter((episode.agent, episode.condition, verdict(episode)) for _, episode in selection)
    assert len(counts) == 8
    assert {counts[key] for key in counts if key[2] == "failed"} == {10}
    assert sum(counts[key] for key in counts if key[2] == "passed") == 10


def test_without_successes_failures_take_their_places() -> None:
    graded = [of("a", "remap@3", success=False) for _ in range(30)]
    assert [number for number, _ in chosen(in_order(graded), 10, 5)] == [1, 2, 3, 4, 5]
