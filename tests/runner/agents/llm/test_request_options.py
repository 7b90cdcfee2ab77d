"""Request options after refusals: each refusal drops a part, and the sequence ends."""

from hypothesis import given
from hypothesis import strategies as st

from stressweb.runner.agents.llm.refusal import refusal
from stressweb.runner.agents.llm.request_options import LEAST, Overlong, RequestOptions

COMPLAINTS = st.sampled_from(
    [
        "no", "images are not supported", "bad response_format", "temperature", "seed", "max_tokens",
        "context length exceeded", "System role not supported", "content must be a string",
    ]
)  # fmt: skip


def give_in(offer: RequestOptions, status: int, complaint: str) -> bool:
    parsed = refusal(status, {"error": {"message": complaint}})
    return offer.give_in(parsed, pictured=offer.pictures, characters=offer.budget)


@given(st.lists(st.tuples(st.sampled_from([400, 413, 422, 500]), COMPLAINTS), max_size=60), st.booleans())
def test_refusals_come_to_an_end(complaints: list[tuple[int, str]], pictured: bool) -> None:
    offer = RequestOptions(pictures=pictured, seed=1, max_tokens=9, budget=64_000)
    for status, complaint in complaints:
        before = vars(offer) | {"dropped": list(offer.dropped)}
        try:
            left_out = give_in(offer, status, complaint)
        except Overlong:
            assert offer.budget == LEAST
            continue
        assert left_out == (vars(offer) != before)
    assert len(offer.dropped) == len(set(offer.dropped)) <= 16


def test_repeated_refusals_drop_all_options() -> None:
    offer = RequestOptions(seed=1, max_tokens=9)
    while give_in(offer, 400, "no"):
        assert len(offer.dropped) < 12
    assert offer.arguments() == {}
    assert (offer.pictures, offer.system, offer.parts) == (False, False, False)


def test_a_server_error_drops_only_named_parts() -> None:
    offer = RequestOptions(seed=1)
    assert not give_in(offer, 500, "out of memory while decoding an image")
    assert not give_in(offer, 503, "context is busy")
    assert give_in(offer, 500, "image input is not supported")
    assert offer.dropped == ["screenshots"]


def test_a_refusal_of_a_part_that_was_not_sent_drops_another_part() -> None:
    offer = RequestOptions(pictures=False)
    assert give_in(offer, 400, "image_url is not supported")
    assert offer.dropped == ["response_format schema"]
