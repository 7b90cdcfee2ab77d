"""Valid names of models and addresses of endpoints."""

import pytest

from stressweb.core.address import check_model, check_url, local


@pytest.mark.parametrize("name", ["gpt-5.2", "org/Model-7B:free", "ft:gpt-4o:me::x1", "a", "m@2026", "a" * 200])
def test_names_of_models(name: str) -> None:
    assert check_model(name) is None


@pytest.mark.parametrize("name", ["", "gpt 5", "a,b", "a(b)", "a=b", "a|b", "a" * 201, "a\nb"])
def test_invalid_names_of_models(name: str) -> None:
    problem = check_model(name)
    assert problem is not None
    assert "is not a valid model name" in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    "url", ["http://localhost:8080/v1", "https://models.test", "http://[::1]:1/v1/", "http://127.0.0.1:9"]
)
def test_addresses(url: str) -> None:
    assert check_url(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost",
        "localhost:80",
        "ftp://a/b",
        "http://",
        "http://a b/",
        "http://a:b/",
        "http://a:99999/",
        "http://[",
    ],
)
def test_invalid_addresses(url: str) -> None:
    problem = check_url(url)
    assert problem is not None
    assert "URL" in problem


@pytest.mark.parametrize(
    "url", ["http://secret@a/v1", "http://u:secret@a/", "http://a/?key=secret", "http://a/#secret"]
)
def test_an_address_with_a_secret_is_refused_and_not_repeated(url: str) -> None:
    problem = check_url(url)
    assert problem is not None
    assert "OPENAI_API_KEY" in problem
    assert "secret" not in problem


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://localhost:1", True),
        ("http://a.localhost", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]/v1", True),
        ("http://192.168.1.7:8000", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/", False),
        ("http://localhost.example.test", False),
    ],
)
def test_local_addresses(url: str, is_local: bool) -> None:
    assert local(url) is is_local
