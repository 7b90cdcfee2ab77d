"""A model endpoint on loopback with scripted answers, for tests of agents that use a language model."""

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

FIRST_QUESTION = "Answer with the word OK."
"""The question that stressweb asks a model before a run. It is answered with OK and does not consume a reply."""
TIMEOUT_S = 20.0
"""Seconds after which the server ends a reply that would never end."""

type Body = dict[str, Any]
type Reply = Callable[["Exchange"], None]
"""Answers one request."""


class Exchange:
    """One request, and the methods to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: Body, ended: threading.Event) -> None:
        self._handler = handler
        self.body = body
        self.path = handler.path
        self.headers = dict(handler.headers)
        self.ended = ended

    def send(self, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None) -> None:
        """Answer with a status, a body and headers; `length` replaces the true Content-Length."""
        self._handler.send_response(status)
        announced = {"Content-Type": "application/json", "Content-Length": str(len(body) if length is None else length)}
        for name, value in (announced | (headers or {})).items():
            self._handler.send_header(name, value)
        self._handler.end_headers()
        self.write(body)

    def write(self, data: bytes) -> None:
        """Send a part of the body."""
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def break_off(self) -> None:
        """Close the connection in the middle of the answer."""
        self._handler.close_connection = True
        # Closing would leave the connection open, because the handler has files on the same socket.
        self._handler.connection.shutdown(socket.SHUT_RDWR)


def completion(text: str | None, tokens: tuple[int, int] = (100, 7), **extra: Any) -> Body:
    """Return the body of an answer."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "small-2026",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    } | extra


def say(text: str | None, request: str = "req-1", **extra: Any) -> Reply:
    """Answer with a text."""
    body = json.dumps(completion(text, **extra)).encode()
    return lambda exchange: exchange.send(200, body, {"x-request-id": request})


def act(kind: str, reasoning: str = "because", **parameters: Any) -> str:
    """Return an answer that is an action."""
    return json.dumps({"action_type": kind, "parameters": parameters, "reasoning": reasoning})


def fail(status: int, message: str = "no", headers: dict[str, str] | None = None, **detail: str) -> Reply:
    """Answer with an error."""
    body = json.dumps({"error": {"message": message, "type": "error", **detail}}).encode()
    return lambda exchange: exchange.send(status, body, headers)


def raw(body: bytes, status: int = 200) -> Reply:
    """Answer with arbitrary bytes."""
    return lambda exchange: exchange.send(status, body)


def hang(exchange: Exchange) -> None:
    """Receive the request and never answer."""
    # Unlike `sleep`, `wait` returns when the test ends.
    exchange.ended.wait(TIMEOUT_S)
    exchange.break_off()


def drip(exchange: Exchange) -> None:
    """Send white space until the time limit, like a server that keeps a connection alive."""
    # The announced length is never reached, so a client that limits only the time of each read waits forever.
    exchange.send(200, b"", length=10**6)
    deadline = time.monotonic() + TIMEOUT_S
    while not exchange.ended.wait(0.02) and time.monotonic() < deadline:
        exchange.write(b" ")


def cut(exchange: Exchange) -> None:
    """Break off in the middle of an answer."""
    exchange.send(200, b'{"id": "chat', length=1000)
    exchange.break_off()


class ScriptedModel:
    """An OpenAI-compatible endpoint that serves replies one after another, and then repeats the last one.

    A reply is a text, or a function such as the result of `fail(429)`. Use it as a context manager; agents reach it at
    `url`. `bodies` are the received requests, without the question that stressweb asks before a run.
    """

    def __init__(self, *replies: Reply | str, key: str | None = None, models: Sequence[str] = ()) -> None:
        """Take the replies; requests without `key`, if it is set, are refused. `models` are the listed models."""
        self.replies = [say(reply) if isinstance(reply, str) else reply for reply in replies]
        self.exchanges: list[Exchange] = []
        self.probed = 0
        self.model_list = json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in models]})
        self._lock = threading.Lock()
        self._ended = threading.Event()
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            # Clients reuse connections, which the default protocol of http.server (1.0) does not allow.
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                scripted.probed += 1
                exchange = Exchange(self, {}, scripted._ended)
                (self._refusal() or scripted.listing_reply(exchange))(exchange)

            def do_POST(self) -> None:
                exchange = Exchange(
                    self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))), scripted._ended
                )
                try:
                    (self._refusal() or scripted.next_reply(exchange))(exchange)
                # The client has closed the connection, as tests of time limits expect.
                except OSError:
                    self.close_connection = True

            def _refusal(self) -> Reply | None:
                if key is None or self.headers["Authorization"] == f"Bearer {key}":
                    return None
                # Real endpoints repeat the key in this message, so tests can check that it is not shown or recorded.
                return fail(401, f"Incorrect API key provided: {self.headers['Authorization']}")

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing."""

        # The system chooses a free port, so that tests can run in parallel.
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        # Checks every 10 ms whether to stop; with the default of half a second every test would wait.
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def bodies(self) -> list[Body]:
        """The bodies of all requests so far."""
        return [exchange.body for exchange in self.exchanges]

    def listing_reply(self, exchange: Exchange) -> Reply:
        """Return the reply to a request for the list of models."""
        return raw(self.model_list.encode())

    def next_reply(self, exchange: Exchange) -> Reply:
        """Return the reply to a request for a completion."""
        if [message.get("content") for message in exchange.body.get("messages", [])] == [FIRST_QUESTION]:
            return say("OK")
        # Requests arrive in separate threads, and a reply must not be used twice.
        with self._lock:
            self.exchanges.append(exchange)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
