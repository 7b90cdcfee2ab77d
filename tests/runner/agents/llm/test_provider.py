"""Addresses and keys of language model providers, from the environment."""

import pytest

from stressweb.core.errors import UserError
from stressweb.runner.agents.llm.provider import upstreams

KEY = "sk-test-0123456789abcdef"


def test_without_variables_the_providers_own_addresses_hold() -> None:
    providers = upstreams({})
    assert {name: (provider.url, provider.keys, provider.chosen) for name, provider in providers.items()} == {
        "openai": ("https://api.openai.com/v1", {}, False),
        "anthropic": ("https://api.anthropic.com", {}, False),
    }


def test_the_newer_name_of_a_variable_counts_first() -> None:
    environ = {"OPENAI_API_BASE": "http://localhost:1/v1", "OPENAI_BASE_URL": "http://localhost:2/v1/"}
    assert upstreams(environ)["openai"].url == "http://localhost:2/v1"
    del environ["OPENAI_BASE_URL"]
    assert upstreams(environ)["openai"].url == "http://localhost:1/v1"


def test_keys_are_read_as_they_can_be_sent_and_never_shown() -> None:
    providers = upstreams({"OPENAI_API_KEY": f"{KEY}\n", "ANTHROPIC_AUTH_TOKEN": KEY})
    assert providers["openai"].keys == {"OPENAI_API_KEY": KEY}
    assert providers["anthropic"].keys == {"ANTHROPIC_AUTH_TOKEN": KEY}
    assert KEY not in repr(providers)
    assert providers["openai"].hide(f"your key {KEY}".encode()) == b"your key [key]"


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"OPENAI_BASE_URL": "localhost"}, "base-url 'localhost' is not an http or https URL"),
        ({"ANTHROPIC_BASE_URL": "localhost"}, "ANTHROPIC_BASE_URL 'localhost' is not an http or https URL"),
        ({"OPENAI_API_KEY": "sk-ключ"}, "OPENAI_API_KEY contains characters that are not allowed in a key"),
        (
            {"ANTHROPIC_BASE_URL": "http://example.com", "ANTHROPIC_API_KEY": KEY},
            "ANTHROPIC_BASE_URL http://example.com would send your key in plain text",
        ),
    ],
)
def test_an_invalid_address_or_key_is_named(environ: dict[str, str], message: str) -> None:
    with pytest.raises(UserError) as raised:
        upstreams(environ)
    assert str(raised.value).startswith(message)
