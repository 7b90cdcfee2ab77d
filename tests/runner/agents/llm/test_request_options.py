"""Request options after refusals: each refusal drops a part, and the sequence ends."""

from hypothesis import given
from hypothesis import strategies as st

from stressweb.runner.agents.llm.refusal import refusal_in_body
from stressweb.runner.agents.llm.request_options import LEAST, Overlong, RequestOptions

COMPLAINTS = st.sampled_from(
    [
        "no", "images are not supported", "bad response_format", "temperature", "seed", "max_tokens",
        "context length exceeded", "System role not supported", "content must be a string",
    ]
)  # fmt: skip


def leave_out(request_options: RequestOptions, status: int, complaint: str) -> bool:
    parsed = refusal_in_body(status, {"error": {"message": complaint}})
    return request_options.leave_out(parsed, pictured=request_options.pictures, characters=request_options.budget)


@given(st.lists(st.tuples(st.sampled_from([400, 413, 422, 500]), COMPLAINTS), max_size=60), st.booleans())
def test_refusals_come_to_an_end(complaints: list[tuple[int, str]], pictured: bool) -> None:
    request_options = RequestOptions(pictures=pictured, seed=1, max_tokens=9, budget=64_000)
    for status, complaint in complaints:
        before = vars(request_options) | {"dropped": list(request_options.dropped)}
        try:
            left_out = leave_out(request_options, status, complaint)
        except Overlong:
            assert request_options.budget == LEAST
            continue
        assert left_out == (vars(request_options) != before)
    assert len(request_options.dropped) == len(set(request_options.dropped)) <= 16


def test_repeated_refusals_drop_all_options() -> None:
    request_options = RequestOptions(seed=1, max_tokens=9)
    while leave_out(request_options, 400, "no"):
        assert len(request_options.dropped) < 12
    assert request_options.arguments() == {}
    assert (request_options.pictures, request_options.system, request_options.parts) == (False, False, False)


def test_a_server_error_drops_only_named_parts() -> None:
    request_options = RequestOptions(seed=1)
    assert not leave_out(request_options, 500, "out of memory while decoding an image")
    assert not leave_out(request_options, 503, "context is busy")
    assert leave_out(request_options, 500, "image input is not supported")
    assert request_options.dropped == ["screenshots"]


def test_a_refusal_of_a_part_that_was_not_sent_drops_another_part() -> None:
    request_options = RequestOptions(pictures=False)
    assert leave_out(request_options, 400, "image_url is not supported")
    assert request_options.dropped == ["response_format schema"]
