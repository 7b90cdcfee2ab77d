"""What an answer of a language model says of its cost, read while it passes: a JSON body, or a stream of events."""

import json
import re
from collections.abc import Mapping
from typing import Any

from runner.agents.llm.completion import name_in, tokens
from stressweb.core.tracebacks import concealed
from stressweb.plugins.agent import Usage

_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LARGEST = 32_000_000
"""Bytes of an answer, or of one event of a stream, that are read; of a larger one no cost is known."""


class AnswerReading:
    """Takes an answer in as it comes, and gives it on as it is."""

    def __init__(self, *, streamed: bool, drop_usage: bool = False) -> None:
        """Say whether it is a stream of events, and whether the event with its cost is not for the client.

        That event comes only to those who ask for it, and a client that did not ask may trip over it.
        """
        self._streamed, self._drop_usage = streamed, drop_usage
        self._rest = b""
        self._costs: dict[str, int] = {"in": 0, "out": 0}
        self._names: dict[str, str] = {}

    def take(self, part: bytes) -> bytes:
        """Take a part, and return what goes on to the client."""
        self._rest += part
        if not self._streamed:
            return self._bounded(part)
        passed = b""
        while end := _EVENT_END.search(self._rest):
            event, self._rest = self._rest[: end.end()], self._rest[end.end() :]
            passed += event if self._read_event(event) else b""
        if len(self._rest) > _LARGEST:
            passed, self._rest = passed + self._rest, b""
        return passed

    def end(self) -> bytes:
        """Take the end of the answer, and return what goes on to the client."""
        rest, self._rest = self._rest, b""
        if self._streamed:
            return rest if self._read_event(rest) else b""
        self._read(_json(rest))
        return b""

    @property
    def usage(self) -> Usage:
        """What the answer has cost, as far as it says so."""
        model, fingerprint, request = (self._names.get(name, "") for name in ("model", "fingerprint", "request"))
        read, written = self._costs["in"], self._costs["out"]
        return Usage(tokens_in=read, tokens_out=written, model=model, fingerprint=fingerprint, request=request)

    def _bounded(self, part: bytes) -> bytes:
        if len(self._rest) > _LARGEST:
            self._rest = b""
        return part

    def _read_event(self, event: bytes) -> bool:
        """Read an event; return whether it is for the client."""
        lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
        value = _json(b"\n".join(lines)) if lines else None
        self._read(value)
        bare = isinstance(value, Mapping) and value.get("choices") == [] and isinstance(value.get("usage"), Mapping)
        return not (self._drop_usage and bare)

    def _read(self, value: Any) -> None:
        # The body itself, the `response` of an event of OpenAI's newer interface, or the `message` of Anthropic's.
        for holder in (value, *(_entry(value, name) for name in ("response", "message"))):
            if isinstance(holder, Mapping):
                # An event has the sum so far, so that the last and largest one is that of the answer.
                read, written = tokens(holder.get("usage"))
                self._costs = {"in": max(self._costs["in"], read), "out": max(self._costs["out"], written)}
                named = (("model", "model"), ("fingerprint", "system_fingerprint"), ("request", "id"))
                # A server may repeat the key anywhere.
                texts = {name: concealed(name_in(holder.get(entry))) for name, entry in named}
                self._names |= {name: text for name, text in texts.items() if text}


def _entry(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
