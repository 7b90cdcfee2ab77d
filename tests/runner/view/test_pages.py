"""Serving static pages on this machine: the served files, other files, and the pages' security policy."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from stressweb.runner.view.pages import create_pages


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    (tmp_path / "site" / "assets").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("first")
    (tmp_path / "site" / "assets" / "site.css").write_text("a{}")
    (tmp_path / "secret").write_text("not for you")
    return create_pages(tmp_path / "site").test_client()


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/", 200, "first"),
        ("/index.html", 200, "first"),
        ("/assets/site.css", 200, "a{}"),
        ("/nowhere.html", 404, "not found"),
        ("/assets/", 404, "not found"),
        ("/../secret", 404, "not found"),
        ("/%2e%2e/secret", 404, "not found"),
    ],
)
def test_the_files_of_the_folder_are_served_and_no_others(
    client: FlaskClient, path: str, status: int, text: str
) -> None:
    answer = client.get(path, base_url="http://127.0.0.1")
    assert (answer.status_code, answer.text) == (status, text)


def test_a_site_has_its_own_404_page(client: FlaskClient, tmp_path: Path) -> None:
    (tmp_path / "site" / "404.html").write_text("lost?")
    answer = client.get("/nowhere.html", base_url="http://127.0.0.1")
    assert (answer.status_code, answer.text) == (404, "lost?")


def test_pages_may_load_nothing_from_elsewhere_and_answer_this_machine_alone(client: FlaskClient) -> None:
    policy = client.get("/", base_url="http://127.0.0.1").headers["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert {word for rule in rules.values() for word in rule.split()} <= {
        "'none'", "'self'", "'unsafe-inline'", "data:", "blob:",
    }  # fmt: skip
    assert client.get("/", base_url="http://evil.test").status_code == 421
    assert client.post("/", base_url="http://127.0.0.1").status_code == 405
