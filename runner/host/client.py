"""A client of the episode server: what it asks, and what it gets."""

import http.client
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from stressweb.core.errors import UserError

ADDRESS_FILE = "host.json"
"""In the run's folder while the server runs: its address and its token, for clients."""
_PATIENCE_S = 120.0
"""Seconds for which an answer is waited for: a grade may take some."""


class HostClient:
    """Speaks to one server. Each request has a connection of its own, so that threads may share a client."""

    def __init__(self, url: str, token: str) -> None:
        """Take the address of the server, and its token."""
        self.url, self._token = url, token

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return a client of the server whose run is in a folder; raises UserError if none runs there."""
        path = folder / ADDRESS_FILE
        try:
            address = json.loads(path.read_text("utf-8"))
            return cls(str(address["url"]), str(address["token"]))
        except (OSError, ValueError, KeyError, TypeError):
            raise UserError(f"no episode server runs in {folder}; start one: stressweb host --out {folder}") from None

    @classmethod
    def latest(cls, runs_dir: Path) -> Self:
        """Return a client of the server that was started last among these runs; raises UserError if there is none."""
        files = sorted(runs_dir.glob(f"*/{ADDRESS_FILE}"), key=lambda path: path.stat().st_mtime)
        if not files:
            raise UserError(f"no episode server runs in {runs_dir}; start one: stressweb host")
        return cls.of(files[-1].parent)

    def get(self, path: str) -> Any:
        """Return the answer to GET; raises UserError with what the server refuses."""
        return self._ask("GET", path, None)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Return the answer to POST; raises UserError with what the server refuses."""
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
