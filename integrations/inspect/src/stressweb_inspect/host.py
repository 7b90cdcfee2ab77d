"""Client of a stressweb host."""

import json
from pathlib import Path
from typing import Any

import httpx

_PATIENCE_S = 120.0


class Host:
    """Client of an episode server, whose file has its address and its token."""

    def __init__(self, path: str) -> None:
        """Take the path of `host.json`, in the folder that `stressweb host` printed."""
        address = json.loads(Path(path).read_text("utf-8"))
        self._url, self._headers = address["url"], {"Authorization": f"Bearer {address['token']}"}

    async def open(self, request: dict[str, Any]) -> dict[str, Any]:
        """Open an episode; raises RuntimeError with the reason if the host refuses it."""
        return await self._post("/episodes", request)

    async def finish(self, name: str, claim: dict[str, Any]) -> dict[str, Any]:
        """Finish an episode and return its outcome; an episode that has already ended is returned unchanged."""
        async with httpx.AsyncClient(timeout=_PATIENCE_S) as client:
            url = f"{self._url}/episodes/{name}"
            answer = await client.post(f"{url}/finish", json=claim, headers=self._headers)
            if answer.status_code == httpx.codes.CONFLICT:
                answer = await client.get(url, headers=self._headers)
            return _checked(answer)

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        async with httpx.AsyncClient(timeout=_PATIENCE_S) as client:
            return _checked(await client.post(self._url + path, json=body, headers=self._headers))


def _checked(answer: httpx.Response) -> dict[str, Any]:
    body: dict[str, Any] = answer.json()
    if answer.is_error:
        raise RuntimeError(str(body["detail"]))
    return body
