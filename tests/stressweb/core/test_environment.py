"""The environment that worker processes get."""

import pytest

from stressweb.core.environment import environment


def test_workers_get_the_base_url_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    assert environment()["OPENAI_BASE_URL"] == environment("")["OPENAI_BASE_URL"] == "http://localhost:1/v1"
    assert environment("http://localhost:2/v1")["OPENAI_BASE_URL"] == "http://localhost:2/v1"
    assert environment()["OPENAI_API_KEY"] == "sk-0123456789"
