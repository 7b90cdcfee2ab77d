"""One question to a model on loopback: retries, request options that are dropped, and infrastructure errors."""

import email.utils
import gzip
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from stressweb.core.errors import EndpointClosedError, EndpointError, InfrastructureError
from stressweb.plugins.agent import Usage
from stressweb.plugins.scripted_model import Reply as Answering
from stressweb.plugins.scripted_model import ScriptedModel, completion, cut, drip, fail, hang, raw, say
from stressweb.runner.agents.llm.bounded import LARGEST
from stressweb.runner.agents.llm.endpoint import Compose, Endpoint, requested_wait
from stressweb.runner.agents.llm.endpoint_config import EndpointConfig
from stressweb.runner.agents.llm.request_options import LEAST, Overlong, RequestOptions
from stressweb.runner.agents.llm.wrapping import Reply

pytestmark = pytest.mark.sample(25, "file")

KEY = "sk-test-0123456789abcdef"
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


def question(request_options: RequestOptions) -> Sequence[dict[str, Any]]:
    page = {"type": "text", "text": "x" * request_options.budget}
    return [{"role": "user", "content": [page, PICTURE] if request_options.pictures else [page]}]


class RecordedEndpoint:
    """An endpoint that records its waits instead of sleeping."""

    def __init__(
        self,
        server: ScriptedModel,
        request_options: RequestOptions | None = None,
        seconds: float = 5.0,
        retries: int = 3,
    ) -> None:
        self.waits: list[float] = []
        self.request_options = request_options or RequestOptions(seed=3, budget=8000)
        config = EndpointConfig(server.url, KEY)
        self.endpoint = Endpoint(
            config, "small", self.request_options, seconds=seconds, retries=retries, sleep=self.waits.append
        )

    def ask(self, compose: Compose) -> tuple[Reply, Usage]:
        """Ask, and check that no usage stays pending."""
        answer = self.endpoint.ask(compose)
        assert self.endpoint.pending == Usage()
        return answer

    def text(self) -> str:
        """Return the text of an answer."""
        return self.ask(question)[0].text


def test_an_answer_comes_with_what_it_cost() -> None:
    with ScriptedModel(say("hello", "req-9", tokens=(321, 12))) as server:
        asking = RecordedEndpoint(server)
        reply, usage = asking.ask(question)
    assert reply == Reply("hello")
    assert (usage.tokens_in, usage.tokens_out, usage.tries) == (321, 12, 1)
    assert (usage.model, usage.request, usage.dropped) == ("small-2026", "req-9", ())
    assert 0 < usage.seconds < 5
    assert asking.waits == []
    (body,) = server.bodies
    assert (body["model"], body["temperature"], body["seed"]) == ("small", 0.0, 3)
    assert body["response_format"]["type"] == "json_schema"
    assert server.exchanges[0].headers["Authorization"] == f"Bearer {KEY}"


FAULTS: dict[str, tuple[Answering, Callable[[float], bool]]] = {
    "429 that says how long": (fail(429, "slow down", {"Retry-After": "7"}), lambda wait: wait == 7),
    "429 that says nothing": (fail(429), lambda wait: 0.3 < wait <= 0.5),
    "500": (fail(500), lambda wait: 0.3 < wait <= 0.5),
    "no choice": (raw(json.dumps(completion("x") | {"choices": []}).encode()), lambda wait: wait <= 0.5),
    "choices are null": (raw(json.dumps(completion("x") | {"choices": None}).encode()), lambda wait: wait <= 0.5),
    "not JSON": (raw(b"<html>busy</html>"), lambda wait: wait <= 0.5),
    "nothing": (raw(b""), lambda wait: wait <= 0.5),
    "broken off": (cut, lambda wait: wait <= 0.5),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_server_is_tried_again(fault: str) -> None:
    broken, right = FAULTS[fault]
    with ScriptedModel(broken, say("at last")) as server:
        asking = RecordedEndpoint(server)
        reply, usage = asking.ask(question)
    assert (reply.text, usage.tries) == ("at last", 2)
    assert len(asking.waits) == 1
    assert right(asking.waits[0])


def test_a_server_that_names_a_date_is_waited_for() -> None:
    date = email.utils.formatdate(time.time() + 60, usegmt=True)
    with ScriptedModel(fail(503, headers={"Retry-After": date}), say("at last")) as server:
        asking = RecordedEndpoint(server)
        assert asking.text() == "at last"
    assert 40 < asking.waits[0] <= 60


@pytest.mark.parametrize("silence", [hang, drip], ids=["hangs", "drips"])
def test_a_request_ends_when_its_time_is_over(silence: Answering) -> None:
    with ScriptedModel(silence, say("at last")) as server:
        started = time.monotonic()
        reply, usage = RecordedEndpoint(server, seconds=0.3).ask(question)
        taken = time.monotonic() - started
    assert (reply.text, usage.tries) == ("at last", 2)
    assert 0.3 <= taken < 3


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (fail(500, "out of order"), "status 500: out of order"),
        (raw(json.dumps(completion("x") | {"choices": []}).encode()), "choices: it takes 1 or more entries"),
        (hang, "nothing came in 0.2 seconds"),
        (drip, "no complete response within 0.2 seconds"),
        (cut, "the response broke off"),
    ],
)
def test_a_server_that_never_answers_is_infrastructure(reply: Answering, message: str) -> None:
    with ScriptedModel(reply) as server:
        asking = RecordedEndpoint(server, seconds=0.2, retries=2)
        with pytest.raises(InfrastructureError) as caught:
            asking.ask(question)
        assert len(server.exchanges) == 3
    assert str(caught.value).startswith("the model did not answer in 3 tries: ")
    assert message in str(caught.value)
    assert len(asking.waits) == 2


def test_waits_grow_and_are_bounded() -> None:
    with ScriptedModel(fail(500)) as server:
        asking = RecordedEndpoint(server, retries=7)
        with pytest.raises(InfrastructureError):
            asking.ask(question)
    bounds = (0.5, 1, 2, 4, 8, 8, 8)
    assert all(0.75 * bound <= wait <= bound for wait, bound in zip(asking.waits, bounds, strict=True))


def test_a_wait_that_is_too_long_is_not_waited() -> None:
    with ScriptedModel(fail(429, "come back tomorrow", {"Retry-After": "86400"})) as server:
        asking = RecordedEndpoint(server)
        with pytest.raises(EndpointClosedError, match="come back tomorrow"):
            asking.ask(question)
    assert asking.waits == []


def test_an_unreachable_server_is_infrastructure() -> None:
    with ScriptedModel(say("x")) as server:
        url = server.url
    endpoint = Endpoint(
        EndpointConfig(url, KEY), "small", RequestOptions(), seconds=1, retries=1, sleep=lambda seconds: None
    )
    with pytest.raises(InfrastructureError, match=r"in 2 tries: no answer: .*refused"):
        endpoint.ask(question)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_permanent_errors_are_not_retried(status: int) -> None:
    with ScriptedModel(fail(status, "go away")) as server:
        asking = RecordedEndpoint(server)
        with pytest.raises(EndpointClosedError, match=f"rejected the request with status {status}: go away"):
            asking.ask(question)
        assert len(server.exchanges) == 1


REFUSALS: dict[str, tuple[Answering, list[str], Callable[[dict[str, Any]], bool]]] = {
    "images": (
        fail(400, "This model does not support image input"),
        ["screenshots"],
        lambda body: "image_url" not in json.dumps(body["messages"]),
    ),
    "images, as a server of llama.cpp says it": (
        fail(500, "image input is not supported - hint: you may need to provide the mmproj"),
        ["screenshots"],
        lambda body: "image_url" not in json.dumps(body["messages"]),
    ),
    "json_schema": (
        fail(400, "unknown response_format", param="response_format"),
        ["response_format schema"],
        lambda body: body["response_format"] == {"type": "json_object"},
    ),
    "temperature": (
        fail(400, "Unsupported value", param="temperature"),
        ["temperature"],
        lambda body: "temperature" not in body and body["seed"] == 3,
    ),
    "seed": (fail(422, "seed: extra fields not permitted"), ["seed"], lambda body: "seed" not in body),
    "max_tokens": (
        fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens"),
        ["max_tokens"],
        lambda body: "max_tokens" not in body and body["max_completion_tokens"] == 50,
    ),
    "max_tokens, by both names": (
        fail(400, "max_tokens is too large: 50", param="max_tokens"),
        ["max_tokens"],
        lambda body: "max_tokens" not in body and body["max_completion_tokens"] == 50,
    ),
    "content in parts": (
        fail(422, "messages[1].content must be a string"),
        ["screenshots"],
        lambda body: "image_url" not in json.dumps(body["messages"]),
    ),
    "the length": (
        fail(400, "request (9018 tokens) exceeds the available context size (8192 tokens)"),
        ["page beyond 4000 characters"],
        lambda body: len(body["messages"][0]["content"][0]["text"]) == 4000,
    ),
}


@pytest.mark.parametrize("part", REFUSALS)
def test_a_refused_part_is_dropped_at_once_and_from_then_on(part: str) -> None:
    reply, dropped, right = REFUSALS[part]
    with ScriptedModel(reply, say("one"), say("two")) as server:
        asking = RecordedEndpoint(server, RequestOptions(seed=3, budget=8000, max_tokens=50))
        first, usage = asking.ask(question)
        second, later = asking.ask(question)
    assert (first.text, usage.tries, second.text, later.tries) == ("one", 2, "two", 1)
    assert list(usage.dropped) == list(later.dropped) == dropped
    assert [right(body) for body in server.bodies] == [False, True, True]
    assert asking.waits == []


def test_instructions_go_into_the_first_message_where_their_role_is_refused() -> None:
    def with_all_roles(request_options: RequestOptions) -> Sequence[dict[str, Any]]:
        return [
            {"role": "system", "content": "Rules."},
            *question(request_options),
            {"role": "assistant", "content": "no"},
        ]

    with ScriptedModel(fail(400, "System role not supported"), say("one"), say("two")) as server:
        asking = RecordedEndpoint(server, RequestOptions(budget=3))
        assert [asking.ask(with_all_roles)[0].text for _ in range(2)] == ["one", "two"]
        _, first, second = server.bodies
    assert asking.request_options.dropped == ["system role"]
    assert [message["role"] for message in first["messages"]] == ["user", "assistant"]
    assert [part.get("text") for part in first["messages"][0]["content"]] == ["Rules.", "xxx", None]
    assert first["messages"] == second["messages"]


def test_content_becomes_one_text_where_parts_are_refused() -> None:
    with ScriptedModel(fail(400, "messages[0].content: expected a string, got array"), say("one")) as server:
        asking = RecordedEndpoint(server, RequestOptions(budget=3, pictures=False))
        assert asking.text() == "one"
        assert server.bodies[1]["messages"] == [{"role": "user", "content": "xxx"}]
    assert asking.request_options.dropped == ["content in parts"]


def test_a_limit_of_the_answer_is_left_out_when_both_its_names_are_refused() -> None:
    wrong = [fail(400, "no", param=name) for name in ("max_tokens", "max_completion_tokens")]
    with ScriptedModel(*wrong, say("one")) as server:
        asking = RecordedEndpoint(server, RequestOptions(max_tokens=50))
        assert asking.text() == "one"
        assert "max" not in "".join(server.bodies[-1])
    assert asking.request_options.dropped == ["max_tokens", "max_completion_tokens"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"error": {"message": "upstream is down", "code": 502}}, "status 502: upstream is down"),
        ({"error": "upstream is down"}, "upstream is down"),
        ([{"error": {"code": 503, "message": "overloaded"}}], "status 503: overloaded"),
        ({"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "lost it"}, "message": {}}]}, "lost it"),
        ({"choices": [{"finish_reason": "error", "message": {"content": "Generation failed: pixel_values"}}]}, "Generation"),
        ({"choices": [], "error": {"message": "lost it"}}, "lost it"),
    ],
)  # fmt: skip
def test_an_error_in_an_answer_is_retried_with_its_message(body: Any, why: str) -> None:
    with ScriptedModel(raw(json.dumps(body).encode()), say("at last")) as server:
        asking = RecordedEndpoint(server)
        reply, usage = asking.ask(question)
    assert (reply.text, usage.tries, len(asking.waits)) == ("at last", 2, 1)
    with ScriptedModel(raw(json.dumps(body).encode())) as server, pytest.raises(EndpointError) as caught:
        RecordedEndpoint(server, retries=0).ask(question)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "Insufficient credits", "code": 402}}, EndpointClosedError),
        ({"error": "Unexpected endpoint or method. (POST /chat/completions)"}, EndpointClosedError),
        ({"choices": [{"finish_reason": "error", "error": {"code": 401, "message": "no key"}}]}, EndpointClosedError),
        ({"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]}, EndpointError),
    ],
)
def test_the_code_of_an_error_in_an_answer_decides_about_retries(body: Any, kind: type[Exception]) -> None:
    with ScriptedModel(raw(json.dumps(body).encode())) as server:
        with pytest.raises(kind):
            RecordedEndpoint(server).ask(question)
        assert len(server.exchanges) == 1


def test_an_error_in_an_answer_drops_the_refused_part() -> None:
    body = {"error": "Trying to keep the first 15857 tokens when context the overflows."}
    with ScriptedModel(raw(json.dumps(body).encode()), say("one")) as server:
        _, usage = RecordedEndpoint(server).ask(question)
    assert usage.dropped == ("page beyond 4000 characters",)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (fail(402, "You have exceeded your monthly included credits"), "status 402: You have exceeded"),
        (fail(429, "You exceeded your current quota", code="insufficient_quota"), "status 429: You exceeded"),
        (fail(400, "Your credit balance is too low"), "status 400: Your credit balance"),
        (fail(404, "The model `small` does not exist", code="model_not_found"), "status 404: The model"),
        (fail(429, "Rate limit reached. Please try again in 7m12s."), "try again in 7m12s"),
    ],
)
def test_errors_of_all_further_requests_close_the_endpoint(reply: Answering, words: str) -> None:
    with ScriptedModel(reply) as server:
        asking = RecordedEndpoint(server)
        with pytest.raises(EndpointClosedError) as caught:
            asking.ask(question)
        assert len(server.exchanges) == 1
    assert words in str(caught.value)
    assert (asking.request_options.dropped, asking.request_options.budget) == ([], 8000)
    assert asking.endpoint.pending.tries == 1


def test_a_wait_that_is_asked_for_in_words_is_waited() -> None:
    with ScriptedModel(fail(429, "Quota exceeded. Please retry in 32.5s."), say("at last")) as server:
        asking = RecordedEndpoint(server)
        assert asking.text() == "at last"
    assert asking.waits == [32.5]


def test_a_page_of_a_web_server_cuts_the_page_then_the_pictures_and_is_no_failure_of_the_agent() -> None:
    page = b"<html><head><title>413 Request Entity Too Large</title></head></html>"
    with ScriptedModel(raw(page, 413)) as server:
        asking = RecordedEndpoint(server)
        with pytest.raises(EndpointError, match="413 Request Entity Too Large"):
            asking.ask(question)
    cuts = [f"page beyond {n} characters" for n in (4000, 2000, 1000)]
    assert asking.request_options.dropped == [*cuts, "screenshots"]


def test_a_short_page_is_cut_to_half_of_its_length() -> None:
    def short(request_options: RequestOptions) -> Sequence[dict[str, Any]]:
        return [{"role": "user", "content": [{"type": "text", "text": "x" * min(request_options.budget, 5000)}]}]

    with ScriptedModel(fail(400, "maximum context length is 5 tokens"), say("one")) as server:
        asking = RecordedEndpoint(server, RequestOptions(budget=250_000))
        asking.ask(short)
    assert asking.request_options.dropped == ["page beyond 2500 characters"]


def test_a_refusal_that_names_nothing_costs_one_part_after_the_other() -> None:
    with ScriptedModel(*[fail(400, "Bad Request")] * 4, say("one")) as server:
        _, usage = RecordedEndpoint(server).ask(question)
    assert usage.dropped == ("response_format schema", "response_format object", "screenshots", "temperature")
    assert usage.tries == 5


def test_a_request_that_is_refused_with_nothing_left_is_infrastructure() -> None:
    with ScriptedModel(fail(400, "Bad Request")) as server:
        with pytest.raises(InfrastructureError, match="rejected the request with status 400: Bad Request"):
            RecordedEndpoint(server).ask(question)
        # Schema, object, pictures, temperature, seed, the role of the instructions, and content in parts.
        assert len(server.exchanges) == 8


def test_a_server_error_drops_only_named_parts() -> None:
    with ScriptedModel(fail(500, "failed to decode image"), say("one")) as server:
        _, usage = RecordedEndpoint(server).ask(question)
    assert usage.dropped == ()


def test_a_question_that_never_fits_is_not_infrastructure() -> None:
    with ScriptedModel(fail(400, "maximum context length is 5 tokens", code="context_length_exceeded")) as server:
        asking = RecordedEndpoint(server)
        with pytest.raises(Overlong, match=f"even with {LEAST} characters"):
            asking.ask(question)
        # Three cuts, and the pictures.
        assert len(server.exchanges) == 5
    assert asking.request_options.budget == LEAST


def test_a_key_that_a_server_repeats_is_hidden() -> None:
    with ScriptedModel(say(f"your key is {KEY}", KEY, model=KEY)) as server:
        reply, usage = RecordedEndpoint(server).ask(question)
    assert KEY not in f"{reply}{usage}"
    assert reply.text == "your key is [key]"
    with ScriptedModel(fail(403, f"{KEY} may not")) as server, pytest.raises(InfrastructureError) as caught:
        RecordedEndpoint(server).ask(question)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize(
    ("body", "headers", "message"),
    [
        (gzip.compress(bytes(LARGEST + 1)), {"Content-Encoding": "gzip"}, "encoded as 'gzip', which was not asked for"),
        (b"x", {"Content-Encoding": "identity, gzip"}, "encoded as 'identity, gzip'"),
        (bytes(LARGEST + 1), {}, "more than 32,000,000 bytes"),
    ],
)
def test_the_size_of_an_answer_is_limited(status: int, body: bytes, headers: dict[str, str], message: str) -> None:
    """Neither compressed data nor an endless response may fill the memory."""
    with ScriptedModel(lambda exchange: exchange.send(status, body, headers)) as server:
        with pytest.raises(EndpointError, match=message):
            RecordedEndpoint(server, retries=0).ask(question)
        assert server.exchanges[0].headers["Accept-Encoding"] == "identity"


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    body = completion(None)
    body["choices"][0]["message"]["content"] = parts
    with ScriptedModel(raw(json.dumps(body).encode())) as server:
        assert RecordedEndpoint(server).text() == "ab"


@pytest.mark.parametrize("left_out", ["usage", "id", "model", "object"])
def test_optional_fields_of_a_response_may_be_missing(left_out: str) -> None:
    body = {name: value for name, value in completion("x").items() if name != left_out}
    with ScriptedModel(raw(json.dumps(body).encode())) as server:
        assert RecordedEndpoint(server).text() == "x"


ODD: list[tuple[str, dict[str, Any], tuple[int, int]]] = [
    ("a list of usages", {"usage": [{"prompt_tokens": 3, "completion_tokens": 4}]}, (3, 4)),
    ("fractions", {"usage": {"prompt_tokens": 3.0, "completion_tokens": 4.4}}, (3, 4)),
    ("tokens as text", {"usage": {"prompt_tokens": "3", "completion_tokens": "4"}}, (3, 4)),
    ("tokens by other names", {"usage": {"input_tokens": 3, "output_tokens": 4}}, (3, 4)),
    ("no usage", {"usage": "none"}, (0, 0)),
    ("invalid tokens", {"usage": {"prompt_tokens": None, "completion_tokens": {}}}, (0, 0)),
    ("numbers for names", {"id": 7, "system_fingerprint": 8.5, "model": 9, "created": "now"}, (100, 7)),
    ("objects for names", {"id": {}, "system_fingerprint": [], "model": None, "object": 3}, (100, 7)),
    ("half of a character", {"model": "\ud800"}, (100, 7)),
]


@pytest.mark.parametrize(("extra", "tokens"), [case[1:] for case in ODD], ids=[case[0] for case in ODD])
def test_odd_values_of_optional_fields_do_not_reject_an_answer(extra: dict[str, Any], tokens: tuple[int, int]) -> None:
    with ScriptedModel(raw(json.dumps(completion("x") | extra).encode())) as server:
        reply, usage = RecordedEndpoint(server).ask(question)
    assert (reply.text, usage.tokens_in, usage.tokens_out, usage.tries) == ("x", *tokens, 1)
    assert f"{usage}".encode()


def test_only_the_message_of_the_first_choice_is_read() -> None:
    first = {"message": {"content": "x", "role": 7, "annotations": 3}, "finish_reason": ["stop"], "index": "a"}
    with ScriptedModel(raw(json.dumps({"choices": [first, None, {"message": {"content": "y"}}]}).encode())) as server:
        assert RecordedEndpoint(server).text() == "x"


@pytest.mark.parametrize(
    ("retry_after", "wait"), [("", None), ("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("soon", None), ("nan", 0.0)]
)
def test_retry_after_is_read_in_seconds(retry_after: str, wait: float | None) -> None:
    assert requested_wait({"retry-after": retry_after}) == wait
    assert requested_wait({}) is None
