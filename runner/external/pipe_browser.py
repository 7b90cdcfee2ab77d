"""A browser process for one episode, controlled over a pipe so that no debugging port is open."""

import asyncio
import contextlib
import fcntl
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from stressweb.core.browser_program import launch_args
from stressweb.core.errors import InfrastructureError
from stressweb.core.protocol import VIEWPORT
from stressweb.runner.browser.driver import reduced

type Message = dict[str, Any]
type Hear = Callable[[Message], None]

_LONGEST = 1 << 28
"""Largest message, in bytes; a page with images in its style sheets may be large."""
_START_S = 20.0
_READING, _WRITING = 3, 4
"""The file descriptors that `--remote-debugging-pipe` uses."""
_ATTACHED = "Target.attachedToTarget"


class PipeBrowser:
    """One browser, created by `PipeBrowser.launch`.

    Each client gets its own browser-level session (`session`), as if it had its own debugging port.
    """

    def __init__(self, pid: int, profile: Path, reader: asyncio.StreamReader, writer: asyncio.WriteTransport) -> None:
        """Take a running process and both ends of its pipe."""
        self.pid = pid
        self._profile, self._reader, self._writer = profile, reader, writer
        self._number = 0
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._ears: dict[str, Hear] = {}
        """Listeners by session id."""
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the browser has ended."""
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def launch(cls, path: Path, proxy: str) -> Self:
        """Start a browser that uses the proxy in all contexts; raise InfrastructureError if it does not start.

        Setting the proxy per context would not be enough, because other clients could open contexts without it.
        """
        profile = Path(tempfile.mkdtemp(prefix="stressweb-browser-"))
        their_in, our_out = os.pipe()
        our_in, their_out = os.pipe()
        try:
            pid = _spawn(path, [*_args(profile, proxy), "about:blank"], their_in, their_out)
        except OSError as error:
            shutil.rmtree(profile, ignore_errors=True)
            raise InfrastructureError(f"browser {path} does not start: {error}") from None
        finally:
            os.close(their_in)
            os.close(their_out)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=_LONGEST)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(our_in, "rb", 0))
        writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(our_out, "wb", 0))
        browser = cls(pid, profile, reader, writer)
        try:
            async with asyncio.timeout(_START_S):
                await browser._ask("Browser.getVersion")
        except (TimeoutError, InfrastructureError):
            await browser.close()
            raise InfrastructureError(f"browser {path} does not start") from None
        return browser

    async def session(self, hear: Hear) -> str:
        """Return the id of a new browser-level session; `hear` gets its messages and those of its child sessions."""
        session_id: str = (await self._ask("Target.attachToBrowserTarget"))["sessionId"]
        self._ears[session_id] = hear
        return session_id

    async def leave(self, session: str) -> None:
        """End a session and its child sessions."""
        hear = self._ears.get(session)
        self._ears = {name: ear for name, ear in self._ears.items() if ear is not hear}
        with contextlib.suppress(InfrastructureError):
            await self._ask("Target.detachFromTarget", sessionId=session)

    async def gone(self) -> None:
        """Wait until the browser has ended."""
        await asyncio.shield(self.ended)

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message, whose `sessionId` names its session."""
        if not self._writer.is_closing():
            self._writer.write(json.dumps(message).encode() + b"\0")

    async def close(self) -> None:
        """Kill the browser and its child processes, and remove its profile."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        # The transport has already closed if the browser ended by itself.
        if not self._writer.is_closing():
            self._writer.abort()
        await self._listening
        await asyncio.to_thread(self._clean_up)

    def _clean_up(self) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        shutil.rmtree(self._profile, ignore_errors=True)

    async def _ask(self, method: str, **params: object) -> Any:
        self._number += 1
        answer = self._asked[self._number] = asyncio.get_running_loop().create_future()
        self.post({"id": self._number, "method": method, "params": params})
        if self.ended.done():
            answer.cancel()
            raise InfrastructureError("the browser has ended")
        return await answer

    async def _listen(self) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                self._dispatch(json.loads((await self._reader.readuntil(b"\0"))[:-1]))
        self.ended.set_result(None)
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(InfrastructureError("the browser has ended"))

    def _dispatch(self, message: Message) -> None:
        session = message.get("sessionId")
        hear = self._ears.get(session) if session else None
        if hear is not None:
            if message.get("method") == _ATTACHED:
                # The parent session's listener also gets the messages of the new child session.
                self._ears[message["params"]["sessionId"]] = hear
            hear(message)
        elif (answer := self._asked.pop(message.get("id", 0), None)) is not None and not answer.done():
            if "error" in message:
                answer.set_exception(InfrastructureError(str(message["error"].get("message"))))
            else:
                answer.set_result(message["result"])


def _args(profile: Path, proxy: str) -> list[str]:
    return [
        *launch_args(),
        "--headless",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
        f"--proxy-server={proxy}",
        # Without this, requests to loopback addresses would bypass the proxy.
        "--proxy-bypass-list=<-loopback>",
        f"--window-size={VIEWPORT['width']},{VIEWPORT['height']}",
        # As in the contexts of our own agents (runner/browser/context.py).
        "--lang=en-US",
        "--force-prefers-reduced-motion",
        "--force-device-scale-factor=1",
        # Playwright's own options: no background network requests, and no prompts that wait for a person.
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-extensions",
        "--disable-sync",
        "--disable-popup-blocking",
        "--disable-prompt-on-repost",
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--disable-ipc-flooding-protection",
        "--disable-field-trial-config",
        "--disable-dev-shm-usage",
        "--metrics-recording-only",
        "--mute-audio",
        "--hide-scrollbars",
        "--password-store=basic",
        "--use-mock-keychain",
    ]


def _spawn(path: Path, args: list[str], reading: int, writing: int) -> int:
    """Start the browser in its own process group and return its process id."""
    environ = {**reduced(os.environ), "TZ": "UTC", "LANGUAGE": "en-US"}
    nothing = os.open(os.devnull, os.O_RDWR)
    # Move the descriptors above the target numbers, so that one DUP2 does not overwrite the other's source.
    high_numbers = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 16) for number in (reading, writing)]
    try:
        actions = [
            *((os.POSIX_SPAWN_DUP2, nothing, number) for number in range(3)),
            (os.POSIX_SPAWN_DUP2, high_numbers[0], _READING),
            (os.POSIX_SPAWN_DUP2, high_numbers[1], _WRITING),
        ]
        return os.posix_spawn(path, [str(path), *args], environ, file_actions=actions, setpgroup=0)
    finally:
        for number in (nothing, *high_numbers):
            os.close(number)
