"""The first question, before a run: a wrong address, model or key gets one line; temporary errors are left to episodes."""

import json

import pytest

from stressweb.core.errors import UserError
from stressweb.plugins import scripted_model
from stressweb.plugins.scripted_model import Exchange, Reply, ScriptedModel, fail, hang, raw, say
from stressweb.runner.agents.llm.endpoint_config import EndpointConfig
from stressweb.runner.agents.llm.first_question import QUESTION, check

KEY = "sk-test-0123456789abcdef"


class Server(ScriptedModel):
    """Scripted model that also answers the first question with its first reply."""

    def next_reply(self, exchange: Exchange) -> Reply:
        self.exchanges.append(exchange)
        return self.replies[0]


class Misplaced(Server):
    """Endpoint below `/v1`; all other paths of the server answer with the first reply."""

    def next_reply(self, exchange: Exchange) -> Reply:
        wrong = super().next_reply(exchange)
        return say("OK") if _is_below(exchange.path) else wrong

    def listing_reply(self, exchange: Exchange) -> Reply:
        return super().listing_reply(exchange) if _is_below(exchange.path) else self.replies[0]


def _is_below(path: str) -> bool:
    return path.startswith("/v1/") and "completions/" not in path


def line(server: ScriptedModel, model: str = "small", key: str = "", url: str = "") -> str:
    """Return the error message of a check; empty if the check passes."""
    try:
        check(EndpointConfig(url or server.url, key), model)
    except UserError as error:
        text = str(error)
    else:
        text = ""
    assert "\n" not in text
    assert KEY not in text
    return text


def test_the_question_is_known_to_the_scripted_model() -> None:
    assert QUESTION == scripted_model.FIRST_QUESTION
    with ScriptedModel(fail(402)) as server:
        assert line(server) == ""
        assert (server.probed, server.exchanges) == (1, [])


def test_the_question_is_short_and_has_nothing_that_a_server_could_refuse() -> None:
    with Server(say("OK")) as server:
        assert line(server) == ""
        (body,) = server.bodies
    assert body == {"model": "small", "messages": [{"role": "user", "content": QUESTION}]}


def test_a_model_that_is_listed_where_no_key_is_needed_is_asked_nothing() -> None:
    with Server(fail(500), models=["small"]) as server:
        assert line(server) == ""
        assert server.exchanges == []
        assert line(server, key=KEY) == ""
        assert len(server.exchanges) == 1


@pytest.mark.parametrize(
    "reply",
    [
        fail(404, "The model `smal` does not exist.", code="model_not_found"),
        fail(404, "model 'smal' not found, try pulling it first"),
        fail(400, "smal is not a valid model ID"),
        raw(b'{"error": {"message": "The model `smal` does not exist.", "code": 404}}'),
    ],
)
def test_a_model_that_is_not_there_is_named_with_the_nearest(reply: Reply) -> None:
    with Server(reply, models=["small", "large"]) as server:
        message = line(server, "smal")
    assert message.startswith(f"{server.url} has no model 'smal': ")
    assert message.endswith("; did you mean small? There are small, large")
    with Server(reply) as server:
        assert line(server, "smal").startswith(f"{server.url} has no model 'smal': ")


def test_a_model_that_is_not_listed_may_be_there_all_the_same() -> None:
    with Server(say("OK"), models=["small:latest"]) as server:
        assert line(server) == ""


@pytest.mark.parametrize(
    "wrong",
    [
        fail(404, "404 page not found"),
        raw(b"<html><title>404 Not Found</title></html>", 404),
        raw(b'{"detail": "Not Found"}', 404),
        raw(b"", 405),
        raw(b'{"error": "Unexpected endpoint or method. (POST /chat/completions)"}'),
        raw(b"<!doctype html><title>A chat</title>"),
    ],
)
@pytest.mark.parametrize("path", ["", "/", "/v1/chat/completions"])
def test_a_base_url_that_is_not_one_says_which_was_meant(wrong: Reply, path: str) -> None:
    with Misplaced(wrong, models=["other"]) as server:
        message = line(server, url=server.url.removesuffix("/v1") + path)
    assert " is not the base URL of an OpenAI-compatible endpoint (" in message
    assert message.endswith(f"; did you mean {server.url}?")


def test_a_key_that_only_the_model_refuses_is_reported() -> None:
    """Some endpoints list their models to everybody."""
    with Server(fail(401, f"Incorrect API key provided: {KEY}"), models=["small"]) as server:
        assert "rejects the key in OPENAI_API_KEY: status 401: Incorrect API key provided: [key]" in line(
            server, key=KEY
        )


def test_a_server_that_wants_a_key_says_so() -> None:
    with ScriptedModel(say("OK"), key=KEY) as server:
        assert "rejects a request without a key: set OPENAI_API_KEY" in line(server)


def test_an_account_without_credit_is_reported() -> None:
    with Server(fail(402, "Insufficient credits")) as server:
        assert line(server).endswith("answers no request until it is paid: status 402: Insufficient credits")


@pytest.mark.parametrize(
    "reply",
    [
        fail(429),
        fail(500),
        fail(503),
        raw(b"not JSON"),
        raw(json.dumps({"choices": []}).encode()),
        fail(400, "no"),
        hang,
    ],
)
def test_temporary_errors_are_left_to_the_episodes(reply: Reply) -> None:
    with Server(reply) as server:
        check(EndpointConfig(server.url), "small", 0.3)
        assert len(server.exchanges) == 1


def test_a_list_of_models_may_have_any_form() -> None:
    lists: list[object] = [{"data": [{"id": "a"}]}, {"models": [{"name": "a"}, 7]}, ["a"], {"data": {"id": "a"}}, 3]
    names = []
    for listing in lists:
        with ScriptedModel(say("OK")) as server:
            server.model_list = json.dumps(listing)
            names.append(EndpointConfig(server.url).probe())
    assert names == [("a",), ("a",), ("a",), (), ()]
