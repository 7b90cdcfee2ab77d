"""Address and key of a model's endpoint: a wrong address, a missing key or no server gets one line before a run."""

import re

import pytest

from stressweb.core.errors import UserError
from stressweb.plugins.scripted_model import Exchange, Reply, ScriptedModel, fail, say
from stressweb.runner.agents.llm.endpoint_config import DEFAULT_URL, EndpointConfig

KEY = "sk-test-0123456789abcdef"


def test_address_and_key_come_from_the_environment() -> None:
    assert EndpointConfig.of({"OPENAI_API_KEY": f" {KEY}\n"}) == EndpointConfig(DEFAULT_URL, KEY)
    assert EndpointConfig.of({"OPENAI_BASE_URL": "http://localhost:1/v1"}) == EndpointConfig(
        "http://localhost:1/v1", ""
    )


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({}, "no key for api.openai.com: set OPENAI_API_KEY"),
        ({"OPENAI_BASE_URL": "https://models.test/v1"}, "no key for models.test"),
        ({"OPENAI_BASE_URL": "localhost:80"}, "is not an http or https URL"),
        ({"OPENAI_API_KEY": f"{KEY}\u00e9"}, "contains characters that are not allowed in a key"),
        ({"OPENAI_API_KEY": f"{KEY}\nx"}, "contains characters that are not allowed in a key"),
    ],
)
def test_a_mistake_gets_one_line_without_the_key(environ: dict[str, str], message: str) -> None:
    with pytest.raises(UserError) as caught:
        EndpointConfig.of(environ)
    assert message in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("url", ["http://models.test/v1", "http://8.8.8.8:8080/v1"])
def test_no_key_goes_out_in_plain_text(url: str) -> None:
    environ = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY}
    with pytest.raises(UserError, match=f"base-url {re.escape(url)} would send your key in plain text: use https"):
        EndpointConfig.of(environ)
    for safe_url in (url.replace("http:", "https:"), "http://localhost:1/v1", "http://192.168.1.7/v1"):
        assert EndpointConfig.of(environ | {"OPENAI_BASE_URL": safe_url}).key == KEY


def test_repr_hides_the_key() -> None:
    assert KEY not in repr(EndpointConfig(DEFAULT_URL, KEY))


@pytest.mark.parametrize(
    ("key", "hidden"), [(KEY, True), ("sk-1234", True), ("none", False), ("lm-studio", False), ("", False)]
)
def test_keys_are_hidden_and_placeholders_are_not(key: str, hidden: bool) -> None:
    text = f"none of {key} is lm-studio"
    assert EndpointConfig(DEFAULT_URL, key).hide(text) == (text.replace(key, "[key]") if hidden else text)


def test_the_probe_before_a_run_checks_address_and_key() -> None:
    with ScriptedModel(say("x"), key=KEY) as server:
        EndpointConfig(server.url, KEY).probe()
        assert server.probed == 1
        with pytest.raises(UserError, match="rejects the key in OPENAI_API_KEY") as caught:
            EndpointConfig(server.url, "sk-wrong-0123456789").probe()
        assert "sk-wrong" not in str(caught.value)
    with pytest.raises(UserError, match=r"no answer from http://127\.0\.0\.1:\d+/v1: .*refused"):
        EndpointConfig(server.url, KEY).probe()


@pytest.mark.parametrize("status", [403, 404, 500])
def test_a_server_without_a_list_of_models_is_left_to_the_episodes(status: int) -> None:
    class Unlisted(ScriptedModel):
        def listing_reply(self, exchange: Exchange) -> Reply:
            return fail(status, "no such path")

    with Unlisted(say("x")) as server:
        EndpointConfig(server.url, KEY).probe()
        assert server.probed == 1
