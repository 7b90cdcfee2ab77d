"""What is left of an offer once a server has refused a part: less each time, and never without an end."""

from hypothesis import given
from hypothesis import strategies as st

from runner.agents.llm.request_options import LEAST, Overlong, RequestOptions

COMPLAINTS = st.sampled_from(
    ["no", "images are not supported", "bad response_format", "temperature", "seed", "max_tokens", "context too long"]
)


@given(st.lists(st.tuples(st.sampled_from([400, 413, 422, 500]), COMPLAINTS), max_size=40), st.booleans())
def test_refusals_come_to_an_end(complaints: list[tuple[int, str]], pictured: bool) -> None:
    offer = RequestOptions(pictures=pictured, seed=1, max_tokens=9, budget=64_000)
    for status, said in complaints:
        before = (offer.arguments(), offer.pictures, offer.budget)
        try:
            left_out = offer.give_in(status, said, pictured=offer.pictures)
        except Overlong:
            assert offer.budget == LEAST
            continue
        assert left_out == ((offer.arguments(), offer.pictures, offer.budget) != before)
    assert len(offer.dropped) == len(set(offer.dropped)) <= 12


def test_nothing_is_left_of_an_offer_that_is_refused_again_and_again() -> None:
    offer = RequestOptions(seed=1, max_tokens=9)
    while offer.give_in(400, "no", pictured=offer.pictures):
        assert len(offer.dropped) < 10
    assert offer.arguments() == {"max_completion_tokens": 9}
    assert not offer.pictures


def test_a_server_error_costs_only_what_it_says_is_not_supported() -> None:
    offer = RequestOptions(seed=1)
    assert not offer.give_in(500, "out of memory while decoding an image", pictured=True)
    assert not offer.give_in(503, "context is busy", pictured=True)
    assert offer.give_in(500, "image input is not supported", pictured=True)
    assert offer.dropped == ["screenshots"]
