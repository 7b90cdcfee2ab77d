"""Speaks to a stressweb host."""

import json
from pathlib import Path
from typing import Any

import httpx

_PATIENCE_S = 120.0


class Host:
    """An episode server, by the file in which it says its address and its token."""

    def __init__(self, path: str) -> None:
        """Take the path of `host.json`, in the folder that `stressweb host` printed."""
        address = json.loads(Path(path).read_text("utf-8"))
        self._url, self._headers = address["url"], {"Authorization": f"Bearer {address['token']}"}

    async def open(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Open an episode; raises RuntimeError with what the host refuses."""
        return await self._post("/episodes", wanted)

    async def finish(self, name: str, claim: dict[str, Any]) -> dict[str, Any]:
        """Finish an episode and return how it ended; one that has ended by itself is returned as it is."""
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
