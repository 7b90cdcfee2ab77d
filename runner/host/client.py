"""HTTP client of the episode server."""

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from stressweb.core.errors import UserError

ADDRESS_FILE = "host.json"
"""File in the run's folder that has the server's address and token while it runs."""
_PATIENCE_S = 120.0
"""Timeout of a request, in seconds; grading may take a while."""


class HostClient:
    """Client of one server. Each request opens its own connection, so threads can share a client."""

    def __init__(self, url: str, token: str) -> None:
        """Take the server's URL and token."""
        self.url, self._token = url, token

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return a client of the server that uses a run's folder; raise UserError if no server does."""
        path = folder / ADDRESS_FILE
        try:
            address = json.loads(path.read_text("utf-8"))
            return cls(str(address["url"]), str(address["token"]))
        except (OSError, ValueError, KeyError, TypeError):
            raise UserError(f"no episode server runs in {folder}; start one: stressweb host --out {folder}") from None

    @classmethod
    def latest(cls, runs_dir: Path) -> Self:
        """Return a client of the most recently started server in a folder of runs; raise UserError if there is none."""
        files = sorted(runs_dir.glob(f"*/{ADDRESS_FILE}"), key=lambda path: path.stat().st_mtime)
        if not files:
            raise UserError(f"no episode server runs in {runs_dir}; start one: stressweb host")
        return cls.of(files[-1].parent)

    def get(self, path: str) -> Any:
        """Return the answer to a GET request; raise UserError with the server's message if it is refused."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the answer to a POST request; raise UserError with the server's message if it is refused."""
        return self._ask("POST", path, json.dumps(body))

    def _ask(self, method: str, path: str, body: str | None) -> Any:
        address = urlsplit(self.url).netloc
        connection = http.client.HTTPConnection(address, timeout=_PATIENCE_S)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            answer = json.loads(response.read())
        except (OSError, ValueError, http.client.HTTPException):
            raise UserError(f"the episode server at {self.url} does not answer; start it again") from None
        finally:
            connection.close()
        if response.status >= http.HTTPStatus.BAD_REQUEST:
            raise UserError(str(answer.get("detail", response.reason)))
        return answer
