"""No other page in the browser can read the runs, under any name of this machine."""

import re

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from stressweb.runner.view.guard import HOSTS, host_of

PATHS = (
    "/",
    "/runs.json",
    "/watch/first",
    "/watch.json/first",
    "/compare?a=first&b=second",
    "/look/report.css",
    "/static/view.css",
)


@pytest.mark.parametrize("host", ["127.0.0.1:8090", "127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:8090"])
def test_this_machine_is_served(client: FlaskClient, host: str) -> None:
    assert client.get("/runs.json", headers={"Host": host}).status_code == 200


@pytest.mark.sample(16)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host",
    ["evil.test", "evil.test:8090", "127.0.0.1.evil.test:8090", "localhost.evil.test", "127.0.0.1:8090@evil.test", "", "192.168.0.1:8090", "localhost:8090, evil.test", "[::1].evil.test"],
)  # fmt: skip
def test_another_name_is_refused_everywhere(client: FlaskClient, path: str, host: str) -> None:
    response = client.get(path, headers={"Host": host})
    assert response.status_code == 421
    assert b"naive" not in response.data


NAMES = st.from_regex(r"[a-z]?(127\.0\.0\.1|localhost|\[::1\])[a-z.@]?(:[0-9]{0,6})?[a-z]?", fullmatch=True)


@given(NAMES | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30))
def test_no_other_text_is_a_name_of_this_machine(header: str) -> None:
    ours = re.fullmatch(r"(?i:127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?", header)
    assert (host_of(header) in HOSTS) == bool(ours)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_page_may_link_here_but_load_nothing(client: FlaskClient, site: str) -> None:
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    assert client.get("/runs.json", headers=headers).status_code == 403
    assert client.get("/", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}).status_code == 200
    assert client.get("/", headers={"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}).status_code == 200


@pytest.mark.parametrize("path", [*PATHS, "/nothing", "/report/first/report.html"])
def test_every_answer_has_strict_security_headers(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not [name for name, _ in headers if name.startswith("Access-Control-")]


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch", "options"])
def test_only_reading_methods_are_allowed(client: FlaskClient, method: str) -> None:
    assert client.open("/", method=method.upper()).status_code == 405
